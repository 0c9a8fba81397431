"""The Inside tab opens every model, also one that is being trained in the live lab."""

from itertools import islice

import gradio as gr
import pytest
import torch
from tiny import tiny_classifier, write_tiny

from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.lab.plans import Choice, Plan
from transformer_core.lab.training import Training
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.inside import inside
from transformer_core.ui.tabs.inside.shown import closed, lines_of, through_the_lens
from transformer_core.ui.tabs.inside.visit import LAB, nodes_of

SMALL = Choice(n_layers=1, d_model=16, d_ff=16, learning_rate=0.02)
PLAN = Plan(length=4, letters=3, steps=75, choices=(SMALL, Choice(n_layers=1, norm="none")))
OURS, RIVAL = LAB
BLANK = ("", "", 1)  # nothing written, no part, the first head


def handlers_of(folder) -> dict:
    """The tab's event handlers by name."""
    with gr.Blocks() as demo, gr.Tab("Inside") as opened:
        inside.build(Page(Models(folder), opened, gr.State(), fit_on_cpu, gr.State()))
    return {event.name: event.fn for event in demo.fns.values()}


@pytest.fixture(scope="module")
def handlers(tmp_path_factory):
    """Those of a tab with one checkpoint."""
    torch.manual_seed(0)
    folder, tiny = tmp_path_factory.mktemp("checkpoints"), tiny_classifier()
    write_tiny(folder / "sentiment", tiny)
    return handlers_of(folder)


@pytest.fixture
def training():
    """Two models after 30 steps, with more to come."""
    training = Training(fit_on_cpu, PLAN)
    for _ in islice(training.run(), 30):
        pass
    return training


def numbers(stages: dict) -> list[str]:
    return [panel["values"] for panel in stages["panels"]]


def test_a_model_in_training_is_opened_with_everything_that_others_have(handlers, training):
    visit, drawing, part, number, *_ = handlers["look_inside"](OURS, "cab", *BLANK[1:], training)
    lines, lens = lines_of(visit), through_the_lens(visit)
    learner = training.learners[0]
    assert f"step {training.step}" in drawing["summary"]
    assert f"{learner.model.n_parameters:,} parameters" in drawing["summary"]
    assert visit.reading.tokens["encoder"] == ["C", "A", "B", "[EOS]"]
    assert "cross-attention, head 1 of 2" in part["title"] and number == closed(visit)
    where, line = part["panels"][0]["code"]
    assert line.startswith("query = ") and where.startswith("transformer_core/model/attention.py, ")
    assert lines["parts"] and len(lens["layers"]) == 2
    pressed = gr.EventData(None, {"key": "encoder:0:self:attention"})
    assert handlers["pick"](visit, OURS, "cab", pressed) != gr.skip(), "as it was typed"
    _, rival, *_ = handlers["look_inside"](RIVAL, "cab", *BLANK[1:], training)
    assert rival["summary"].startswith("B: normalisation none")


def test_the_first_part_and_the_last_are_known(handlers):
    visit, *_ = handlers["look_inside"]("sentiment", "Speak", *BLANK[1:], None)
    keys = list(nodes_of(visit.trained, visit.reading))
    ends = []
    for key in keys:
        pressed = gr.EventData(None, {"key": key})
        visit, part, *_ = handlers["pick"](visit, *visit.asked[:2], pressed)
        ends.append((part["first"], part["last"]))
    assert ends == [(True, False), *[(False, False)] * (len(keys) - 2), (False, True)]


def test_what_was_opened_stays_that_model_while_it_goes_on_learning(handlers, training):
    visit, _, before, *_ = handlers["look_inside"](OURS, "CAB", *BLANK[1:], training)
    again = gr.EventData(None, {"key": visit.key})
    for _ in islice(training.run(), 5):
        pass
    assert numbers(handlers["pick"](visit, OURS, "CAB", again)[1]) == numbers(before)
    _, _, after, *_ = handlers["look_inside"](OURS, "CAB", *BLANK[1:], training)
    assert numbers(after) != numbers(before)
    training.forget()
    assert numbers(handlers["pick"](visit, OURS, "CAB", again)[1]) == numbers(before)


