import json
from types import SimpleNamespace

import gradio as gr
import numpy as np
import pytest
import torch
from packed import unpack
from tiny import tiny_classifier

from transformer_core.explain.attribution import METHODS
from transformer_core.explain.counterfactuals import Flip
from transformer_core.explain.trial import CHANCE, put_on_trial
from transformer_core.model.heads import every_head
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import classify, read_review
from transformer_core.tasks.requests import InputError
from transformer_core.ui import head_switches
from transformer_core.ui.figures import classification
from transformer_core.ui.tabs.sentiment import layers, words
from transformer_core.ui.tabs.sentiment.trial import Tried, outdated, proceedings
from transformer_core.ui.tabs.sentiment.verdict import EMPTY, judged, pictured, remarks
from transformer_core.ui.views import heads, meters, trial
from transformer_core.ui.views.words import words_value
from transformer_core.wording import sure

SAID = "Speak to all of them, <b>hear</b> me"


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(1)
    return tiny_classifier()


@pytest.fixture(scope="module")
def tried(trained):
    *_, last = put_on_trial(trained, SAID)
    return last


@pytest.mark.parametrize("text", [SAID, "speak " * 100])
def test_of_a_review_the_beginning_and_the_end_are_sent_with_the_row_of_cls(text):
    trained = tiny_classifier(max_len=80)
    found = classify(trained, text, Trace())
    sites, n = trained.model.sites, len(found.review.ids)
    value = heads.attention_value(found, sites, "seen", rows=True, begin=True)
    (group,) = value["groups"]
    shown = [*range(heads.SHOWN_TOKENS - 1), n - 1] if n > heads.SHOWN_TOKENS else list(range(n))
    assert group["keys"] == group["queries"] == [found.review.tokens[i] for i in shown]
    assert (group["keys"][0], group["keys"][-1]) == ("[CLS]", "[EOS]")
    whole = torch.stack([found.trace.attention[site].weights[0] for site in sites])
    rows = unpack(group["rows"]).view(2, 4, n)
    torch.testing.assert_close(rows, whole[:, :, 0], atol=1e-4, rtol=0)
    maps = unpack(group["weights"]).view(2, 4, len(shown), len(shown))
    torch.testing.assert_close(maps, whole[:, :, shown][..., shown], atol=1e-4, rtol=0)


def test_the_trial_is_sent_with_the_visitors_words_and_every_score(tried):
    value = json.loads(json.dumps(trial.trial_value(tried, "told")))
    assert "".join(gap + own for gap, own in value["words"]) == SAID
    for sent, found in zip(value["methods"], tried.attributions, strict=True):
        assert sent["scores"] == pytest.approx(found.scores.tolist(), rel=1e-3)
        assert sent["area"] == pytest.approx(tried.areas[found.method], abs=1e-4)
        assert sent["curve"] == pytest.approx(tried.curves[found.method].tolist(), abs=1e-4)
    assert value["chance"] == pytest.approx(tried.curves[CHANCE].tolist(), abs=1e-4)
    assert value["few"] == tried.few and 0 < value["few"] < len(value["dropped"])
    assert value["label"] == tried.label
    assert value["dropped"] == pytest.approx(tried.dropped.tolist(), abs=1e-4)
    assert len(value["agreement"]) == METHODS
    for row, found in zip(value["agreement"], tried.correlation.tolist(), strict=True):
        assert row == pytest.approx(found, abs=1e-3)


def test_a_text_of_one_word_is_not_put_on_trial(trained):
    models = SimpleNamespace(classifier=trained)
    ((kept, said),) = proceedings(models, "Speak", Tried())
    assert kept == Tried() and "at least" in said["refusal"]


def test_of_a_trial_that_has_just_begun_there_are_no_curves_and_no_agreement_of_others(trained):
    first, *_ = put_on_trial(trained, SAID)
    value = json.loads(json.dumps(trial.trial_value(first, "told")))
    assert value["chance"] == [] and [m["curve"] for m in value["methods"]] == [[]]
    assert value["agreement"] == [[1.0]]


def test_of_methods_that_are_equally_faithful_none_is_ranked_before_the_other(tried):
    areas = tried.areas
    sent = {m["name"]: m["area"] for m in trial.trial_value(tried, "told")["methods"]}
    assert sent == {name: areas[name] for name in sent}, "rounded once, for the sentence as well"


def test_words_are_sent_with_what_was_done_to_the_words(trained):
    review = read_review(trained.tokenizer, SAID, 60)
    value = json.loads(json.dumps(words_value(review, {0: "", 2: None, 3: "my"}, "x")))
    assert value["edits"] == {"0": "", "2": None, "3": "my"}
    assert len(value["words"]) == len(review.words)


