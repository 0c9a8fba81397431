"""What the tab of film reviews begins with."""

import functools
import json
from types import SimpleNamespace

import gradio as gr
import pytest
import torch
from tiny import tiny_classifier, write_tiny
from visits import Visit

from train.loop import fit_on_cpu
from transformer_core.checkpoint import weights_of
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.rivals import LSTMClassifier
from transformer_core.published import Models
from transformer_core.tasks.requests import InputError
from transformer_core.ui.followers import Followers
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.sentiment import rivals, sentiment
from transformer_core.ui.tabs.sentiment.section import text_follower


@pytest.mark.parametrize("answer", ["positive", "negative"])
def test_an_example_that_the_model_judges_wrongly_says_so(answer, monkeypatch):
    monkeypatch.setattr(sentiment, "classify", lambda *_: SimpleNamespace(label=answer))
    named = sentiment.named(SimpleNamespace(classifier=None))
    errs = {name.removesuffix(" (it errs)") for name in named if name.endswith(" (it errs)")}
    assert errs == {name for name, (_, meant) in sentiment.EXAMPLES.items() if meant != answer}
    assert list(named.values()) == [text for text, _ in sentiment.EXAMPLES.values()]


def test_a_section_is_blank_while_its_text_cannot_be_read():
    def draw(text, own):
        if not text:
            raise InputError("There is no text.")
        return [text, own]

    first, second, state = gr.HTML(), gr.HTML(), gr.State()
    follower = text_follower([first, second], draw, ["", None], own=[state])
    followers = Followers({"words": follower})
    assert followers.outputs == [first, second] and followers.own == [state]
    assert followers.draw("words", "Fine.", 1) == ["Fine.", 1]
    assert followers.draw("words", "", 1) == ["", None]


def test_it_is_counted_on_how_many_sentences_each_reader_agrees_with_the_report():
    head = ["sentence", "the report", "LSTM", "linear"]
    rows = [
        head,
        ["Fine.", "positive 85 %", "positive 90 %", "negative 60 %"],
        ["Dull.", "negative 70 %", "negative 90 %", "negative 60 %"],
    ]
    counted = "On how many of 2 sentences each agrees with the report: LSTM: 2; linear: 1."
    assert rivals.agreement(rows) == counted
    without = [row[:3] for row in rows]
    assert rivals.agreement(without) == "The answers are those of the report, on all 2 sentences."
    assert rivals.agreement([row[:2] for row in rows]) == "", "there is nobody to agree"


@pytest.fixture
def with_rivals(tmp_path):
    """The classifier and two of its rivals; a linear model was never trained."""
    torch.manual_seed(0)
    kinds = {rivals.TRANSFORMER.folder: EncoderClassifier, rivals.LSTM.folder: LSTMClassifier}
    for name, kind in {"sentiment": EncoderClassifier, **kinds}.items():
        write_tiny(tmp_path / name, tiny_classifier(kind))
    return Models(tmp_path)


def test_the_first_verdict_hears_a_rival_that_could_not_be_read_at_first(with_rivals):
    with gr.Blocks() as demo, gr.Tab("Sentiment") as opened:
        page = Page(with_rivals, opened, gr.State(), fit_on_cpu, gr.State())
        sentiment.build(page)

    def asked():
        visit = Visit(demo)
        visit.enter("review", sentiment.FIRST)
        rows = json.loads(visit.values[visit.find("verdict")._id]["nested"])["rows"]
        return [row["name"] for row in rows]

    damaged = with_rivals.folder / rivals.LSTM.folder / "config.json"
    whole = damaged.read_text()
    damaged.write_text("{")
    assert asked() == ["Transformer"]
    damaged.write_text(whole)
    assert asked() == ["Transformer", "LSTM"]


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "scores.json"])
def test_the_other_rivals_answer_beside_one_that_is_damaged(with_rivals, file):
    asked = functools.partial(rivals.answers, with_rivals)
    damaged = with_rivals.folder / rivals.LSTM.folder / file
    whole = damaged.read_text() if damaged.exists() else ""
    damaged.write_text("{")
    table, _, note = rivals.drawn(with_rivals, asked)
    assert "Transformer, report's protocol" in table["rows"][0]
    assert "sentiment_lstm" in note and "train.sentiment --preset linear" in note
    if whole:
        damaged.write_text(whole)
        assert "LSTM, report's protocol" in rivals.drawn(with_rivals, asked)[0]["rows"][0]


def test_scores_of_the_others_stand_beside_damaged_ones(with_rivals):
    whole, damaged = (with_rivals.folder / one.folder for one in (rivals.TRANSFORMER, rivals.LSTM))
    record = {"scores": {"accuracy": 0.88}, "weights": weights_of(whole)}
    (whole / "scores.json").write_text(json.dumps(record))
    (damaged / "scores.json").write_text("{")
    (damaged / "metrics.csv").write_text("run\n1\n")
    *_, note = rivals.drawn(with_rivals, functools.partial(rivals.answers, with_rivals))
    assert "Transformer **88.00" in note and "scores.json" in note and "metrics.csv" in note