def test_the_open_section_follows_what_is_open(handlers):
    visit, *_ = handlers["look_inside"]("sentiment", "Speak to all", *BLANK[1:], None)
    skip = gr.skip()
    assert handlers["draw"]("all-stages", visit) == [skip, skip], "the part hands them over"
    assert handlers["draw"]("code", visit) == [lines_of(visit), skip]
    _, lens = handlers["draw"]("logit-lens", visit)
    assert list(lens) == ["refusal"] and "predicts no tokens" in lens["refusal"]
    assert handlers["draw"]("code", None) == [None, skip]


def test_without_a_training_a_sentence_says_where_to_start_one(handlers):
    for name in (OURS, RIVAL):
        text, visit, drawing, *others = handlers["change_model"](name, "CAB", None)
        assert (text, visit, others[:2]) == ("CAB", None, [None] * 2)
        assert drawing == {"refusal": LAB[name]}
        *looked, _, doors, _, _, _ = handlers["look_inside"](name, "CAB", *BLANK[1:], None)
        assert looked == [None, drawing, None, None]
        assert doors["doors"] == [["Open in Live lab", "tab=lab"]]
    alone = Training(fit_on_cpu, Plan(length=4, letters=3, choices=(SMALL,)))
    assert handlers["change_model"](RIVAL, "CAB", alone)[2] == {"refusal": LAB[RIVAL]}


def test_a_part_of_the_lab_s_model_stays_open_while_one_types_and_where_one_comes_back(
    handlers, training
):
    part = "decoder:0:self:attention"
    _, visit, *_ = handlers["arrive"](OURS, "CAB", "", part, 2, None, training)
    assert (visit.key, visit.head) == (part, 1)
    visit, *_, key, head = handlers["follow"](OURS, "CABA", "", part, 2, visit, training)
    assert (visit.asked.text, key, head) == ("CABA", part, 2)
    *_, key, head = handlers["arrive"](OURS, "CABA", "", key, head, visit, training)
    assert (key, head) == (part, 2)


def test_a_text_that_the_lab_cannot_read_makes_room_for_its_example(handlers, training):
    for text, kept in (("ba", "BA"), ("To be, or not to be", training.toy.example)):
        assert handlers["change_model"](OURS, text, training)[0] == kept
    assert "knows A B C" in handlers["look_inside"](OURS, "ABX", *BLANK[1:], training)[1]["refusal"]


def test_who_comes_back_finds_the_lab_as_it_is_now_and_a_checkpoint_as_he_left_it(
    handlers, training
):
    _, visit, *_ = handlers["change_model"](OURS, "CAB", training)
    training.advance()
    _, _, drawing, *_ = handlers["arrive"](OURS, "CAB", *BLANK, visit, training)
    assert f"step {training.step}" in drawing["summary"]
    text, visit, drawing, *_ = handlers["change_model"]("sentiment", "CAB", training)
    assert "EncoderClassifier" in drawing["summary"]
    left = handlers["arrive"]("sentiment", text, *BLANK, visit, training)
    assert left == gr.skip()


def test_who_leaves_the_box_of_models_keeps_what_is_open(handlers, training):
    _, visit, *_ = handlers["change_model"]("sentiment", "CAB", training)
    pressed = gr.EventData(None, {"key": "encoder:1:self:attention"})
    visit, *_ = handlers["pick"](visit, *visit.asked[:2], pressed)
    assert handlers["change_model"](*visit.asked[:2], training, visit) == gr.skip()
    assert handlers["change_model"](OURS, "CAB", training, visit)[1].asked.name == OURS
    again = handlers["change_model"]("sentiment", "Speak", training, visit)
    assert again[1].asked.text == "Speak", "a text whose answer did not come"


def test_a_text_that_was_typed_stays_if_the_next_model_reads_it(handlers, training):
    for text in ("Speak to all", "word " * 300, "Speak, 日", "", training.toy.example):
        kept, visit, *_ = handlers["change_model"]("sentiment", text, training)
        assert kept == ("Speak to all" if text == "Speak to all" else inside.EXAMPLES["sentiment"])
        assert visit.asked[:2] == ("sentiment", kept)


def test_a_text_that_came_with_an_address_is_looked_into_or_the_reason_is_said(handlers):
    text, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    assert text == "Speak to all" and visit.reading.ids["encoder"]
    _, other, *_ = handlers["arrive"]("sentiment", "Speak", *BLANK, visit, None)
    assert other.reading != visit.reading
    _, none, drawing, *_ = handlers["arrive"]("sentiment", "word " * 300, *BLANK, visit, None)
    assert none is None and "at most" in drawing["refusal"]