@pytest.mark.parametrize(
    "text, sentence", [("", EMPTY), (" ", EMPTY), (["a"], "Type a"), ("a" * 100_001, "at most")]
)
def test_a_text_that_cannot_be_read_leaves_a_sentence_and_no_picture(trained, text, sentence):
    models = SimpleNamespace(classifier=trained, unusable=lambda _: "there is none")
    verdict, doors = judged(models, text)
    assert list(verdict) == ["refusal"] and sentence in verdict["refusal"]
    assert pictured(models, text) is None
    assert doors["doors"] == []


def test_the_picture_is_the_way_of_the_words_into_cls(trained):
    found = classify(trained, SAID, Trace())
    value = pictured(SimpleNamespace(classifier=trained), SAID)
    (stack,), (out,) = value["stacks"], value["outs"]
    assert value["kind"] == "classify" and out["text"].strip() == found.label
    n = len(stack["tokens"]) + (stack["more"] is not None)  # and the row of all others
    last = len(found.trace.attention)
    assert len(stack["self"]) == last and len(out["lens"]) == last + 1
    for share in stack["self"]:
        sums = unpack(share).view(n, n).sum(-1)
        torch.testing.assert_close(sums, torch.ones(n), atol=n / 65535, rtol=0)


def test_a_trial_of_another_text_is_taken_away():
    assert all("__type__" in kept for kept in outdated("same", Tried("same")))
    assert all("__type__" in kept for kept in outdated("typed", Tried()))
    tried, rows = outdated("other", Tried("this one", whole=True))
    assert tried == Tried() and "has changed" in rows["refusal"]


def test_a_trial_that_is_over_is_not_held_again_and_one_that_was_stopped_is(trained):
    models = SimpleNamespace(classifier=trained)
    *before, (last, rows) = proceedings(models, SAID, Tried())
    assert before and not any(tried.whole for tried, *_ in before) and last == Tried(SAID, True)
    assert len(rows["methods"]) == METHODS
    assert list(proceedings(models, SAID, last)) == [gr.skip()]
    again, *_ = proceedings(models, SAID, Tried(SAID))
    assert again[0] == Tried(SAID)


def test_meters_keep_names_and_probabilities():
    value = meters.meters_value([("one", 0.25), ("two", 1.0)], "note")
    assert value["rows"] == [{"name": "one", "p": 0.25}, {"name": "two", "p": 1.0}]


@pytest.mark.parametrize(
    "edits", [None, [1], {"9": ""}, {"-1": ""}, {"x": ""}, {"0": 5}, {"0": ["a"]}, {"²": ""}]
)
def test_forged_edits_get_a_sentence(edits):
    with pytest.raises(InputError, match="no changes of words"):
        words.checked(edits, 9)


def test_edits_are_read_as_they_were_sent():
    assert words.checked({"0": "", "8": None, "3": "x"}, 9) == {0: "", 8: None, 3: "x"}


def test_a_search_for_a_flip_goes_on_from_what_was_done_to_the_words(trained):
    editor = words.Editor(SimpleNamespace(classifier=trained))
    done = {0: "my", 1: "", 2: None}
    steps = list(editor.find_flip(words.Edited(SAID, done), SAID))
    assert steps and all({**work.edits, **done}.keys() == work.edits.keys() for work, *_ in steps)
    last, *_ = steps[-1]
    found = {word for word, text in last.edits.items() if done.get(word) != text}
    assert found and 1 not in found, "what is gone already is not found again"
    assert {w: last.edits[w] for w in done if w not in found} == {
        w: text for w, text in done.items() if w not in found
    }


@pytest.mark.parametrize(
    ("probability", "flipped", "said"),
    [
        (0.49996, True, "no longer positive (just under 50 %)"),
        (0.4973, True, "no longer positive (49.7 %)"),
        (0.50004, False, "still just over 50 % positive"),
        (0.99996, False, "still > 99.9 % positive"),
    ],
)
def test_no_rounding_takes_an_answer_to_the_other_side(probability, flipped, said):
    told = words.told(Flip((1,), probability, flipped, done=True), "positive", ["good"])
    assert said in told.replace("\N{NO-BREAK SPACE}", " ")


def test_a_search_for_a_flip_needs_the_words_that_stand_there(trained):
    editor = words.Editor(SimpleNamespace(classifier=trained))
    assert list(editor.find_flip(words.Edited(SAID), f"{SAID} out")) == []
    n_words = len(editor.reading(SAID).words)
    with pytest.raises(InputError, match="No word is left"):
        list(editor.find_flip(words.Edited(SAID, dict.fromkeys(range(n_words), "")), SAID))


