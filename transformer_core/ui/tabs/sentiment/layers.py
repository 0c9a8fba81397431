"""The answer takes shape from layer to layer, and some heads carry more of it than others. The
lens reads [CLS] after every layer as if it were the last; the switches take heads away.
"""

from dataclasses import dataclass

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.knock_out import knock_out_class
from transformer_core.explain.roles import roles_of
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.tasks.classification import LABELS, Classification, classify
from transformer_core.tasks.lens import class_lens, settled_from
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.wording import percent
from transformer_core.ui.events import PRIVATE, QUEUED, QUIET, answering, answers_errors
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.tabs.sentiment.section import Drawn
from transformer_core.ui.views.meters import meters_value, meters_view
from transformer_core.ui.views.switches import (
    INVITATION,
    heads_named,
    heads_off,
    switches_value,
    switches_view,
    worth,
)

TITLE = "Layers"
POSITIVE = LABELS.index("positive")


@dataclass(frozen=True)
class Measured:
    """What the answer to one text loses without each head."""

    text: str
    damage: dict[Head, float]  # in points of the answer's probability


def lens(trained: Trained, found: Classification) -> dict:
    """The class lens as meters."""
    assert found.trace is not None, "classified without a trace"
    *before, last = class_lens(trained.model, found.trace)[:, POSITIVE].tolist()
    names = ["before layer 1", *(f"after layer {i + 1}" for i in range(len(before)))]
    settled = names[settled_from([*before, last])]
    summary = (
        f"It leans towards “{LABELS[last >= 0.5]}” from “{settled}” on. Before layer 1 [CLS] has "
        "seen no word yet."
    )
    return meters_value(zip(names, [*before, last], strict=True), summary)


def switched(
    trained: Trained,
    plain: Classification,
    off: tuple[Head, ...] = (),
    measured: Measured | None = None,
) -> dict:
    """The value of the head switches, with what each is worth if that was measured of the text.

    plain is the answer with every head.
    """
    text = plain.review.text
    damage = measured.damage if measured and measured.text == text else None
    label, before = plain.label, plain.probabilities[plain.label]
    sites, n_heads = trained.model.sites, trained.model.config.n_heads
    summary = INVITATION
    if damage:
        change = f"many points the probability of “{label}” ({percent(before, 1)}) changes"
        summary = worth(damage, roles_of(trained), change, 1)
    if off:
        trace = Trace(head_mask(trained.model, off), record=False)
        after = classify(trained, text, trace).probabilities[label]
        summary = (
            f"{heads_off(off, len(sites) * n_heads)}: the probability of “{label}” "
            f"goes from {percent(before, 1)} to {percent(after, 1)}."
        )
    quantity = f"probability of “{label}” in points"
    return switches_value(sites, n_heads, off, damage, [], summary, quantity)


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Drawn:
    """The lens above the switches; both are of the text that stands above, whatever was shown."""
    off = gr.State((), time_to_live=KEPT_FOR)
    measured = gr.State(None, time_to_live=KEPT_FOR)
    meters = meters_view("What it would say after each layer", elem_id="lens")
    switches = switches_view("Switch heads off", lasting=True, elem_id="review-switches")

    def draw(text):
        found = classify(models.classifier, text, Trace())
        return [(), lens(models.classifier, found), switched(models.classifier, found)]

    def toggle(text, measured, event: gr.EventData):
        trained = models.classifier
        off = heads_named(trained.model.sites, trained.model.config.n_heads, event.off)
        try:
            plain = classify(trained, text)
        except InputError:  # the verdict says why
            return (), None
        return off, answering(event, switched(trained, plain, off, measured))

    @answers_errors
    def try_each(text):
        trained = models.classifier
        plain = classify(trained, text)
        damage = knock_out_class(trained.model, plain.review.ids, LABELS.index(plain.label))
        return Measured(plain.review.text, {head: 100 * change for head, change in damage.items()})

    @answers_errors
    def show_worth(text, off, measured):
        plain = classify(models.classifier, text)
        return switched(models.classifier, plain, off, measured)

    switches.toggle(toggle, [review, measured], [off, switches], **QUIET)
    # in two steps, for heads may be switched, or the text may change, while it measures
    switches.knock(
        try_each, review, measured, show_progress_on=switches, **QUEUED, **PRIVATE
    ).success(show_worth, [review, off, measured], switches, **QUIET)
    return Drawn([off, meters, switches], draw, [(), None, None])