def test_an_address_opens_a_part_and_a_head_and_one_that_is_not_there_is_the_first(handlers):
    asked = ("sentiment", "Speak to all")
    _, first, *_ = handlers["arrive"](*asked, *BLANK, None, None)
    for kept in (("", "encoder:0:self:attention", 2), ("", "encoder:embedding", 1)):
        _, visit, drawing, *_, doors, written, part, head = handlers["arrive"](
            *asked, *kept, None, None
        )
        assert drawing["chosen"] == part
        assert (written, part, head) == kept and visit.key == part and visit.head == head - 1
        assert doors["kept"] == {"written": written, "part": part, "head": head}
    for kept in (("", "decoder:0:cross:attention", 1), ("", first.key, 99)):
        _, visit, *_, part, head = handlers["arrive"](*asked, *kept, None, None)
        assert (visit.key, visit.head, part, head) == (first.key, 0, "", 1)


def test_a_text_that_is_typed_keeps_the_part_that_is_open_and_no_answer_to_another(handlers):
    text, part = "Speak to all", "encoder:1:self:attention"
    _, visit, *_ = handlers["arrive"]("sentiment", text, "", part, 2, None, None)
    told = ("", part, 2)
    same = handlers["follow"]("sentiment", text, *told, visit, None)
    assert same == gr.skip()
    visit, drawing, *_, key, head = handlers["follow"]("sentiment", "Speak", *told, visit, None)
    assert visit.asked.text == "Speak" and (key, head) == (part, 2)
    visit, drawing, *_, doors, written, key, head = handlers["follow"](
        "sentiment", " ", *told, visit, None
    )
    assert visit is None and "type a text" in drawing["refusal"]
    assert doors["doors"] == [], "a text of nothing would replace another"
    assert (written, key, head) == told, "a moment without a text"
    visit, *_ = handlers["follow"]("sentiment", "Sp", *told, visit, None)
    assert (visit.asked.text, visit.key, visit.head) == ("Sp", part, 1)


def test_a_part_that_is_pressed_is_kept_and_its_head_goes_home(handlers):
    _, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    pressed = gr.EventData(None, {"key": "encoder:1:self:attention"})
    visit, *_, doors, written, part, head = handlers["pick"](
        visit, "sentiment", "Speak to all", pressed
    )
    assert (written, part, head) == ("", "encoder:1:self:attention", 1)
    (name, home), *_ = doors["doors"]
    assert name == "Open in Sentiment" and "review-heads=1.2.1" in home
    left = handlers["arrive"]("sentiment", "Speak to all", written, part, head, visit, None)
    assert left == gr.skip()


def test_what_is_pressed_below_a_text_that_was_left_is_left_too(handlers):
    _, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    acts = {
        "pick": {"key": "encoder:1:self:attention"},
        "pick_head": {"head": 1},
        "unfold": {"part": visit.key, "cell": ["softmax", 1, 0, 0], "press": 1},
    }
    for name, data in acts.items():
        act, event = handlers[name], gr.EventData(None, data)
        assert act(visit, "sentiment", "Speak to", event) == gr.skip()
        assert act(visit, OURS, "Speak to all", event) == gr.skip()
        assert act(visit, "sentiment", "Speak to all", event) != gr.skip()


def test_who_looks_again_keeps_the_part_that_is_open(handlers):
    text, part = "Speak to all", "encoder:1:self:attention"
    *_, key, head = handlers["look_inside"]("sentiment", text, part, 2, None)
    assert (key, head) == (part, 2)
    visit, *_, key, head = handlers["look_inside"]("sentiment", "Sp", part, 2, None)
    assert (visit.asked.text, key, head) == ("Sp", part, 2)


def test_a_model_whose_numbers_are_none_any_more_is_explained(handlers, training):
    for parameter in training.learners[0].model.parameters():
        parameter.data.fill_(float("nan"))
    _, drawing, *others = handlers["look_inside"](OURS, "CAB", *BLANK[1:], training)
    assert "beyond what can be computed" in drawing["refusal"] and others[:2] == [None] * 2
    assert handlers["change_model"](OURS, "CAB", training)[2] == drawing