def test_what_is_done_to_the_words_of_a_text_that_was_left_is_left_too(trained):
    editor = words.Editor(SimpleNamespace(classifier=trained))
    work, *_ = editor.draw(SAID, words.Edited())
    edit = gr.EventData(None, {"edits": {"0": ""}, "press": 1})
    assert editor.edit(work, f"{SAID} out", edit) == gr.skip()
    assert editor.suggest(work, f"{SAID} out", gr.EventData(None, {"word": 0})) == gr.skip()
    changed, *_ = editor.edit(work, SAID, edit)
    assert (changed.text, changed.edits) == (SAID, {0: ""})
    assert editor.draw(SAID, changed)[0] == changed, "another section was open meanwhile"
    assert editor.draw(f"{SAID} out", changed)[0] == words.Edited(f"{SAID} out")


def test_a_confusion_has_what_was_meant_in_its_rows():
    figure = classification.confusion([[50, 3], [7, 40]], ["negative", "positive"])
    assert np.array(figure.data[0].z).tolist() == [[50, 3], [7, 40]]
    assert figure.data[0].zmax == 50
    assert figure.layout.yaxis.title.text == "meant"
    assert figure.layout.xaxis.title.text == "it says"
    assert list(figure.layout.yaxis.ticktext) == ["negative", "positive"]


def test_the_reliability_diagram_shows_every_bin():
    bins = [
        {"confidence": 0.6, "accuracy": 0.5, "n": 10},
        {"confidence": 0.9, "accuracy": 1, "n": 40},
    ]
    _, measured = classification.reliability(bins).data
    assert list(measured.x) == [0.6, 0.9] and list(measured.y) == [0.5, 1]
    assert list(measured.customdata) == [10, 40]


def test_what_was_not_read_or_known_is_said(trained):
    assert "score is a guess" in remarks(read_review(trained.tokenizer, "日本語", 60))
    told = remarks(read_review(trained.tokenizer, "speak " * 500, 60))
    assert "the model reads 58: the first 14 and the last 44" in told
    assert remarks(read_review(trained.tokenizer, SAID, 60)) == ""


def test_the_lens_says_where_the_answer_stays(trained):
    found = classify(trained, SAID, Trace())
    value = layers.lens(trained, found)
    assert [row["name"] for row in value["rows"]] == [
        "before layer 1",
        "after layer 1",
        "after layer 2",
    ]
    assert value["rows"][-1]["p"] == pytest.approx(found.probabilities["positive"], abs=1e-5)
    settled = next(
        row["name"] for row in value["rows"] if f"from “{row['name']}” on" in value["summary"]
    )
    sides = {row["name"]: row["p"] >= 0.5 for row in value["rows"]}
    names = list(sides)
    assert len({sides[name] for name in names[names.index(settled) :]}) == 1
    if settled != names[0]:
        assert sides[names[names.index(settled) - 1]] != sides[names[-1]]


def test_switched_off_heads_change_the_probability_that_is_told(trained):
    site = trained.model.sites[0]
    value = layers.switched(trained, classify(trained, SAID), ((site, 1),))
    found = classify(trained, SAID)
    mask = torch.tensor([[1.0, 0.0, 1.0, 1.0]])
    after = classify(trained, SAID, Trace({site: mask}, record=False)).probabilities[found.label]
    before = found.probabilities[found.label]
    assert f"from {sure(before)} to {sure(after)}" in value["summary"]


def test_heads_are_switched_off_for_the_text_that_stands_there(trained):
    with gr.Blocks() as demo, gr.Tab() as opened:
        review = gr.Textbox()
        layers.build(SimpleNamespace(classifier=trained), review, opened)
    handlers = {handler.name: handler for handler in demo.fns.values()}
    assert [handlers[name].inputs[0] for name in ("toggle", "try_each")] == [review, review]
    first = next(iter(every_head(trained.model)))
    pressed = gr.EventData(None, {"off": [head_switches.head_key(first)], "press": 2})
    off, value = handlers["toggle"].fn(SAID, None, pressed)
    assert off == (first,) and value == {
        **layers.switched(trained, classify(trained, SAID), off),
        "press": 2,
    }
    measured = handlers["try_each"].fn(SAID)
    assert handlers["show_worth"].fn(SAID, off, measured)["damage"]
    assert handlers["show_worth"].fn("Another one", off, measured)["damage"] is None
    assert handlers["toggle"].fn(" ", measured, pressed) == ((), None)


def test_of_what_a_page_says_is_off_only_heads_count(trained):
    every = every_head(trained.model)
    heads = [head_switches.head_key(head) for head in every]
    sent = [[heads[1]], None, 7, heads[2], "decoder-cross:9:9", heads[0]]
    found = head_switches.heads_named(every, sent)
    assert [head_switches.head_key(head) for head in found] == [heads[0], heads[2]]
    assert head_switches.heads_named(every, heads[0]) == ()
    assert head_switches.heads_off(every, found) == f"2 of {len(heads)} heads are off"
    assert head_switches.heads_off(every, found[:1]) == f"1 of {len(heads)} heads is off"
