"""The models, built from one Block: encoder-decoder, encoder-only, decoder-only."""

import math
from collections.abc import Sequence
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.attention import Cache, MultiHeadAttention
from transformer_core.model.blocks import Block
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import PAD, causal_mask, padding_mask
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Site, Trace, record_residual

AT_CLS = 0  # where a classifier has its [CLS]; what explains an answer assumes pooling="cls"


class Stack(nn.Module):
    """Embeddings in, hidden states out: positions, then n_layers blocks, then a final norm."""

    blocks: Sequence[Block]

    def __init__(
        self, config: ModelConfig, name: Literal["encoder", "decoder"], *, cross: bool = False
    ):
        super().__init__()
        self.name = name
        self.scale = math.sqrt(config.d_model)
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        self.positions = POSITIONAL_ENCODINGS[config.positional_encoding](config)
        self.positions_along, self.max_len = config.positions_along, config.max_len
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(  # type: ignore[assignment]  # it does not say of what
            Block(config, name, i, self.positions, cross=cross) for i in range(config.n_layers)
        )
        self.norm = nn.LayerNorm(config.d_model) if config.norm == "pre" else nn.Identity()

    def embed(self, tokens: Tensor) -> Tensor:
        """Token vectors without positions. (batch, length) -> (batch, length, d_model)"""
        return self.embedding(tokens) * self.scale  # brought to the size of the positions (3.4)

    def add_positions(self, x: Tensor, start: int) -> Tensor:
        """Token vectors with positions start, start + 1, … (batch, length, d_model) -> the same"""
        if self.positions_along == "length":
            return self.positions.embed(x, start)
        # the slip: row b of a batch gets vector b, modulo max_len, at every one of its tokens
        rows = x.transpose(0, 1).split(self.max_len, dim=1)
        return torch.cat([self.positions.embed(part) for part in rows], dim=1).transpose(0, 1)

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
        x = self.dropout(self.add_positions(x, cache.length if cache else 0))
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
    """What all models share: a config and the addresses of their attention modules."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config

    @property
    def sites(self) -> list[Site]:
        """Every attention module's address, in the order of the forward pass."""
        return [module.site for module in self.modules() if isinstance(module, MultiHeadAttention)]

    def attention(self, site: Site) -> MultiHeadAttention:
        """The attention module at an address."""
        return getattr(getattr(self, site.stack).blocks[site.layer], f"{site.kind}_attention")

    def decoder_mask(self, tokens: Tensor, cache: Cache | None) -> Tensor:
        """Which of all positions the new ones, tokens (batch, new), may look at.

        -> (new, all), or where the future is not hidden (batch, 1, 1, all)
        """
        n_past = cache.length if cache else 0
        if self.config.causal_mask:  # of padding, too, no token sees any: it comes last
            return causal_mask(tokens.size(1), n_past + tokens.size(1), tokens.device)
        return F.pad(padding_mask(tokens), (n_past, 0), value=True)

    @property
    def n_parameters(self) -> int:
        """Trained numbers; a matrix that is used twice counts once."""
        return sum(parameter.numel() for parameter in self.parameters())


def mean_of_real(x: Tensor, tokens: Tensor) -> Tensor:
    """The mean over all tokens but padding. (batch, length, d_model) -> (batch, d_model)"""
    real = (tokens != PAD)[..., None]
    return (x * real).sum(1) / real.sum(1)


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
        """The logits of what follows each target token. -> (batch, target, vocab_size)

        tgt (batch, target) is all of it, or with a cache what follows the cached positions; memory
        (batch, source, d_model) is what `encode` made of src (batch, source).
        """
        mask = self.decoder_mask(tgt, cache)
        x = self.decoder(self.decoder.embed(tgt), mask, memory, padding_mask(src), trace, cache)
        return self.decoder.logits(x)


class EncoderClassifier(Model):
    """Classification from the hidden state of [CLS], the first token (Devlin et al. 2019).

    With pooling="mean" the states of all tokens are averaged instead.
    """

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.encoder = Stack(config, "encoder")
        self.head = nn.Linear(config.d_model, config.n_classes)

    def forward(
        self, tokens: Tensor, trace: Trace | None = None, inputs_embeds: Tensor | None = None
    ) -> Tensor:
        """tokens (batch, length), tokens[:, AT_CLS] is [CLS] -> logits (batch, n_classes)"""
        x = self.encoder.embed(tokens) if inputs_embeds is None else inputs_embeds
        x = self.encoder(x, padding_mask(tokens), trace=trace)
        return self.head(x[:, AT_CLS] if self.config.pooling == "cls" else mean_of_real(x, tokens))


class MaskedLM(Model):
    """An encoder that fills in hidden words: how a classifier learns the language before any label
    (Devlin et al. 2019, 3.1). The output head is tied to the embedding.
    """

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.encoder = Stack(config, "encoder")

    def forward(
        self, tokens: Tensor, trace: Trace | None = None, wanted: Tensor | None = None
    ) -> Tensor:
        """tokens (batch, length) -> logits (batch, length, vocab_size)

        wanted (batch, length), True where an answer is wanted, makes them (answers, vocab_size).
        """
        x = self.encoder(self.encoder.embed(tokens), padding_mask(tokens), trace=trace)
        return self.encoder.logits(x if wanted is None else x[wanted])


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
        mask = self.decoder_mask(tokens, cache)
        x = self.decoder.embed(tokens) if inputs_embeds is None else inputs_embeds
        return self.decoder.logits(self.decoder(x, mask, trace=trace, cache=cache))
