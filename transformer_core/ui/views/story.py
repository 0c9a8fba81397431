"""A text that a model writes, growing at a pace one can follow."""

from collections.abc import Sequence

import gradio as gr

from transformer_core.tasks.requests import Token
from transformer_core.ui.views.tokens import token_line
from transformer_core.ui.views.view import view

PACES = ("5", "20", "60", "instant")  # characters a second


def story_view(title: str, empty: str, **component) -> gr.HTML:
    """A text that grows. It tells the views beside it, in the browser, which token is looked at.

    Events: more {id, have, n} asks for tokens, stop {id, shown} gives up what was not yet shown,
    look {id, position} says that a token was pressed or, with None, that it was released or that
    nothing grows any more.
    """
    paces = "".join(
        f'<label><input type="radio" name="story-pace" value="{pace}"><span>{pace}</span></label>'
        for pace in PACES
    )
    body = (
        '<span class="tokens-key story-key"><i></i> surprising</span>'
        '<div class="story-bar"><span class="story-back">'
        '<button type="button" class="way" data-do="undo" hidden>Undo</button>'
        '<button type="button" class="way" data-do="best" hidden>Back to the first</button></span>'
        '<span class="story-pace segmented" role="radiogroup" '
        f'aria-label="Characters a second">{paces}</span>'
        '<button type="button" data-do="stop" class="story-stop" disabled>Stop</button></div>'
        '<div class="story-text" tabindex="0" role="textbox" aria-readonly="true" '
        f'aria-multiline="true" aria-label="{title}" data-empty="{empty}"></div>'
        '<p class="story-refusal" role="alert" hidden></p><p class="heard" role="status"></p>'
    )
    return view("story", title, body, ("csv",), **component)


def story_value(
    tokens: Sequence[Token],
    *,
    identity: str,
    title: str,
    n_prompt: int,
    goal: int,
    first: int = 0,
    undo: str = "",
    best: str = "",
) -> dict:
    """What story.js draws: the tokens from `first` on of a text that shall have `goal` of them.

    undo and best are the addresses of the text that it branched from, and of the first of all.
    """
    return {
        "id": identity,
        "title": title,
        "prompt": n_prompt,
        "goal": goal,
        "first": first,
        "undo": undo,
        "best": best,
        "lines": "".join(map(token_line, tokens[first:])),
    }
