"""What the tab of film reviews begins with."""

from types import SimpleNamespace

import gradio as gr
import pytest

from transformer_core.tasks.requests import InputError
from transformer_core.ui.followers import Followers
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
