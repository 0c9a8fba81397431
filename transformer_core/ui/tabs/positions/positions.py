"""Attention by itself sees a bag of tokens; these are four ways to tell it where each one stands.

Where it sees the whole text, and nothing tells positions, shuffled tokens give the same vectors,
shuffled. (A causal mask alone already gives some order away: a token sees how many come before.)
Every figure is drawn by calling the code that the models use. d_model is how many numbers,
called channels, stand for a token.
"""

import gradio as gr

from transformer_core.ui.address import Addressed, Kept
from transformer_core.ui.events import MODEL, QUIET, after_any
from transformer_core.ui.followers import Follower, Followers, open_section, while_open
from transformer_core.ui.page import KEPT_FOR, Page
from transformer_core.ui.place import IDS, spelled
from transformer_core.ui.tabs.positions.distance import Distance
from transformer_core.ui.tabs.positions.drawings import (
    draw_all,
    draw_figure,
    draw_rotation,
    draw_similarity,
)
from transformer_core.ui.tabs.positions.layout import Layout, lay_out
from transformer_core.ui.tabs.positions.longer import Longer
from transformer_core.ui.tabs.positions.shuffle import Ordered, Shuffling

TITLE = "Positional encodings"
SHUFFLE, LONGER, DISTANCE = "shuffle", "longer", "distance"  # the sections that ask models


def build(page: Page) -> Addressed:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    here = lay_out()
    followers = followers_of(here)
    section = open_section(here.sections, [*followers.parts, SHUFFLE, LONGER, DISTANCE])
    wire(page, here, section, followers)
    shuffle_words(page, here, section)
    read_longer(page, here, section)
    let_meet(page, here, section)
    sizes = {"d_model": here.d_model, "length": here.length, "base": here.base}
    sizes |= {"position": here.position, "p": here.p, "k": here.k}
    texts = {"meeting": here.met_text, "long": here.long_text}
    kept = {"words": Kept(here.met, spelled(IDS))}
    return Addressed(here.sections, here.sentence, here.encoding, sizes, kept, texts=texts)


def followers_of(here: Layout) -> Followers:
    """What the sections show that follow the sliders."""
    return Followers(
        {
            "similarity": Follower([here.similarity, here.row], draw_similarity, [here.position]),
            "rotation": Follower(
                [here.clocks, here.matrix, here.proof], draw_rotation, [here.p, here.k]
            ),
            "all-five": Follower([here.all_five], draw_all),
        }
    )


def wire(page: Page, here: Layout, section: gr.State, followers: Followers) -> None:
    """The figure follows its sliders, and so does the section that is open."""
    sizes = [here.d_model, here.length, here.base]
    changes = [page.opened.select, *(size.change for size in sizes)]
    after_any(
        [*changes, here.encoding.input, page.restored.change],
        draw_figure,
        [here.encoding, *sizes],
        here.figure,
        **QUIET,
    )
    after_any(
        [here.length.change, here.position.change],
        within,
        [here.length, here.position],
        here.position,
        **QUIET,
    )
    after_any(
        [*changes, section.change, *(one.change for one in (here.position, here.p, here.k))],
        followers.draw,
        [section, *sizes, *followers.own],
        followers.outputs,
        **QUIET,
    )


def within(length: float, at: float) -> float | dict:
    """The last position there is, for one beyond it."""
    return length - 1 if at >= length else gr.skip()


def begins(page: Page, *asked: gr.State | gr.Textbox | gr.Radio) -> list:
    """Events that restart a section that asks models: opening the tab, an address, its inputs."""
    return [page.opened.select, page.restored.change, *(one.change for one in asked)]


def shuffle_words(page: Page, here: Layout, section: gr.State) -> None:
    """The words follow the sentence, and the models the words."""
    shuffling = Shuffling(page.models)
    asked = section, here.sentence
    left = gr.State(Ordered(), time_to_live=KEPT_FOR)
    shows = [here.orders, left]
    begin = while_open(SHUFFLE, shuffling.begin)
    after_any(begins(page, *asked), begin, [*asked, left], here.orders, **QUIET)
    here.orders.order(shuffling.move, here.sentence, shows, **QUIET)
    here.orders.answers(
        shuffling.try_every,
        here.sentence,
        shows,
        trigger_mode="always_last",
        show_progress_on=here.orders,
        **MODEL,
    )


def read_longer(page: Page, here: Layout, section: gr.State) -> None:
    """The models follow the text, and how much of it they are to read."""
    reading = Longer(page.models)
    asked = section, here.long_text
    begin = while_open(LONGER, reading.begin)
    after_any(begins(page, *asked), begin, [*asked], here.longer, **QUIET)
    here.longer.read(reading.read, here.long_text, here.longer, **QUIET)


def let_meet(page: Page, here: Layout, section: gr.State) -> None:
    """Two words meet, and others when they are pressed."""
    meeting = Distance(page.models)
    asked, shows = (section, here.encoding, here.met_text), [here.distance, here.met]
    begin = while_open(DISTANCE, meeting.begin)
    after_any(begins(page, *asked), begin, [*asked, here.met], here.distance, **QUIET)
    here.distance.meet(meeting.meet, [*asked[1:]], shows, **QUIET)
