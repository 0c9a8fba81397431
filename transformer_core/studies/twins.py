"""The same text through every variant of an ablation study."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from transformer_core.checkpoint import MODELS, CheckpointError, Trained, read_config
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.model.rivals import BagClassifier, LSTMClassifier
from transformer_core.model.trace import Site, Trace
from transformer_core.published import Models
from transformer_core.studies.records import ABLATIONS, STUDY_FILE, Study, folder_of
from transformer_core.tasks.classification import classify
from transformer_core.tasks.generation import SAMPLING, SEED, look, nats_per_token, read, write
from transformer_core.tasks.requests import AttentionView, InputError, check_characters
from transformer_core.tasks.translation import teacher_forced, translate_sentence
from transformer_core.wording import sure

MAX_PIECES = 60  # of a text: every variant reads it
MAX_CHARACTERS = 20 * MAX_PIECES  # of a text that is cut into pieces at all, which takes a while
N_WRITTEN = 80  # characters of a continuation


@dataclass(frozen=True)
class Twin:
    """What one variant makes of the text; `attention` computes once more what it looked at."""

    folder: str  # by which Models has the variant
    title: str
    says: str
    note: str
    ids: list[list[int]]  # what its stacks read and, of an encoder-decoder, what it wrote


def sites_of(study: Study) -> list[Site]:
    """The attention modules of the study's baseline; none if nothing is trained yet."""
    whole = study.baseline
    if whole is None:
        return []
    try:
        return list(sites(whole.record["kind"], read_config(whole.record["model"])))
    except (KeyError, TypeError, ValueError):  # a record that describes no model
        return []


@functools.lru_cache(maxsize=64)
def sites(kind: str, config: ModelConfig) -> tuple[Site, ...]:
    """The attention modules of a model, of which no weight is made."""
    with torch.device("meta"):
        return tuple(MODELS[kind](config).sites)


def twins(models: Models, study: Study, text: str) -> Iterator[Twin]:
    """Every variant that has weights, one after the other; InputError if the text does not fit."""
    titles = {
        folder_of(study.name, name): variant.title for name, variant in study.variants.items()
    }
    for folder, title in titles.items():
        if models.has(folder):
            one = models.get(folder)
            check(one, text)
            yield Twin(folder, title, *ANSWERS[type(one.model)](one, text))


@torch.inference_mode()
def attention(models: Models, twin: Twin) -> dict[Site, AttentionView]:
    """What every head of a variant saw in one pass; nothing if the model has no attention."""
    trained = models.get(twin.folder)
    return READ_BACK[type(trained.model)](trained, *twin.ids)


def can_read(models: Models, study: str, text: str) -> bool:
    """Whether there is a study, with its whole model, and that would read this text."""
    if not (models.folder / ABLATIONS / study / STUDY_FILE).exists():
        return False
    try:
        check(models.get(folder_of(study, "full")), text)
    except (CheckpointError, InputError):
        return False
    return True


def check(trained: Trained[Model], text: str) -> None:
    """InputError unless the text is one that the variants can read."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("Type a text: all variants will read it.")
    check_characters("The text", text, MAX_CHARACTERS)
    n = len(trained.tokenizer.encode(text))
    limit = min(MAX_PIECES, trained.model.config.max_len - 2)
    if n > limit:
        raise InputError(f"The text has {n:,} pieces; at most {limit} fit here.")
    if unknown := trained.tokenizer.unknown_characters(text):
        raise InputError(f"These models do not know {' '.join(unknown[:8])}")


Answer = tuple[str, str, list[list[int]]]
Views = dict[Site, AttentionView]


def translated(trained: Trained[EncoderDecoder], text: str) -> Answer:
    """Greedy decoding, and how likely the model finds its own answer."""
    sentence = translate_sentence(trained, text, beam_size=1)
    written = [token.id for token in sentence.tokens]
    nats = -sentence.log_prob / max(1, len(written))
    note = f"{nats:.2f} nats per piece written"
    if not trained.model.config.causal_mask:  # it wrote step by step, without what was to come
        note += "; its map is of one pass over all of that"
    return sentence.text, note, [list(sentence.src_ids), written]


def translated_views(trained: Trained[EncoderDecoder], src: list[int], written: list[int]) -> Views:
    """What every head saw of a source and its translation."""
    sentence = teacher_forced(trained, "", src, written, Trace())
    return {site: sentence.view(site) for site in trained.model.sites}


def continued(trained: Trained[DecoderLM], text: str) -> Answer:
    """What is written next, and how surprising the text itself was."""
    tokens = read(trained, text)
    written = write(trained, text, N_WRITTEN, SAMPLING, SEED)
    says = "".join(token.text for token in written)
    nats = nats_per_token(tokens)
    note = f"your text: {nats:.2f} nats per character" if len(tokens) > 1 else ""
    return says, note, [[token.id for token in tokens]]


def continued_views(trained: Trained[DecoderLM], ids: list[int]) -> Views:
    """What every head saw of the text when the next character was predicted."""
    seen = look(trained, ids, len(ids))
    return {site: seen.view(site) for site in trained.model.sites}


def judged(trained: Trained[Model], text: str) -> Answer:
    """How probable it is that the review is positive."""
    found = classify(trained, text)
    positive = found.probabilities["positive"]
    return found.label, f"{sure(positive)} positive", [found.review.ids]


def judged_views(trained: Trained[Model], ids: list[int]) -> Views:
    """What every head saw of a review; nothing if its classifier has no attention."""
    if not isinstance(trained.model, EncoderClassifier):
        return {}
    trace, tokens = Trace(), trained.tokenizer.tokens(ids)
    trained.model(torch.tensor([ids]), trace)
    return {
        site: AttentionView(seen.weights[0], tokens, tokens)
        for site, seen in trace.attention.items()
    }


ANSWERS: dict[type[Model], Callable[[Trained[Any], str], Answer]] = {
    EncoderDecoder: translated,
    DecoderLM: continued,
    EncoderClassifier: judged,
    LSTMClassifier: judged,
    BagClassifier: judged,
}
READ_BACK: dict[type[Model], Callable[..., Views]] = {
    EncoderDecoder: translated_views,
    DecoderLM: continued_views,
    EncoderClassifier: judged_views,
    LSTMClassifier: judged_views,
    BagClassifier: judged_views,
}
