"""What people really type: lower case, no full stop, a slip of the finger, a missing article."""

import random
import re
import string
from collections.abc import Callable

Slip = Callable[[str, random.Random], str]


def lower_case(text: str, rng: random.Random) -> str:
    """No capitals at all, or only the first letter's missing."""
    return text.lower() if rng.random() < 0.8 else text[:1].lower() + text[1:]


def no_punctuation(text: str, rng: random.Random) -> str:
    """No mark at the end, or none at all; what stands inside numbers and compounds stays."""
    if rng.random() < 0.5:
        return text.rstrip(".!?… ") or text
    bare = re.sub(r"(?<!\d)[^\w\s-]|[^\w\s-](?!\d)", "", text)
    return " ".join(bare.split()) or text


def typo(text: str, rng: random.Random) -> str:
    """One letter of one longer word is dropped, doubled, replaced or swapped with the next."""
    words = list(re.finditer(r"[A-Za-z]{4,}", text))
    if not words:
        return text
    word = rng.choice(words)
    i = rng.randrange(word.start(), word.end() - 1)
    a, b = text[i], text[i + 1]
    slip = rng.choice([b, a + a + b, rng.choice(string.ascii_lowercase) + b, b + a])
    return text[:i] + slip + text[i + 2 :]


def no_article(text: str, rng: random.Random) -> str:
    """One article is left out: "he has pencil"."""
    articles = list(re.finditer(r"\b(?:a|an|the) ", text, re.IGNORECASE))
    if not articles:
        return text
    article = rng.choice(articles)
    return text[: article.start()] + text[article.end() :]


def no_ending(text: str, rng: random.Random) -> str:
    """The third person loses its ending: "he like"."""
    return re.sub(r"\b(he|she|it|who) (\w{2,}[^\Wsu])s\b", r"\1 \2", text, flags=re.IGNORECASE)


# each slip and how often a noised sentence has it
SLIPS: list[tuple[Slip, float]] = [
    (no_ending, 0.2),
    (no_article, 0.15),
    (typo, 0.35),
    (no_punctuation, 0.6),
    (lower_case, 0.6),
]


def noised(text: str, rng: random.Random) -> str:
    """The text with a random few slips."""
    for slip, probability in SLIPS:
        if rng.random() < probability:
            text = slip(text, rng)
    return text
