"""An encoder reads English, a decoder writes German, and a search weighs what it could say.

Type, and see the translation appear; then ask why: which words it looked at, what else it
considered, and what happens when a word is forced or a head is switched off. Every number comes
from a model of our own, written in plain tensor operations and trained by the scripts beside it.
The percentages beside the picture say how much of a word came from which other, through all layers
(ALTI in the encoder, across both stacks ALTI+; Ferrando et al. 2022): where it came from, not why.
"""

import gradio as gr
from gradio.events import Dependency

from transformer_core.ui.address import Addressed
from transformer_core.ui.events import MODEL, QUEUED, QUIET, after_any, ended_by
from transformer_core.ui.followers import Follower, Followers, open_section, while_open
from transformer_core.ui.head_switches import wire_knock
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.translate.handlers import Handlers
from transformer_core.ui.tabs.translate.layout import Parts, lay_out

TITLE = "Translate"


def build(page: Page) -> Addressed | None:
    """Lay out the tab and wire it."""
    if absent := page.models.absent("translation"):
        gr.Markdown(absent)
        return None
    parts = lay_out()
    handlers = Handlers(page.models, parts)
    pressed = wire_views(parts, handlers)
    wire_text(page, parts, handlers, pressed)
    gr.api(handlers.translate_text, api_name="translate", **QUEUED)
    settings = {"beam": parts.beam, "penalty": parts.penalty}
    return Addressed(parts.sections, parts.english, None, settings, parts.kept, eager=True)


def wire_text(page: Page, parts: Parts, handlers: Handlers, pressed: list[Dependency]) -> None:
    """Answer typing, sliders and addresses; whatever was pressed before is cancelled."""
    typed = [parts.work, *parts.states, *parts.search]
    # change, not input: an example that is pressed and a text that is pasted count as typed too;
    # of the settings input, for an address changes them together with the text
    changed = [parts.english.change, parts.beam.input, parts.penalty.input]
    ended_by(changed, pressed)
    changed += [parts.english.submit, page.restored.change]
    # the address hears of a text before it is translated
    after_any(changed, handlers.typed, typed, parts.shown, **QUIET)


def wire_views(parts: Parts, handlers: Handlers) -> list[Dependency]:
    """What is pressed in the translation and in the sections. -> what changes the translation"""
    heads = Follower([parts.heads], lambda work: [handlers.show_heads(work)])
    worth = Follower([parts.switches], lambda *now: [handlers.show_worth(*now)], [parts.measured])
    followers = Followers({"heads": heads, "switch-off": worth})
    section = open_section(parts.sections, followers.parts)
    follow_the_work(parts, section, followers)
    work, shown, stands = parts.work, parts.shown, [parts.work, *parts.search]
    numbered = [work, parts.sentences, *parts.search]
    pressed = [
        parts.sentences.input(handlers.pick_sentence, numbered, shown, **QUIET),
        parts.german.branch(handlers.pick_piece, stands, shown, **QUIET),
        parts.picture.force(handlers.pick_piece, stands, shown, **QUIET),
        parts.tree.force(handlers.pick_node, stands, shown, **QUIET),
    ]
    parts.picture.attend(handlers.attend, work, parts.weights, **QUIET)
    switches, measured = parts.switches, parts.measured
    asked = [work, measured, *parts.search]
    toggled = switches.toggle(handlers.toggle, asked, [*shown, switches], **QUIET)
    # its answer holds the switches; another section may have been opened meanwhile
    show_heads = while_open("heads", handlers.show_heads)
    toggled.success(show_heads, [section, work], parts.heads, **QUIET)
    shown_worth = handlers.show_worth, [work, measured]
    wire_knock(switches, (handlers.try_each, work, measured), shown_worth)
    parts.report_opened.select(handlers.open_report, None, parts.report, **MODEL)
    return [*pressed, toggled]


def follow_the_work(parts: Parts, section: gr.State, followers: Followers) -> None:
    """The section that is open shows the work as it is at that moment: of two events that run at
    once, neither may show a stale state."""
    changes, inputs = [section.change, parts.redraw.change], [section, parts.work, *followers.own]
    gr.on(changes, followers.draw, inputs, followers.outputs, **QUIET)
