"""What could be written next: sixteen threads, and what becomes of one that is taken."""

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.tasks.generation import (
    THREAD_LENGTH,
    Thread,
    agreed,
    continuations,
    score_continuation,
)
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import SPECIAL_TOKENS
from transformer_core.ui.events import is_count
from transformer_core.ui.tabs.generate.story import Branch, Story
from transformer_core.ui.views.garden import garden_value


def garden(trained: Trained, story: Story, position: int, sampling: Sampling, seed: float) -> dict:
    """What could stand from a position of the shown branch on."""
    branch = story.branch
    found = continuations(trained, branch.ids[:position], sampling, seed=seed)
    drawn = [one for one in found if not one.likeliest]
    summary = told(drawn, sampling.temperature)
    before = branch.text[:position]
    return garden_value(found, before, sampling.temperature, summary, identity=branch.identity)


def told(found: list[Thread], temperature: float) -> str:
    """How long the threads agree, in words."""
    n, n_ends = len(found), len({one.ids for one in found})
    if n_ends == 1:
        return f"At temperature {temperature:g} all {n} threads end in the same text."
    head, n_there = agreed(found)
    if not head.strip():
        return f"At temperature {temperature:g} the {n} threads end in {n_ends} different texts."
    some = f"all {n}" if n_there == n else f"{n_there} of {n}"
    return (
        f"At temperature {temperature:g}, {some} threads begin with “{' '.join(head.split())}”; "
        f"{'they' if n_there == n else f'all {n}'} end in {n_ends} different texts."
    )


def taken(trained: Trained, story: Story, event: gr.EventData) -> Story:
    """The story with a branch that goes on as a thread does; InputError for what is none."""
    branch, position, ids = story.branch, event.position, event.ids
    if not is_count(position, len(branch.tokens)) or position < 1:
        raise InputError(f"The text has no character {position!r}.")
    most = trained.tokenizer.vocab_size - 1
    known = isinstance(ids, list) and 0 < len(ids) <= THREAD_LENGTH
    if not known or not all(is_count(i, most) and i >= len(SPECIAL_TOKENS) for i in ids):
        raise InputError("That is not a way on.")
    said = tuple(score_continuation(trained, branch.ids[:position], ids))
    text = " ".join("".join(token.text for token in said).split())
    label = f"from {branch.number} at {position + 1}, “{text[:20]}{'…' * (len(text) > 20)}”"
    tokens = (*branch.tokens[:position], *said)
    new = Branch(
        story.next_number, label, tokens, min(branch.n_prompt, position), len(tokens), branch.number
    )
    return story.added(new)
