"""What would the classifier say if the words were different?"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import torch

from transformer_core.checkpoint import Trained
from transformer_core.explain.attribution import gradient_times_input, to_words
from transformer_core.model.models import EncoderClassifier, MaskedLM
from transformer_core.tasks.classification import Pieces, Review, log_odds, score
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import CLS, EOS, MASK, Tokenizer

MAX_REPLACEMENT = 60  # characters of what replaces a word
CANDIDATES = 24  # words whose deletion is tried exactly in each step of a search
MAX_FLIP = 24  # words that a flip may take
N_SUGGESTIONS = 8
CONTEXT = 60  # pieces on either side that a language model reads: its training showed no more

# what is done to some words of a text: word -> its replacement, "" if deleted, None if masked
Edits = Mapping[int, str | None]


def edited(tokenizer: Tokenizer, review: Review, edits: Edits) -> Pieces:
    """The pieces of a review after some edits; InputError if one cannot be made.

    A mask stands for each piece of its word. What is not read because the review is too long stays
    unread.
    """
    found: list[tuple[int, int]] = []
    done: set[int] = set()
    for index, word in zip(*review.pieces, strict=True):
        if word not in edits:
            found.append((index, word))
        elif (text := edits[word]) is None:
            found.append((MASK, word))
        elif word not in done:
            found += [(i, word) for i in replacement(tokenizer, text)]
        done.add(word)
    return Pieces(*map(list, zip(*found, strict=True)))


def replacement(tokenizer: Tokenizer, text: str) -> list[int]:
    """The pieces of what is put in a word's place."""
    if len(text) > MAX_REPLACEMENT:
        raise InputError(f"{len(text):,} characters; a replacement has at most {MAX_REPLACEMENT}.")
    return tokenizer.encode(text)


@torch.inference_mode()
def probability(trained: Trained[EncoderClassifier], pieces: Pieces, label: int) -> float:
    """Of a class for edited pieces; InputError if a replacement made them too many."""
    check_length(trained, len(pieces.ids))
    return score(trained.model, [pieces.ids]).softmax(-1)[0, label].item()


def check_length(trained: Trained[EncoderClassifier], n_pieces: int) -> None:
    """InputError if an edited text is longer than what the model reads."""
    limit = trained.model.config.max_len
    if n_pieces > limit:
        raise InputError(f"That makes {n_pieces:,} pieces; the model reads {limit:,}.")


@dataclass(frozen=True)
class Flip:
    """How far a search for deletions that change the answer has come."""

    words: tuple[int, ...] = ()
    probability: float = math.nan  # of the answer without them
    flipped: bool = False
    done: bool = False


def greedy_flip(model: EncoderClassifier, pieces: Pieces, label: int) -> Iterator[Flip]:
    """Delete the word whose loss hurts the answer most, again and again until it changes; then put
    back what was not needed. Greedy: no word of the set can be spared, but a smaller set may exist.

    Each step tries the CANDIDATES words that gradient × input ranks highest, exactly. The last Flip
    is done: it flipped, or MAX_FLIP deletions did not.
    """
    n_words = max(pieces.words) + 1

    def best(sets: list[tuple[int, ...]]) -> Flip:
        logits = score(model, [pieces.without(words).ids for words in sets])
        found = int(log_odds(logits, label).argmin())
        probability = logits[found].softmax(-1)[label].item()
        return Flip(sets[found], probability, int(logits[found].argmax()) != label)

    here = Flip()
    while not here.flipped and len(here.words) < min(MAX_FLIP, n_words):
        left = pieces.without(here.words)
        slopes = to_words(gradient_times_input(model, left, label), left.words, n_words)
        there = set(left.words)
        ranked = [word for word in slopes.argsort(descending=True).tolist() if word in there]
        here = best([(*here.words, word) for word in ranked[:CANDIDATES]])
        yield here
    spared = here
    while spared.flipped and len(spared.words) > 1:
        here = spared
        spared = best([tuple(w for w in here.words if w != word) for word in here.words])
    yield replace(spared if spared.flipped else here, done=True)


@dataclass(frozen=True)
class Suggestion:
    """A word that a language model finds likely in a place, and what the classifier makes of it."""

    text: str
    likelihood: float
    probability: float  # of the class that was asked for


@torch.inference_mode()
def suggestions(
    trained: Trained[EncoderClassifier],
    language_model: Trained[MaskedLM],
    pieces: Pieces,
    word: int,
    label: int,
) -> list[Suggestion]:
    """Whole words for the place of another, the likeliest first.

    The language model, of the same vocabulary, reads CONTEXT pieces on either side. InputError if
    with one of the words the text is too long.
    """
    place = pieces.words.index(word)
    before = pieces.ids[:place]
    after = pieces.ids[place + pieces.words.count(word) :]
    check_length(trained, len(before) + 1 + len(after))
    start = [CLS, *before[1:][-CONTEXT:]]
    near = [*start, MASK, *after[:-1][:CONTEXT], EOS]  # other words may be hidden as well
    log_probs = language_model.model(torch.tensor([near]))[0, len(start)].log_softmax(-1)
    vocabulary = trained.tokenizer
    likely = [
        index
        for index in log_probs.argsort(descending=True)[: 8 * N_SUGGESTIONS].tolist()
        if vocabulary.token(index)[0] == "▁" and vocabulary.token(index)[1:].isalpha()
        if index != pieces.ids[place]
    ][:N_SUGGESTIONS]
    replaced = score(trained.model, [[*before, index, *after] for index in likely])
    return [
        Suggestion(vocabulary.token(index)[1:], log_probs[index].exp().item(), p)
        for index, p in zip(likely, replaced.softmax(-1)[:, label].tolist(), strict=True)
    ]
