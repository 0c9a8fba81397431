"""Two words of a text at other places: the pairs of their query and key, and the score."""

from collections.abc import Sequence

import gradio as gr

from transformer_core.studies.distance import Meeting
from transformer_core.ui.encodings import said_of
from transformer_core.ui.views.shared import pack_signed
from transformer_core.ui.views.view import player_bar, view

# places of the word that asks: both words stay within the length of the study's sentences, at most
# 57 pieces, beyond which a learned table knows nothing
FIRST, LAST = 16, 32
BEFORE, AFTER = 16, 24  # how far from it the other one can stand
PLACES = LAST + AFTER + 1


def distance_view(title: str, **component) -> gr.HTML:
    """Dials, and a curve over the distance. Event: meet {query, key, head, press}, another pair of
    words, or another head."""
    p, k = f'min="{FIRST}" max="{LAST}" value="20"', f'min="{-BEFORE}" max="{AFTER}" value="2"'
    other = (
        f'<label>Distance <input type="range" {k} class="distance-k">'
        '<output aria-live="off"></output></label>'
    )
    body = (
        '<p class="finding" role="status"></p>'
        '<div class="distance-choice" role="group" aria-label="the words and the head"></div>'
        + player_bar("Walk on", "Place", f'{p} class="distance-p"', other)
        + '<div class="distance-body"><div>'
        '<p class="title distance-pairs"></p><svg class="chart distance-dials" role="img"></svg>'
        '<p class="note">Hands: a pair of channels of the query and of the key. Bar: what the '
        'pair adds to the score.<span class="distance-turns"> ↻ Places in which it turns once.'
        "</span></p>"
        "</div>"
        '<div><p class="title distance-about"></p>'
        '<svg class="chart distance-chart" role="img"></svg>'
        '<p class="note distance-lines"></p></div></div>'
    )
    promise = "Two words of the sentence appear here, at places that you choose."
    scripts = ("shared_charts", "distance_dials", "distance_curve")
    return view(
        "distance", title, body, ("svg", "csv"), scripts=scripts, promise=promise, **component
    )


def distance_value(
    met: Meeting,
    tokens: Sequence[str],
    *,
    encoding: str,
    query: int,
    key: int,
    head: int,
    heads: int,
    chosen: str,
) -> dict:
    """What distance.js draws.

    query and key are the tokens that meet, by their numbers. chosen says these and the head as an
    address does; nothing if they are those that meet at first.
    """
    vectors = [met.queries, met.keys]
    limit = max(vector.abs().max().item() for vector in vectors) or 1.0
    most = met.scores.abs().max().item() or 1.0
    return {
        "encoding": encoding,
        "title": said_of(encoding).title,
        "does": said_of(encoding).does,
        "tokens": tokens,
        "query": query,
        "key": key,
        "head": head,
        "chosen": chosen,
        "heads": heads,
        "channels": met.queries.size(1),
        "limit": limit,
        "queries": pack_signed(met.queries / limit),
        "keys": pack_signed(met.keys / limit),
        "scale": met.scale,
        "most": most,
        "scores": pack_signed(met.scores / most),
        "periods": [] if met.periods is None else met.periods.tolist(),
    }
