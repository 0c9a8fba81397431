"""What a visitor did to a translation is kept step by step, and an address says it."""

import math
from types import SimpleNamespace

import gradio as gr
import pytest
import torch
from tiny import tiny_translator

from transformer_core.decoding.search import Candidate, beam_search
from transformer_core.inside.arithmetic import three_digits
from transformer_core.model.heads import every_head
from transformer_core.studies import twins
from transformer_core.tasks.requests import Token
from transformer_core.tasks.translation import behind, translate_sentence
from transformer_core.tokenization import BOS, EOS
from transformer_core.ui.head_switches import head_key
from transformer_core.ui.tabs.translate import work as tab_work
from transformer_core.ui.tabs.translate.handlers import Handlers
from transformer_core.ui.tabs.translate.layout import FIRST, lay_out
from transformer_core.ui.tabs.translate.shown import confidence, german, ranking
from transformer_core.ui.tabs.translate.work import Changes, Work, arrived, begin
from transformer_core.ui.views.tree import tree_value

TEXT = "Speak, speak. You are all resolved."
SEARCH = (2, 1.0)


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    return tiny_translator()


@pytest.fixture
def work(trained):
    return begin(trained, TEXT, *SEARCH)[0]


@pytest.fixture
def handlers(trained, tmp_path):
    with gr.Blocks():
        parts = lay_out()
    return Handlers(
        SimpleNamespace(translator=trained, folder=tmp_path, get=lambda _: trained), parts
    )


@pytest.fixture
def typed(handlers):
    """typed(work, place, forced, off, text) -> the work that is shown, and what is kept of it."""

    def answer(work, place, forced, off, text=TEXT):
        new, *kept = handlers.typed(work, place, forced, off, text, *SEARCH)[:4]
        assert kept == list(new.kept.values())
        return new

    return answer


def again(trained, work, shown=None, **changed):
    """The work after a visitor looked at another sentence, or changed what they do to it."""
    shown, changes = work.shown if shown is None else shown, work.changes._replace(**changed)
    return tab_work.again(trained, work, shown=shown, changes=changes)


def head_of(trained, number):
    return every_head(trained.model)[number]


def test_steps_are_kept_and_one_that_is_taken_back_is_none(trained, work):
    head = head_of(trained, 2)
    forced, _ = again(trained, work, forced=(7,))
    both, _ = again(trained, forced, off=(head,))
    assert both.past == (Changes(), Changes((7,))) and both.before == Changes((7,))
    back, _ = again(trained, both, off=())
    assert (back.changes, back.past) == (Changes((7,)), (Changes(),))
    best, _ = again(trained, both, forced=(), off=())
    assert (best.changes, best.past) == (Changes(), ())


def test_what_it_says_with_all_heads_is_searched_again_only_where_that_may_differ(
    trained, work, monkeypatch
):
    found = []

    def translate_sentence_(trained, *asked):
        found.append(asked)
        return translate_sentence(trained, *asked)

    def searches(work, **changed):
        found.clear()
        return again(trained, work, **changed)[0], len(found)

    monkeypatch.setattr(tab_work, "translate_sentence", translate_sentence_)
    off, n = searches(work, off=(head_of(trained, 2),))
    assert (n, off.plain) == (1, work.plain)
    assert searches(off)[1] == searches(off, off=(head_of(trained, 3),))[1] == 1
    forced, n = searches(off, forced=(7,))
    assert n == 2 and forced.plain == again(trained, work, forced=(7,))[0].plain
    assert searches(off, shown=1)[1] == 2


def test_another_sentence_begins_without_steps(trained, work):
    forced, _ = again(trained, work, forced=(7,))
    other, _ = again(trained, forced, shown=1, forced=())
    assert other.past == () and other.kept == {"sentence": 2, "forced": "", "off": ""}


def test_undo_and_the_best_are_addresses_of_the_same_sentence(trained, work):
    assert german(work)["undo"] == german(work)["best"] == ""
    other, _ = again(trained, work, shown=1)
    forced, _ = again(trained, other, forced=(7,))
    longer, _ = again(trained, forced, forced=(7, 9))
    assert german(longer)["undo"] == "tab=translate&sentence=2&forced=7&off="
    assert german(longer)["best"] == "tab=translate&sentence=2&forced=&off="