def test_without_any_checkpoint_the_lab_can_still_be_opened(tmp_path, training):
    handlers = handlers_of(tmp_path)
    assert handlers["arrive"](OURS, None, *BLANK, None, None)[2] == {"refusal": LAB[OURS]}
    assert "step 29" in handlers["change_model"](OURS, None, training)[2]["summary"]


def test_a_model_that_does_not_exist_is_refused(handlers):
    for name in ("", "../../etc", None):
        with pytest.raises(gr.Error, match="no model"):
            handlers["look_inside"](name, "CAB", *BLANK[1:], None)


def number_of(handlers, visit, cell, press=None, part=None):
    """The value of the view for a number that is pressed, of the part that is open or another."""
    stands = visit.asked[:2] if visit else ("sentiment", "Speak to all")
    part = part or (visit.key if visit else "")
    event = gr.EventData(None, {"part": part, "cell": cell, "press": press})
    return handlers["unfold"](visit, *stands, event)


def test_a_number_is_opened_and_its_factors_are_in_turn(handlers):
    _, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    found = number_of(handlers, visit, ["softmax", 1, 0, 0], 7)
    assert found["name"].startswith("weight of “") and "for “[CLS]”" in found["name"]
    assert "share of" in found["said"] and found["press"] == 7
    assert number_of(handlers, visit, ["softmax", 1, 0, 0], part="encoder:0:norm") == gr.skip()
    shares, total = [term[1] for term in found["terms"]], found["total"]
    assert found["steps"][-1][1] == pytest.approx(shares[found["own"]] / total, rel=1e-4)
    (_, cell), *_ = found["terms"][found["own"]][2]
    score = number_of(handlers, visit, [*cell])
    assert score["name"].startswith("score of “") and score["press"] is None
    assert f"{len(score['terms'])} products" in score["said"]
    (_, query), (_, key) = score["terms"][0][2]
    assert (query.panel, key.panel) == ("query", "key")
    made = number_of(handlers, visit, [*query])
    assert made["name"].startswith("query of “") and made["others"][0] > 0 and not made["note"]


def test_what_is_hidden_by_a_mask_says_so(handlers, training):
    _, visit, *_ = handlers["change_model"](OURS, "CAB", training)
    pressed = gr.EventData(None, {"key": "decoder:0:self:attention"})
    visit, *_ = handlers["pick"](visit, OURS, "CAB", pressed)
    hidden = number_of(handlers, visit, ["masked", 0, 1, 0])
    assert hidden["steps"][-1] == ["hidden by the mask", None] and "softmax" in hidden["said"]
    share = number_of(handlers, visit, ["softmax", 0, 1, 0])
    assert share["steps"][-1][1] == 0 and "is hidden here" in share["said"]
    first = number_of(handlers, visit, ["softmax", 0, 0, 0])["said"]
    assert "the only one that is not hidden" in first
    second = number_of(handlers, visit, ["softmax", 1, 0, 0])["said"]
    assert "Of the 2 that are not hidden" in second


@pytest.mark.parametrize(
    "cell",
    [
        None,
        "softmax",
        ["softmax"],
        ["softmax", 0, 0],
        ["softmax", -1, 0, 0],
        ["softmax", 0, 999, 0],
        ["softmax", 0, 0, 99],
        ["nothing", 0, 0, 0],
        ["softmax", "0", 0, 0],
        [{"a": 1}, 0, 0, 0],
    ],
    ids=str,
)
def test_a_number_that_is_not_there_is_refused(handlers, cell):
    _, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    with pytest.raises(gr.Error, match=r"no (such )?number"):
        number_of(handlers, visit, cell)


def test_a_number_that_another_part_made_says_so(handlers):
    _, visit, *_ = handlers["arrive"]("sentiment", "Speak to all", *BLANK, None, None)
    with pytest.raises(gr.Error, match="press Look inside"):
        number_of(handlers, None, ["softmax", 0, 0, 0])
    pressed = gr.EventData(None, {"key": "encoder:0:self:add"})
    visit, *_ = handlers["pick"](visit, "sentiment", "Speak to all", pressed)
    with pytest.raises(gr.Error, match="another part"):
        number_of(handlers, visit, ["update", 0, 0, 0])
