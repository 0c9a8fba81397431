"""What a visitor has asked of the twins, while several answers may be under way."""

from typing import NamedTuple


class Focus(NamedTuple):
    """Which attention is shown of every twin, by its name, and which head, from 1."""

    site: str | None = None
    head: int = 1


class Question(NamedTuple):
    """A text for every variant of a study, and the how manieth question this is."""

    study: str
    text: str
    number: int


class Questions:
    """Of several questions the newest counts, and is answered once.

    The page may run one again that was answered meanwhile, and begins a newer one only after the
    one before has ended: so a run asks here, variant by variant, whether to go on.
    """

    def __init__(self) -> None:
        self.newest = self.begun = self.ended = 0
        self.focus = Focus()  # also of a run that is under way

    def ask(self, study: str, text: str, focus: Focus) -> Question:
        """A question, to be answered instead of those before."""
        self.newest, self.focus = self.newest + 1, focus
        return Question(study, text, self.newest)

    def begin(self, question: Question) -> bool:
        """Whether it is to be answered: it is the newest, and was not begun before."""
        fresh = self.begun < question.number == self.newest
        self.begun = question.number if fresh else self.begun
        return fresh

    def end(self, question: Question) -> None:
        """It is answered, or will not be."""
        self.ended = max(self.ended, question.number)

    def drop(self) -> None:
        """None of those before is to be answered any more."""
        self.newest += 1
        self.ended = self.newest

    @property
    def open(self) -> bool:
        """Whether one is still to be answered."""
        return self.ended < self.newest
