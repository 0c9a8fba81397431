"""What the tab of film reviews begins with."""

from types import SimpleNamespace

import pytest

from transformer_core.ui.tabs.sentiment import sentiment


@pytest.mark.parametrize("answer", ["positive", "negative"])
def test_an_example_that_the_model_judges_wrongly_says_so(answer, monkeypatch):
    monkeypatch.setattr(sentiment, "classify", lambda *_: SimpleNamespace(label=answer))
    named = sentiment.named(SimpleNamespace(classifier=None))
    errs = {name.removesuffix(" (it errs)") for name in named if name.endswith(" (it errs)")}
    assert errs == {name for name, (_, meant) in sentiment.EXAMPLES.items() if meant != answer}
    assert list(named.values()) == [text for text, _ in sentiment.EXAMPLES.values()]
