"""One visitor's texts: branches that grow, are cut, and fork."""

from dataclasses import dataclass, replace

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.tasks.generation import read, write_on
from transformer_core.tasks.requests import InputError, Token, check_characters
from transformer_core.tokenization import whole
from transformer_core.ui.events import is_count
from transformer_core.ui.place import Setting

MAX_BRANCHES = 20
MAX_TEXT = 10_000  # characters of a branch; each is kept with the ten that were likely in its place
MAX_TEXTS = 20_000  # of all branches of a visitor: about 22 MB


@dataclass(frozen=True)
class Branch:
    """One text: what it was given, what the model added, and where it came from."""

    number: int  # from 1, of all that there ever were
    label: str
    tokens: tuple[Token, ...]
    n_prompt: int
    goal: int  # tokens that it shall have
    parent: int | None = None  # number of the one that it branched from

    @property
    def identity(self) -> str:
        """By which the page tells it from others."""
        return f"{self.number} {self.label}"

    @property
    def title(self) -> str:
        """What stands above it; nothing above the first."""
        return "" if self.parent is None else f"Branch {self.identity}"

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(token.text for token in self.tokens)

    @property
    def ids(self) -> list[int]:
        """The whole text as the model reads it."""
        return [token.id for token in self.tokens]


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

    @property
    def kept(self) -> dict[str, Setting]:
        """What an address says of it beside the prompt and the settings."""
        return {"branch": self.branch.number}

    def with_number(self, number: int) -> "Story | None":
        """The story with another branch shown, if that is still there."""
        numbers = [branch.number for branch in self.branches]
        return Story(self.branches, numbers.index(number)) if number in numbers else None

    def before(self) -> "Story | None":
        """The story showing the branch that the shown one came from, if that is still there."""
        number = self.branch.parent
        return None if number is None else self.with_number(number)

    def root(self) -> "Story":
        """The story showing the earliest ancestor of the shown branch that is still there."""
        before = self.before()
        return before.root() if before else self

    def added(self, branch: Branch) -> "Story":
        """The story with one more branch, shown; the oldest make room."""
        branches = (*self.branches, branch)[-MAX_BRANCHES:]
        return Story(branches, len(branches) - 1).fitting()

    def grown(self, branch: Branch) -> "Story":
        """The story with the shown branch replaced."""
        branches = (*self.branches[: self.shown], branch, *self.branches[self.shown + 1 :])
        return Story(branches, self.shown).fitting()

    def fitting(self) -> "Story":
        """The story without the oldest of the other branches, if all are too long together."""
        branches, shown = list(self.branches), self.branch
        while len(branches) > 1 and sum(one.goal for one in branches) > MAX_TEXTS:
            branches.remove(next(one for one in branches if one is not shown))
        return Story(tuple(branches), branches.index(shown))


def begun(trained: Trained, story: Story, prompt: str) -> Story:
    """The story with a branch that is the prompt; InputError if the model cannot read it."""
    check_characters("The prompt", prompt, MAX_TEXT - 1)  # and one that is written
    tokens = tuple(read(trained, prompt))
    label = " ".join(whole(prompt).split())[:30] or "no prompt"
    return story.added(Branch(story.next_number, label, tokens, len(tokens), len(tokens)))


def wanting(story: Story, length: float) -> Story:
    """The story whose shown branch is to grow by `length` tokens, or by as many as still fit.

    InputError if no more fit.
    """
    branch = story.branch
    have = len(branch.tokens)
    if length > 0 and have >= MAX_TEXT:
        raise InputError(f"The text has {have:,} characters, and more do not fit: write a new one.")
    return story.grown(replace(branch, goal=min(have + int(length), max(have, MAX_TEXT))))


def grow(trained: Trained, story: Story, size: int, sampling: Sampling, seed: float) -> Story:
    """Let the model continue the shown branch until it has so many tokens, or its goal.

    What is written does not depend on the steps in which it is asked for.
    """
    branch = story.branch
    missing = min(size, branch.goal) - len(branch.tokens)
    if missing <= 0:
        return story
    written = write_on(trained, branch.ids, missing, sampling, seed)
    return story.grown(replace(branch, tokens=(*branch.tokens, *written)))


def cut(story: Story, identity: str, size: int) -> Story:
    """The story whose shown branch ends where the page had come when it was stopped."""
    branch = story.branch
    if identity != branch.identity:  # the page had not yet seen this one
        size = branch.n_prompt
    tokens = branch.tokens[: max(branch.n_prompt, size)]
    return story.grown(replace(branch, tokens=tokens, goal=len(tokens)))


def position_of(event: gr.EventData, story: Story) -> int:
    """The position a view sent, checked: it comes from the visitor's browser."""
    position = event.position
    if not is_count(position, len(story.branch.tokens) - 1):
        raise InputError(f"The text has no character {position!r}.")
    return position


def character_in_words(text: str) -> str:
    """A character as a sentence quotes it."""
    return {"\n": "a line break", " ": "a space"}.get(text, f"“{text}”")


def forked(branch: Branch, position: int, choice: tuple[int, str, float], number: int) -> Branch:
    """The branch that says something else at one position."""
    old = branch.tokens[position]
    token = old.said_instead(choice)
    swap = f"{character_in_words(token.text)} for {character_in_words(old.text)}"
    label = f"from {branch.number} at {position + 1}, {swap}"
    tokens = (*branch.tokens[:position], token)
    n_prompt = min(branch.n_prompt, position)
    return Branch(number, label, tokens, n_prompt, len(tokens), branch.number)
