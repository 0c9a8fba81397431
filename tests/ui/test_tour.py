"""Facts about the guided tour: its stops exist, and what it says of our models is so."""

import statistics

import pytest
from shipped import CHECKPOINTS, needs
from tiny import tiny_translator

from transformer_core.explain.knock_out import knock_out_translation
from transformer_core.explain.roles import roles_of
from transformer_core.inference import Models
from transformer_core.model.trace import Site
from transformer_core.studies.learning import learning_of
from transformer_core.studies.longer import readers
from transformer_core.studies.statistics import compare
from transformer_core.tasks.translation import translate_sentence
from transformer_core.ui.app import tab_id
from transformer_core.ui.tabs import TABS
from transformer_core.ui.tabs.ablations.files import Studies
from transformer_core.ui.tour import STOPS
from transformer_core.ui.views.shared import by_kind

SENTENCES = [
    "A man in a red shirt is riding a horse on the beach.",
    "Where is the nearest station?",
    "I would like to know what you think about it.",
]


@pytest.fixture(scope="module")
def published():
    """The models that are there, each of them loaded once."""
    return Models(CHECKPOINTS)


def test_there_are_fifteen_stops_in_at_least_five_tabs():
    assert len(STOPS) == 15 and len({stop.place.tab for stop in STOPS}) >= 5
    assert {stop.place.tab for stop in STOPS} <= {tab_id(tab) for tab in TABS}


def test_every_question_has_one_right_answer_among_several():
    for stop in STOPS:
        assert stop.question.endswith("?") and stop.because.endswith(".")
        assert len(set(stop.answers)) == len(stop.answers) >= 3
        assert 0 <= stop.right < len(stop.answers)


def test_the_right_answer_is_not_always_in_the_same_place():
    assert len({stop.right for stop in STOPS}) == 3


def test_a_stop_that_chooses_a_model_or_asks_about_a_sentence_brings_its_text():
    for stop in STOPS:
        if stop.place.choice or "“A dog chases a man”" in stop.question:
            assert stop.place.text, stop.question


def spared(trained, text: str) -> list[float]:
    """How much of a translation's log-probability each head is worth."""
    return [
        -change
        for change in knock_out_translation(trained, translate_sentence(trained, text)).values()
    ]


@needs("translation")
def test_most_heads_of_the_translator_can_be_spared(published):
    for text in SENTENCES:
        costs = spared(published.translator, text)
        assert statistics.median(costs) < 0.5 < max(costs)


@needs("translation")
def test_in_the_head_that_is_open_at_first_a_word_takes_nearly_all_from_one_word(published):
    sentence = translate_sentence(published.translator, SENTENCES[0])
    weights = sentence.view(Site("decoder", 0, "cross")).weights[0]
    assert weights[:, :-1].max() > 0.85


@needs("translation/heads.json")
def test_the_head_that_is_needed_most_looks_at_what_was_just_written(published):
    trained = published.translator
    roles = roles_of(trained)
    needed = max(roles, key=lambda head: roles[head].loss)
    assert roles[needed].role == "just written" and roles[needed].holds
    losses = sorted(role.loss for role in roles.values())
    assert losses[-1] > 2 * losses[-2]
    (stop,) = (stop for stop in STOPS if stop.place.head)
    site, head = needed
    kind = 1 + list(by_kind(trained.model.sites)).index((site.stack, site.kind))
    assert stop.place.head == (kind, site.layer + 1, head + 1)


@needs("shakespeare/learning.json")
def test_most_words_are_words_of_the_plays_after_some_hundred_steps():
    learning = learning_of(CHECKPOINTS / "shakespeare")
    known = {one.step: one.known for one in learning.snapshots}
    assert known[20] < 0.3 and known[200] > 0.75
    assert len(set(learning.snapshots[0].text)) == 1
    assert {one.tokens for one in learning.snapshots} == {4096 * step for step in known}
    levels = [level.loss for level in learning.levels]
    assert levels == sorted(levels, reverse=True) and learning.snapshots[-1].loss < levels[-1]


def test_what_a_head_is_worth_is_measured_for_every_head():
    trained = tiny_translator()
    n_heads = len(trained.model.sites) * trained.model.config.n_heads
    assert len(spared(trained, "speak")) == n_heads


@needs("shakespeare")
def test_most_parameters_of_a_layer_are_in_the_feed_forward_network(published):
    block = published.language_model.model.decoder.blocks[0]
    sizes = [
        sum(p.numel() for p in part.parameters())
        for part in (block.feed_forward, block.self_attention)
    ]
    assert 1.9 < sizes[0] / sizes[1] < 2.1


@needs("ablations/copy_task")
def test_without_positions_hardly_a_word_is_copied():
    study = Studies(CHECKPOINTS / "ablations").get("copy_task")
    ends = {end.name: end.mean for end in compare(study, "exact_match", "full")}
    assert ends["no_positions"] < 0.2
    assert all(ends[name] > 0.9 for name in ("full", "learned", "rotary", "alibi"))


@needs("ablations/shakespeare")
def test_only_alibi_guesses_as_well_as_ever_beyond_the_length_of_the_training(published):
    length, found = readers(published)
    assert length == 128 and len(found) == 5
    assert [one.encoding for one in found if one.holds(384, length)] == ["alibi"]
    assert [one.encoding for one in found if one.loss(384) is None] == ["learned"]
    assert all(one.loss(384) > one.loss(length) + 0.5 for one in found[:2])