def test_an_address_does_what_a_visitor_did(trained, work):
    head = head_of(trained, 3)
    by_hand, _ = again(trained, again(trained, work, shown=1, forced=(7, 9))[0], off=(head,))
    there, _ = arrived(trained, work, *by_hand.kept.values())
    assert there.kept == by_hand.kept and there.now == by_hand.now


@pytest.mark.parametrize(
    "said", [(9, "", ""), (1, "4096", ""), (1, ".".join(["7"] * 101), ""), (1, "", "x-y:9:9")]
)
def test_what_an_address_says_wrongly_is_as_if_it_had_not_been_said(trained, work, said):
    there, _ = arrived(trained, work, *said)
    assert there.kept == Work().kept


def test_a_new_text_begins_without_what_was_done_to_the_last(trained, work, typed):
    forced, _ = again(trained, work, forced=(7,))
    other = typed(forced, *forced.kept.values(), "Hear me speak.")
    assert other.kept == Work().kept and other.sources == ("Hear me speak.",)


def test_another_setting_of_the_search_leaves_what_was_done(trained, work, typed):
    both, _ = again(
        trained, again(trained, work, shown=1, forced=(7,))[0], off=(head_of(trained, 2),)
    )
    wider, sentence = begin(trained, TEXT, 3, 0.5, before=both)
    assert wider.search == (3, 0.5)
    assert wider.kept == both.kept and wider.past == both.past
    expected = translate_sentence(trained, both.sources[1], 3, 0.5, (7,), both.changes.off)
    assert sentence.tokens == expected.tokens
    assert wider.plain == translate_sentence(trained, both.sources[1], 3, 0.5, (7,)).written
    assert wider.texts == begin(trained, TEXT, 3, 0.5)[0].texts


def test_a_sentence_that_was_left_reads_as_if_nothing_had_been_done_to_it(trained, work):
    forced, sentence = again(trained, work, forced=(7,))
    assert sentence.text != work.texts[0]
    left, _ = again(trained, forced, shown=1, forced=())
    longer, _ = begin(trained, f"{TEXT} Speak again.", *SEARCH, before=left)
    assert left.texts == work.texts and longer.texts[:2] == work.texts


def test_the_first_example_keeps_what_was_done_when_its_beam_comes_back(handlers):
    def typed(work, beam_size):
        answer = handlers.typed(work, *work.kept.values(), FIRST, beam_size, 1.0)
        return answer[0]

    first = typed(Work(), 4)
    forced, _ = again(handlers.trained, first, forced=(7,))
    there = typed(typed(forced, 5), 4)
    assert there.changes.forced == (7,) and there.beam_size == 4


def test_the_first_example_gets_a_door_that_was_not_there_before(handlers, monkeypatch):
    def doors():
        shown = handlers.typed(Work(), *Work().kept.values(), FIRST, 4, 1.0)
        value = dict(zip(handlers.parts.shown, shown, strict=True))[handlers.parts.doors]
        return [name for name, _ in value["doors"]]

    monkeypatch.setattr(twins, "can_read", lambda *_: False)
    before = doors()
    monkeypatch.setattr(twins, "can_read", lambda *_: True)  # the study was trained meanwhile
    assert {*doors()} - {*before} == {"Try it in Ablations"}


def test_who_types_goes_on_looking_at_the_same_sentence(trained, work, monkeypatch):
    second, _ = again(trained, work, shown=1)
    translated = []

    def translate_texts(trained, texts, *settings):
        translated.extend(texts)
        return [f"<{text}>" for text in texts]

    monkeypatch.setattr(tab_work, "translate_texts", translate_texts)
    first, last = work.sources
    longer, sentence = begin(trained, f"{TEXT} Speak again.", *SEARCH, before=second)
    assert longer.shown == 1 and sentence.source == last and longer.texts[0] == second.texts[0]
    assert translated == ["Speak again."], "what is known is not translated again"
    edited, _ = begin(trained, f"{first} Hear me.", *SEARCH, before=second)
    assert edited.shown == 1 and edited.sources == (first, "Hear me.")
    other, _ = begin(trained, f"Hear me. {last}", *SEARCH, before=second)
    assert other.shown == 0
    fewer, _ = begin(trained, first, *SEARCH, before=second)
    assert fewer.shown == 0


