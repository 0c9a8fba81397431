"""One visitor's texts, and what the Generate tab shows of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import gradio as gr
import torch

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling, sampling_probs
from transformer_core.tasks.generation import look, write
from transformer_core.tasks.requests import InputError, Token
from transformer_core.ui.views.bars import bars_value
from transformer_core.ui.views.heads import attention_value
from transformer_core.ui.views.tokens import tokens_value

MAX_BRANCHES = 20


@dataclass(frozen=True)
class Branch:
    """One text: what it was given, what the model added, and where it came from."""

    number: int  # from 1, of all that there ever were
    label: str
    tokens: tuple[Token, ...]
    n_prompt: int

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(token.text for token in self.tokens)


@dataclass(frozen=True)
class Story:
    """One visitor's texts: the branches so far, and the one on screen."""

    branches: tuple[Branch, ...] = ()
    shown: int = 0

    @property
    def branch(self) -> Branch:
        """The branch on screen; InputError if nothing was written yet."""
        if not self.branches:
            raise InputError("There is no text yet: press Write first.")
        return self.branches[self.shown]

    @property
    def next_number(self) -> int:
        """Of the branch that is added next."""
        return self.branches[-1].number + 1 if self.branches else 1

    def added(self, branch: Branch) -> "Story":
        """The story with one more branch, shown; the oldest make room."""
        branches = (*self.branches, branch)[-MAX_BRANCHES:]
        return Story(branches, len(branches) - 1)

    def grown(self, branch: Branch) -> "Story":
        """The story with the shown branch replaced."""
        branches = (*self.branches[: self.shown], branch, *self.branches[self.shown + 1 :])
        return Story(branches, self.shown)


def display(story: Story) -> tuple[Story, dict, gr.Radio]:
    """Story -> the outputs of every event that changes the text."""
    branch = story.branch
    new = branch.tokens[branch.n_prompt :]
    bits = sum(-token.log_prob for token in new) / max(1, len(new)) / math.log(2)
    note = f"{len(new)} characters written; the average one was a surprise of {bits:.2f} bits."
    identity = f"{branch.number} {branch.label}"
    value = tokens_value(
        branch.tokens, note, identity=identity, n_prompt=branch.n_prompt, branches=True
    )
    choices = [(f"{b.number}: {b.label}", place) for place, b in enumerate(story.branches)]
    return story, value, gr.Radio(choices, value=story.shown, visible=len(choices) > 1)


def grow(
    trained: Trained, story: Story, length: float, seed: float, sampling: Sampling
) -> Iterator[Story]:
    """Let the model continue the shown branch, token by token, as a story each."""
    branch = story.branch
    for token in write(trained, branch.text, length, sampling, seed):
        branch = replace(branch, tokens=(*branch.tokens, token))
        yield story.grown(branch)


def prediction(
    trained: Trained, story: Story, position: int | None, sampling: Sampling
) -> tuple[dict, dict]:
    """What the model saw and thought when it predicted a token of the shown branch.

    Position None is the token after the last.
    """
    ids = [token.id for token in story.branch.tokens]
    beyond = position is None or position >= len(ids)
    position = len(ids) if beyond else position
    seen = look(trained, ids, position)
    drawn = sampling_probs(seen.log_probs, sampling, torch.tensor(ids[:position]))
    vocabulary = [trained.tokenizer.token(i) for i in range(trained.tokenizer.vocab_size)]
    best, n_kept = seen.log_probs.argmax(), int((drawn > 0).sum())
    what = "the next character" if beyond else f"character {position + 1}"
    distribution = bars_value(
        vocabulary,
        seen.log_probs.exp(),
        drawn,
        f"For {what} the model prefers {spelled(vocabulary[best])} "
        f"({seen.log_probs[best].exp():.0%}); sampling keeps {n_kept} characters. "
        "Filled bars are the model's probabilities, outlined ones what is drawn from.",
    )
    attention = attention_value(
        seen,
        trained.model.sites,
        f"Predicting {what} from {len(seen.tokens)} characters before it. Each small square is one "
        "head: rows are queries, columns are keys, and no query sees the future.",
        rows=True,
    )
    return attention, distribution


def position_of(event: gr.EventData, story: Story) -> int:
    """The position a view sent, checked: it comes from the visitor's browser."""
    position = event.position
    if not isinstance(position, int) or not 0 <= position < len(story.branch.tokens):
        raise InputError(f"The text has no character {position!r}.")
    return position


def spelled(text: str) -> str:
    """A character as a sentence quotes it."""
    return {"\n": "a line break", " ": "a space"}.get(text, f"“{text}”")


def forked(branch: Branch, position: int, choice: tuple[int, str, float], number: int) -> Branch:
    """The branch that says something else at one position."""
    index, text, p = choice
    old = branch.tokens[position]
    token = replace(old, text=text, id=index, log_prob=math.log(max(p, 1e-12)))
    swap = f"{spelled(text)} for {spelled(old.text)}"
    label = f"from {branch.number} at {position + 1}, {swap}"
    tokens = (*branch.tokens[:position], token)
    return Branch(number, label, tokens, min(branch.n_prompt, position))
