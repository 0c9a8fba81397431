"""What the tab of film reviews begins with."""

from types import SimpleNamespace

import pytest

from transformer_core.ui.tabs.sentiment import rivals, sentiment


@pytest.mark.parametrize("answer", ["positive", "negative"])
def test_an_example_that_the_model_judges_wrongly_says_so(answer, monkeypatch):
    monkeypatch.setattr(sentiment, "classify", lambda *_: SimpleNamespace(label=answer))
    named = sentiment.named(SimpleNamespace(classifier=None))
    errs = {name.removesuffix(" (it errs)") for name in named if name.endswith(" (it errs)")}
    assert errs == {name for name, (_, meant) in sentiment.EXAMPLES.items() if meant != answer}
    assert list(named.values()) == [text for text, _ in sentiment.EXAMPLES.values()]


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
