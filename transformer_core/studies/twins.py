"""The same text through every variant of an ablation study."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from transformer_core.checkpoint import Models, Trained, read_config
from transformer_core.decoding.sampling import Sampling
from transformer_core.model.models import (
    MODELS,
    BagClassifier,
    DecoderLM,
    EncoderClassifier,
    EncoderDecoder,
    LSTMClassifier,
    Model,
)
from transformer_core.model.trace import Site, Trace
from transformer_core.studies.records import Study
from transformer_core.tasks.classification import LABELS, frame
from transformer_core.tasks.generation import look, read, write
from transformer_core.tasks.requests import AttentionView, InputError
from transformer_core.tasks.translation import translate_sentence

MAX_PIECES = 60  # of a text: every variant reads it
N_WRITTEN = 80  # characters of a continuation
SAMPLING, SEED = Sampling(0.8), 1  # the same for every variant
SHOWN = 40  # pieces of an attention map; of a longer text the last ones


@dataclass(frozen=True)
class Twin:
    """What one variant makes of the text."""

    title: str
    says: str
    note: str
    views: dict[Site, AttentionView]  # none if the model has no attention


def sites_of(study: Study) -> list[Site]:
    """The attention modules of the study's baseline; none if nothing is trained yet."""
    whole = study.baseline
    if whole is None:
        return []
    try:
        return MODELS[whole.record["kind"]](read_config(whole.record["model"])).sites
    except (KeyError, TypeError, ValueError):  # a record that describes no model
        return []


def folder_of(study: Study, variant: str) -> str:
    """The name under which Models has a variant."""
    return f"ablations/{study.name}/{variant}"


def twins(models: Models, study: Study, text: str) -> Iterator[Twin]:
    """Every variant that has weights, one after the other; InputError if the text does not fit."""
    trained = [
        (variant.title, models.get(folder_of(study, name)))
        for name, variant in study.variants.items()
        if models.has(folder_of(study, name))
    ]
    for title, one in trained:
        check(one, text)
        with torch.inference_mode():
            yield Twin(title, *ANSWERS[type(one.model)](one, text))


def check(trained: Trained[Model], text: str) -> None:
    """InputError unless the text is one that the variants can read."""
    if not isinstance(text, str) or not text.strip():
        raise InputError("Type a text: all variants will read it.")
    # before it is cut into pieces, which takes long for a very long text
    n = len(trained.tokenizer.encode(text)) if len(text) <= 20 * MAX_PIECES else len(text)
    limit = min(MAX_PIECES, trained.model.config.max_len - 2)
    if n > limit:
        raise InputError(f"The text has {n:,} pieces; these small models read at most {limit}.")
    if unknown := trained.tokenizer.unknown_characters(text):
        raise InputError(f"These models do not know {' '.join(unknown[:8])}")


Answer = tuple[str, str, dict[Site, AttentionView]]


def translated(trained: Trained[EncoderDecoder], text: str) -> Answer:
    """Greedy decoding, and how likely the model finds its own answer."""
    sentence = translate_sentence(trained, text, beam_size=1)
    views = {site: sentence.view(site) for site in trained.model.sites}
    pieces = max(1, len(sentence.tokens))
    return sentence.text, f"{-sentence.log_prob / pieces:.2f} nats per piece written", views


def continued(trained: Trained[DecoderLM], text: str) -> Answer:
    """What is written next, and how surprising the text itself was."""
    tokens = read(trained, text)
    surprises = [-token.log_prob for token in tokens[1:]]
    written = write(trained, text, N_WRITTEN, SAMPLING, SEED)
    says = "".join(token.text for token in written)
    seen = look(trained, [token.id for token in tokens], len(tokens))
    nats = sum(surprises) / max(1, len(surprises))
    note = f"your text: {nats:.2f} nats per character" if surprises else ""
    return says, note, {site: seen.view(site) for site in trained.model.sites}


def judged(trained: Trained[Model], text: str) -> Answer:
    """How probable it is that the review is positive."""
    ids = frame(trained.tokenizer.encode(text), trained.model.config.max_len)
    trace, tokens = Trace(), [trained.tokenizer.token(i) for i in ids]
    arguments = (trace,) if isinstance(trained.model, EncoderClassifier) else ()
    probs = trained.model(torch.tensor([ids]), *arguments)[0].softmax(-1)
    best = int(probs.argmax())
    views = {
        site: AttentionView(attention.weights[0], tokens, tokens)
        for site, attention in trace.attention.items()
    }
    return LABELS[best], f"{probs[LABELS.index('positive')]:.1%} positive", views


ANSWERS: dict[type[Model], Callable[[Trained[Any], str], Answer]] = {
    EncoderDecoder: translated,
    DecoderLM: continued,
    EncoderClassifier: judged,
    LSTMClassifier: judged,
    BagClassifier: judged,
}
