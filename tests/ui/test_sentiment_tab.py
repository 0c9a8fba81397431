"""What the tab of film reviews begins with."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.ui.app import build_app
from transformer_core.ui.tabs.sentiment import sentiment

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


@pytest.mark.parametrize("answer", ["positive", "negative"])
def test_an_example_that_the_model_judges_wrongly_says_so(answer, monkeypatch):
    monkeypatch.setattr(sentiment, "classify", lambda *_: SimpleNamespace(label=answer))
    named = sentiment.named(SimpleNamespace(classifier=None))
    errs = {name.removesuffix(" (it errs)") for name in named if name.endswith(" (it errs)")}
    assert errs == {name for name, (_, meant) in sentiment.EXAMPLES.items() if meant != answer}
    assert list(named.values()) == [text for text, _ in sentiment.EXAMPLES.values()]


def test_what_follows_a_text_has_one_listener():
    # of two that write one view the older answer could come last, and stay
    demo = build_app(Models(CHECKPOINTS), fit_on_cpu)

    def follows(listener):
        while listener.trigger_after is not None:
            listener = demo.fns[listener.trigger_after]
        return any(happening == "change" for _, happening in listener.targets)

    writers = Counter(
        output.elem_id
        for listener in demo.fns.values()
        if listener.fn is not None and follows(listener)
        for output in listener.outputs
    )
    views = ("verdict", "sentiment-flow", "words", "review-heads", "review-switches")
    assert {view: writers[view] for view in views} == dict.fromkeys(views, 1)
