"""Three models from one block: encoder-decoder, encoder-only, decoder-only."""

import math
from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.attention import Cache, MultiHeadAttention
from transformer_core.blocks import Block
from transformer_core.config import ModelConfig
from transformer_core.masks import causal_mask, padding_mask
from transformer_core.positions import POSITIONAL_ENCODINGS
from transformer_core.trace import Site, Trace, record_residual


class Stack(nn.Module):
    """Embeddings in, hidden states out: positions, then n_layers blocks, then a final norm."""

    def __init__(
        self, config: ModelConfig, name: Literal["encoder", "decoder"], *, cross: bool = False
    ):
        super().__init__()
        self.name = name
        self.scale = math.sqrt(config.d_model)
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        self.positions = POSITIONAL_ENCODINGS[config.positional_encoding](config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            Block(config, name, i, self.positions, cross=cross) for i in range(config.n_layers)
        )
        self.norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()

    def embed(self, tokens: Tensor) -> Tensor:
        """Token vectors without positions. (batch, length) -> (batch, length, d_model)"""
        return self.embedding(tokens) * self.scale  # brought to the size of the positions (3.4)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        memory: Tensor | None = None,
        memory_mask: Tensor | None = None,
        trace: Trace | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """x (batch, length, d_model), what embed returned -> hidden states of the same shape."""
        x = self.dropout(self.positions.embed(x, cache.length if cache else 0))
        record_residual(trace, self.name, x)
        for block in self.blocks:
            x = block(x, mask, memory, memory_mask, trace, cache)
            record_residual(trace, self.name, x)
        if cache is not None:
            cache.length += x.size(1)
        return self.norm(x)

    def logits(self, x: Tensor) -> Tensor:
        """The output head, tied to the embedding. (..., d_model) -> (..., vocab_size)"""
        return F.linear(x, self.embedding.weight)


class Model(nn.Module):
    """What the three models share: a config and the addresses of their attention modules."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config

    @property
    def sites(self) -> list[Site]:
        """Every attention module's address, in the order of the forward pass."""
        return [module.site for module in self.modules() if isinstance(module, MultiHeadAttention)]

    @property
    def n_parameters(self) -> int:
        """Trained numbers; a matrix that is used twice counts once."""
        return sum(parameter.numel() for parameter in self.parameters())


class EncoderDecoder(Model):
    """Translation. One shared vocabulary, so all three embeddings are one matrix."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.encoder = Stack(config, "encoder")
        self.decoder = Stack(config, "decoder", cross=True)
        self.decoder.embedding = self.encoder.embedding

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        trace: Trace | None = None,
        inputs_embeds: Tensor | None = None,
    ) -> Tensor:
        """src (batch, source), tgt (batch, target) -> logits (batch, target, vocab_size)

        inputs_embeds (batch, source, d_model) replaces the source's token vectors.
        """
        return self.decode(tgt, self.encode(src, trace, inputs_embeds), src, trace)

    def encode(
        self, src: Tensor, trace: Trace | None = None, inputs_embeds: Tensor | None = None
    ) -> Tensor:
        """src (batch, source) -> memory (batch, source, d_model)"""
        x = self.encoder.embed(src) if inputs_embeds is None else inputs_embeds
        return self.encoder(x, padding_mask(src), trace=trace)

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        src: Tensor,
        trace: Trace | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """tgt (batch, target): all of it, or with a cache what follows the cached positions."""
        past = cache.length if cache else 0
        mask = causal_mask(tgt.size(1), past + tgt.size(1), tgt.device)
        x = self.decoder(self.decoder.embed(tgt), mask, memory, padding_mask(src), trace, cache)
        return self.decoder.logits(x)


class EncoderClassifier(Model):
    """Classification from the hidden state of [CLS], the first token (Devlin et al. 2019)."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.encoder = Stack(config, "encoder")
        self.head = nn.Linear(config.d_model, config.n_classes)

    def forward(
        self, tokens: Tensor, trace: Trace | None = None, inputs_embeds: Tensor | None = None
    ) -> Tensor:
        """tokens (batch, length), tokens[:, 0] is [CLS] -> logits (batch, n_classes)"""
        x = self.encoder.embed(tokens) if inputs_embeds is None else inputs_embeds
        return self.head(self.encoder(x, padding_mask(tokens), trace=trace)[:, 0])


class DecoderLM(Model):
    """Next-token prediction: the same stack under a causal mask (Radford et al. 2018)."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.decoder = Stack(config, "decoder")

    def forward(
        self,
        tokens: Tensor,
        trace: Trace | None = None,
        cache: Cache | None = None,
        inputs_embeds: Tensor | None = None,
    ) -> Tensor:
        """tokens (batch, length): all of the text, or with a cache what follows its positions.

        Returns logits (batch, length, vocab_size).
        """
        past = cache.length if cache else 0
        mask = causal_mask(tokens.size(1), past + tokens.size(1), tokens.device)
        x = self.decoder.embed(tokens) if inputs_embeds is None else inputs_embeds
        return self.decoder.logits(self.decoder(x, mask, trace=trace, cache=cache))


MODELS: dict[str, type[Model]] = {
    m.__name__: m for m in (EncoderDecoder, EncoderClassifier, DecoderLM)
}
