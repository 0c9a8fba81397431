"""Several models that read ever more of a text: how well they guess, and what they write then."""

from collections.abc import Sequence

import gradio as gr
import numpy as np

from transformer_core.studies.longer import LONGER, Reader, ReadOn
from transformer_core.ui.encodings import said_of
from transformer_core.ui.views.shared import digits
from transformer_core.ui.views.view import player_bar, view

LATELY = 8  # shares of BIN positions each: the last 64 characters


def longer_view(title: str, **component) -> gr.HTML:
    """A chart with a wall in it, and a row for each model. Event: read {n, press}."""
    body = (
        '<p class="finding" role="status"></p><div class="longer-body">'
        '<div><p class="note">Nats a character, by the number of characters before it</p>'
        '<svg class="chart longer-chart" role="img"></svg></div>'
        '<div><p class="note longer-after"></p><div class="longer-models"></div></div></div>'
        + player_bar("Read on", "Characters read", 'class="longer-slider"')
        + '<p class="note">Strips: where the last character looked, over all that was read, mean '
        "of all heads and layers. The dice are the same for all. Losses are of held-out plays, the "
        "mean and the range of the seeds.</p>"
    )
    promise = "Models that read further than they were trained appear here."
    return view(
        "longer",
        title,
        body,
        ("svg", "csv"),
        scripts=("shared_charts",),
        promise=promise,
        **component,
    )


def longer_value(
    answers: Sequence[tuple[Reader, ReadOn | None]],
    text: str,
    summary: str,
    *,
    n: int,
    length: int,
    most: int,
) -> dict:
    """What longer.js draws: the text that was read, n characters of at most so many.

    length is that of the training.
    """
    return {
        "summary": summary,
        "text": text,
        "n": n,
        "length": length,
        "longest": LONGER * length,
        "most": most,
        "rows": [row(reader, found, n) for reader, found in answers],
    }


def row(reader: Reader, found: ReadOn | None, n: int) -> dict:
    """One model."""
    loss = reader.loss(n)
    return {
        "name": reader.encoding,
        "title": said_of(reader.encoding).title,
        "loss": None if loss is None else digits(loss),
        "points": points(reader),
        "writes": found and found.written,
        "looks": [] if found is None else [digits(x) for x in found.looks.tolist()],
        "lately": None if found is None else digits(found.looks[-LATELY:].sum().item()),
    }


def points(reader: Reader) -> list[list[float | None]]:
    """[characters before, mean, least and most of the seeds' losses] from left to right."""
    if reader.losses is None:
        return []
    values = reader.losses.values
    columns = reader.losses.steps, *(f(values, axis=0) for f in (np.mean, np.min, np.max))
    found = ([int(at), *map(digits, losses)] for at, *losses in zip(*columns, strict=True))
    return [point for point in found if None not in point]  # of a seed that diverged there is none
