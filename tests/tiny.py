"""Random models small enough to build in every test."""

import functools
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn

from transformer_core import checkpoint
from transformer_core.checkpoint import Trained
from transformer_core.model.attention import Cache, MultiHeadAttention
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.tokenization import Tokenizer, train_bpe, train_characters

TINY = ModelConfig(vocab_size=17, d_model=32, n_heads=4, n_layers=2, d_ff=48, max_len=24)
NORMS = ["pre", "post", "none"]
TEXT = """First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak. You are all resolved rather to die than to famish?
"""


def stir(module: nn.Module) -> nn.Module:
    """Noise on every parameter, since fresh biases and norms are the same numbers everywhere."""
    for parameter in module.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return module.eval()


def build(model_class: type[Model], **changes) -> Model:
    """A random model with TINY's config, these fields changed."""
    return stir(model_class(replace(TINY, **changes)))


def weights(model: Model) -> torch.Tensor:
    """Every parameter in one vector."""
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()]).clone()


def words(*shape: int) -> Tensor:
    """Random ids, none of them padding."""
    return torch.randint(1, TINY.vocab_size, shape)


def padded(rows: list[Tensor]) -> Tensor:
    """One batch from rows of different lengths."""
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def empty_cache() -> Cache:
    """Room for as many positions as a model with TINY's sizes can place."""
    return Cache(TINY.n_layers, TINY.max_len)


def as_pytorch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    """PyTorch's module with the same weights."""
    parts = (attention.query, attention.key, attention.value)
    reference = nn.MultiheadAttention(TINY.d_model, TINY.n_heads, batch_first=True).eval()
    reference.in_proj_weight.data = torch.cat([part.weight for part in parts])
    reference.in_proj_bias.data = torch.cat([part.bias for part in parts])
    reference.out_proj.load_state_dict(attention.output.state_dict())
    return reference


@functools.cache  # nobody changes a tokenizer
def pieces(*, web: bool = False) -> Tokenizer:
    """A vocabulary of pieces of TEXT."""
    return train_bpe([TEXT] * 3, 90, web=web)


def tiny_writer(**changes) -> Trained:
    """A language model over the characters of TEXT with a context of 16."""
    tokenizer = train_characters(TEXT)
    changes = {"vocab_size": tokenizer.vocab_size, "max_len": 16, **changes}
    return Trained(build(DecoderLM, **changes), tokenizer, Path("tiny"))


def tiny_translator(**changes) -> Trained:
    """An encoder-decoder over pieces of TEXT."""
    tokenizer = pieces()
    changes = {"vocab_size": tokenizer.vocab_size, "max_len": 120, **changes}
    return Trained(build(EncoderDecoder, **changes), tokenizer, Path("tiny"))


def tiny_classifier(model_class: type[Model] = EncoderClassifier, **changes) -> Trained:
    """A classifier (or another model) over pieces of TEXT in small letters."""
    tokenizer = pieces(web=True)
    changes = {"vocab_size": tokenizer.vocab_size, "max_len": 60, **changes}
    return Trained(build(model_class, **changes), tokenizer, Path("tiny"))


def write_tinies(folder: Path) -> Path:
    """Random tiny models with their tokenizers, saved as the app's three checkpoints."""
    torch.manual_seed(0)
    tinies = {
        "shakespeare": tiny_writer(),
        "translation": tiny_translator(),
        "sentiment": tiny_classifier(),
    }
    for name, tiny in tinies.items():
        write_tiny(folder / name, tiny)
    return folder


def write_tiny(folder: Path, tiny: Trained) -> None:
    """A tiny model with its tokenizer, as a checkpoint."""
    checkpoint.save(folder, tiny.model)
    (folder / "tokenizer.json").write_text(tiny.tokenizer.to_json())