def test_a_text_that_is_entered_again_keeps_what_was_done(trained, work, typed):
    both, _ = again(trained, again(trained, work, shown=1, forced=(7,))[0], forced=(7, 9))
    assert typed(both, *both.kept.values()) == both


def test_what_an_address_sets_with_a_text_or_without_is_done(trained, work, typed):
    fresh = typed(Work(), 2, "7", "")
    assert fresh.changes.forced == (7,) and fresh.shown == 1 and fresh.sources == work.sources
    forced, _ = again(trained, work, forced=(7,))
    off = head_key(head_of(trained, 2))
    there = typed(forced, 1, "7", off)
    assert there.past == (Changes(), Changes((7,))) and there.kept["off"] == off
    undone = typed(there, 1, "7", "")
    assert (undone.changes, undone.past) == (Changes((7,)), (Changes(),))


def test_a_head_that_is_pressed_below_a_text_that_was_left_is_switched_on_again(handlers, work):
    pressed = gr.EventData(None, {"off": ["decoder-cross:0:1"], "press": 3})
    search = TEXT, work.beam_size, work.length_penalty
    for left in (("Another text.", *search[1:]), (TEXT, work.beam_size + 1, search[2])):
        back = handlers.toggle(pressed, work, None, *left)
        assert list(back) == [handlers.parts.switches]  # nothing else changes
        (switches,) = back.values()
        assert (switches["off"], switches["press"]) == ([], 3)
    done = handlers.toggle(pressed, work, None, *search)
    assert done[handlers.parts.switches]["off"] == ["decoder-cross:0:1"]
    assert done[handlers.parts.work].changes.off and done[handlers.parts.redraw] == gr.skip()


def test_what_an_address_wants_of_a_text_that_is_refused_is_not_done_to_the_next(handlers, work):
    search = "word " * 5_000, work.beam_size, work.length_penalty
    refused = handlers.typed(work, 1, "7", "", *search)
    kept = [refused[state] for state in handlers.parts.states]
    assert (
        kept == list(work.kept.values()) and "at most" in refused[handlers.parts.german]["refusal"]
    )


def test_heads_are_read_from_the_work_when_their_section_is_open(handlers, work):
    assert handlers.show_heads(work)["groups"]
    assert handlers.show_heads(Work()) is None


def test_what_is_pressed_before_a_setting_was_moved_is_left(handlers, work):
    moved = TEXT, work.beam_size, work.length_penalty + 0.5
    assert handlers.pick_sentence(work, 0, *moved) == gr.skip()
    piece = gr.EventData(None, {"position": 0, "token": 7})
    assert handlers.pick_piece(piece, work, *moved) == gr.skip()
    assert handlers.pick_node(gr.EventData(None, {"path": [7]}), work, *moved) == gr.skip()


@pytest.mark.parametrize(
    "penalty, score",
    [(1, "log-prob. / length"), (0, "log-prob."), (0.5, "log-prob. / length^0.5")],
)
def test_the_ranking_says_by_what_it_ranks(trained, penalty, score):
    _, sentence = begin(trained, TEXT, 2, penalty)
    (_, name), (_, first), *_ = ranking(sentence, penalty)["rows"]
    assert name == score and first == three_digits(sentence.ranked[0].score)


def test_scores_of_a_strict_ranking_are_told_apart_and_nothing_is_less_than_nothing():
    scores = {"a": -0.0, "b": -0.01234, "c": -0.01266, "d": -2.5}
    ranked = [SimpleNamespace(text=text, score=score) for text, score in scores.items()]
    value = ranking(SimpleNamespace(ranked=ranked), 2)
    assert [score for _, score in value["rows"][1:]] == ["0", "−0.0123", "−0.0127", "−2.50"]
    assert [float(score) for _, score in value["csv"][1:]] == [*scores.values()]
    assert value["csv"][1][1] == "0"


def candidate(parent, token, total, index=None):
    return Candidate(parent, token, -0.1, total, index)


