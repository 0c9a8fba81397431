"""The answer takes shape from layer to layer, and some heads carry more of it than others. The
lens reads [CLS] after every layer as if it were the last; the switches take heads away.
"""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.knock_out import knock_out_class
from transformer_core.explain.roles import labelled, roles_of
from transformer_core.model.heads import Head, every_head, head_mask
from transformer_core.model.trace import Trace
from transformer_core.published import Models
from transformer_core.tasks.classification import LABELS, POSITIVE, Classification, classify
from transformer_core.tasks.lens import class_lens, settled_from
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import QUIET, answering, answers_errors, ended_by
from transformer_core.ui.followers import Follower
from transformer_core.ui.head_switches import (
    Measured,
    damage_to,
    heads_named,
    heads_off,
    wire_knock,
    worth,
)
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.tabs.sentiment.section import text_follower
from transformer_core.ui.views.meters import meters_value, meters_view
from transformer_core.ui.views.switches import INVITATION, switches_value, switches_view
from transformer_core.wording import sure

TITLE = "Layers"


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
    model, text = trained.model, plain.review.text
    heads, roles = every_head(model), roles_of(trained)
    damage = damage_to(text, measured)
    label, before = plain.label, plain.probabilities[plain.label]
    summary = INVITATION
    if damage:
        change = f"many points the probability of “{label}” ({sure(before)}) changes"
        summary = worth(damage, roles, change)
    if off:
        trace = Trace(head_mask(model, off), record=False)
        after = classify(trained, text, trace).probabilities[label]
        summary = (
            f"{heads_off(heads, off)}: the probability of “{label}” "
            f"goes from {sure(before)} to {sure(after)}."
        )
    quantity = f"probability of “{label}” in points"
    return switches_value(heads, off, damage, summary, quantity=quantity, roles=labelled(roles))


def build(models: Models, review: gr.Textbox, opened: gr.Tab) -> Follower:
    """The lens above the switches; both are of the text that stands above, whatever was shown."""
    off = gr.State((), time_to_live=KEPT_FOR)
    measured = gr.State(None, time_to_live=KEPT_FOR)
    meters = meters_view("What it would say after each layer", elem_id="lens")
    switches = switches_view("Switch heads off", lasting=True, elem_id="review-switches")

    def draw(text, measured):
        trained = models.classifier
        found = classify(trained, text, Trace())
        return [(), lens(trained, found), switched(trained, found, measured=measured)]

    @answers_errors
    def toggle(text, measured, event: gr.EventData):
        trained = models.classifier
        off = heads_named(every_head(trained.model), event.off)
        try:
            plain = classify(trained, text)
        except InputError:  # the verdict says why
            return (), None
        return off, answering(event, switched(trained, plain, off, measured))

    @answers_errors
    def try_each(text):
        trained = models.classifier
        plain = classify(trained, text)
        changes = knock_out_class(trained.model, plain.review.ids, LABELS.index(plain.label))
        points = {head: 100 * change for head, change in changes.items()}
        return Measured(plain.review.text, points)

    @answers_errors
    def show_worth(text, off, measured):
        plain = classify(models.classifier, text)
        return switched(models.classifier, plain, off, measured)

    pressed = [switches.toggle(toggle, [review, measured], [off, switches], **QUIET)]
    shown_worth = show_worth, [review, off, measured]
    pressed += wire_knock(switches, (try_each, review, measured), shown_worth)
    ended_by([review.change], pressed)  # they are about the text before
    return text_follower([off, meters, switches], draw, [(), None, None], own=[measured])
