"""A text as the sentences that a translator reads one by one, and how much it may be."""

import re

from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.tasks.requests import InputError, check_characters
from transformer_core.tokenization import composed, whole

MAX_CHARACTERS = 3_000  # of one request
MAX_SENTENCES = 60
MAX_PIECES = 100  # of one sentence: what training showed at most
ABBREVIATIONS = {"mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "e.g.", "i.e.", "vs."}


def split_sentences(text: str) -> list[str]:
    """A text cut after sentence ends; "Dr. Smith" stays together."""
    ends = re.sub(r"([.!?…][\"'”’)]*)\s+(?=[\"'“‘(]?[^\W_])", r"\1\n", text)
    sentences: list[str] = []
    for part in filter(None, map(str.strip, ends.splitlines())):
        last = sentences[-1].split()[-1].lower() if sentences else ""
        if last in ABBREVIATIONS or (last == "no." and part[0].isdigit()):  # else it is an answer
            sentences[-1] += " " + part
        else:
            sentences.append(part)
    return sentences


def check_text(trained: Trained[EncoderDecoder], text: str) -> list[str]:
    """The sentences of a text; InputError if it is not something to translate."""
    check_characters("The text", text, MAX_CHARACTERS)
    sentences = split_sentences(whole(text))
    if not sentences:
        raise InputError("There is nothing to translate yet: type an English sentence.")
    if len(sentences) > MAX_SENTENCES:
        raise InputError(f"{len(sentences)} sentences are too many: at most {MAX_SENTENCES} fit.")
    most = min(MAX_PIECES, trained.model.config.max_len - 1)  # besides the end token
    for sentence in sentences:
        ids = trained.tokenizer.encode(sentence)
        if len(ids) > most:
            raise InputError(
                f"A sentence has {len(ids):,} pieces, but the model reads at most {most}: "
                "shorten it or end it with a full stop."
            )
        unknown = trained.tokenizer.unknown_characters(sentence)
        read = composed(sentence)
        if sum(map(read.count, unknown)) * 2 > len(read):
            raise InputError(f"The model reads English, and not: {' '.join(unknown[:8])}")
    return sentences
