"""Random models of every kind and with every change, and a pass over a text with all inside it."""

import pytest
from tiny import NORMS, build, pieces, tiny_translator, tiny_writer

from transformer_core.checkpoint import Trained
from transformer_core.inside.anatomy import anatomy
from transformer_core.inside.forward import read_text, run
from transformer_core.inside.source import ROOT
from transformer_core.model.blocks import FEED_FORWARDS
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, MaskedLM
from transformer_core.model.positions import POSITIONAL_ENCODINGS

LENGTHS = {EncoderDecoder: (7, 5), EncoderClassifier: (9,), MaskedLM: (9,), DecoderLM: (9,)}
NAMES = {DecoderLM: ("decoder",)}
CHANGES = [  # from what TINY has
    {},
    *({"positional_encoding": name} for name in POSITIONAL_ENCODINGS if name != "sinusoidal"),
    *({"activation": name} for name in FEED_FORWARDS if name != "relu"),
    *({"norm": norm} for norm in NORMS if norm != "pre"),
    {"residual": False},
    {"feed_forward": False},
    {"scale_scores": False},
    {"causal_mask": False},
    {"pooling": "mean"},
    {"n_heads": 1},
    {"n_layers": 3},
    {"d_ff": 100, "d_model": 24},
]
every_model = pytest.mark.parametrize("model_class", LENGTHS)
every_change = pytest.mark.parametrize("changes", CHANGES, ids=str)


def lengths(model_class):
    names = NAMES.get(model_class, ("encoder", "decoder"))
    return dict(zip(names, LENGTHS[model_class], strict=False))


def trained(model_class, **changes):
    """A random model with a tokenizer of the right size."""
    if model_class is DecoderLM:
        return tiny_writer(**changes)
    if model_class is EncoderDecoder:
        return tiny_translator(**changes)
    tokenizer = pieces()
    model = build(model_class, **{"vocab_size": tokenizer.vocab_size, "max_len": 120, **changes})
    return Trained(model, tokenizer, ROOT)


def looked(model_class, text="Speak, speak.", **changes):
    """A pass over a text and the nodes of its drawing, by key."""
    seen = run(model := trained(model_class, **changes), read_text(model, text))
    return seen, {n.key: n for n in anatomy(model.model, seen.reading.lengths)}