def searched(steps, tokens, found):
    """A search of these steps, which found the sentences of these indices, the best first."""
    ranked = [SimpleNamespace(index=index) for index in found]
    return SimpleNamespace(
        tokens=[SimpleNamespace(id=token) for token in tokens], steps=steps, ranked=ranked
    )


ENDED_EARLY = searched(
    [
        (candidate(0, 5, -1.0, 0), candidate(0, 6, -1.2, 1), candidate(0, 7, -0.5)),
        (candidate(0, EOS, -1.1, 0), candidate(1, 8, -1.3, 0), candidate(0, 9, -1.0)),
        (candidate(0, 4, -1.4, 0), candidate(0, 9, -1.5)),
        (candidate(0, EOS, -1.6, 1), candidate(0, 4, -1.7)),
    ],
    tokens=[6, 8, 4, EOS],
    found=[1, 0],
)


def test_what_was_cut_never_led_and_what_has_ended_still_does():
    assert behind(ENDED_EARLY) == 4  # the other beginning, then three times the one that ended
    alone = searched([(candidate(0, 6, -1.2, 0), candidate(0, 7, -0.5))], [6], [0])
    assert behind(alone) == 0


def test_each_sentence_that_was_found_has_its_rank_where_it_ended(trained):
    steps = tree_value(ENDED_EARLY, trained.tokenizer, "")["steps"]
    assert [[row[-1] for row in step] for step in steps] == [
        [None] * 3,
        [1, None, None],
        [None] * 2,
        [0, None],
    ]


def test_where_the_length_ran_out_the_last_step_has_the_ranks(trained):
    steps = [
        (candidate(0, 5, -1.0, 0), candidate(0, 6, -1.2, 1)),
        (candidate(1, 8, -1.3, 0), candidate(0, 9, -1.1, 1), candidate(0, 4, -3.0)),
    ]
    value = tree_value(searched(steps, [5, 9], [1, 0]), trained.tokenizer, "")
    assert [row[-1] for row in value["steps"][1]] == [1, 0, None]
    assert [row[-1] for row in value["steps"][0]] == [None, None]


@pytest.mark.parametrize("max_new", [1, 3])  # both are still growing, or both ended
def test_sentences_of_exactly_equal_probability_have_each_its_own_rank(trained, max_new):
    follows = {BOS: [6, 7], 6: [EOS], 7: [8], 8: [EOS]}

    def step(tokens, _):
        log_probs = torch.full((len(tokens), 10), -50.0)
        for row, last in zip(log_probs, tokens[:, -1].tolist(), strict=True):
            row[follows[last]] = -math.log(len(follows[last]))
        return log_probs

    (beam,) = beam_search(step, 1, BOS, EOS, [max_new], beam_size=2, n_candidates=4)
    (_, best), (_, other) = ranked = beam.ranked()
    assert best.log_prob == other.log_prob
    found = searched(beam.steps, best.with_end(EOS), [index for index, _ in ranked])
    ranks = {
        (n, token): rank
        for n, rows in enumerate(tree_value(found, trained.tokenizer, "")["steps"])
        for _, token, *_, rank in rows
        if rank is not None
    }
    # their totals cannot tell them apart: each rank stands where its own sentence is complete
    paths = [hypothesis.with_end(EOS) for hypothesis in (best, other)]
    assert ranks == {(len(path) - 1, path[-1]): rank for rank, path in enumerate(paths)}
    assert behind(found) == 0


def test_the_least_sure_piece_is_named_even_if_it_is_a_space():
    pieces = [Token("▁Mann", 7, -0.1), Token("▁", 8, -2.0)]
    assert confidence(pieces).endswith("least of “␣” (14\N{NO-BREAK SPACE}%).")
    assert "least of “Mann”" in confidence([Token("▁Mann", 7, -2.0)])


def test_a_piece_that_is_not_sure_is_not_rounded_to_what_is():
    said = confidence([Token("▁Mann", 7, math.log(0.797))])
    assert said == "Sure of 0 of 1 pieces (80 % or more), least of “Mann” (79 %).".replace(
        " %", "\N{NO-BREAK SPACE}%"
    )
