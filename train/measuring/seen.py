"""What every head of a model does with a text, as it is and after an edit.

The edit moves tokens (self-attention) or puts words before the source (cross-attention): a head
whose attention then follows what a rule of `train.measuring.head_rules` names goes by it.
"""

from dataclasses import dataclass, fields
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from train.measuring.head_rules import Tally, cross_rules, entropy, self_rules, tally, token_kinds
from train.measuring.held_out import Text
from train.measuring.occlusion import CLEAR, importance
from transformer_core.checkpoint import Trained
from transformer_core.explain.knock_out import knock_out
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.model.trace import Attention, Site, Trace
from transformer_core.tokenization import CLS, SPECIAL_TOKENS

N_BEFORE = 3  # tokens that are put before a source
TOKENS_AT_ONCE = 4_096  # of one batch
FEW_KEYS = {EncoderDecoder: 2, DecoderLM: 16}  # a decoder's query with so few keys has no choice


@dataclass(frozen=True)
class Found:
    """What the heads of one module were seen to do."""

    plain: Tally
    follow: Tally  # after an edit, on what the rules now name
    stay: Tally  # after an edit, on what they no longer name, by its place or by its token
    entropy: Tally

    def __add__(self, other: "Found") -> "Found":
        """On more texts."""
        return Found(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def read(model: Model, src: Tensor | None, ids: Tensor, trace: Trace | None = None) -> Tensor:
    """Logits. src and ids (batch, length)"""
    return model(ids, trace) if src is None else model(src, ids, trace)


def nats(model: Model, text: Text, trace: Trace | None = None, n: int = 1) -> Tensor:
    """The loss of a prediction in n copies; trace may switch heads off in each. -> (n,)"""
    src = None if text.src is None else text.src.expand(n, -1)
    logits = read(model, src, text.ids.expand(n, -1), trace)
    answer = text.answer.expand(n, *text.answer.shape)
    lost = F.cross_entropy(logits if logits.dim() == 2 else logits.mT, answer, reduction="none")
    return lost.view(n, -1).mean(1)


def losses(model: Model, text: Text) -> Tensor:
    """How much more a prediction loses without each head. -> (heads,)"""
    size = TOKENS_AT_ONCE // len(text.ids)
    return torch.tensor(
        [*knock_out(model, size, lambda n, off: nats(model, text, off, n)).values()]
    )


def edits(ids: Tensor, generator: torch.Generator) -> Tensor:
    """Where each place's token comes from, in two edits: one shuffles all ordinary tokens, the
    other swaps each special token with an ordinary one. ids (length,) -> (2, length)"""
    ordinary = (ids >= len(SPECIAL_TOKENS)).nonzero()[:, 0]
    signs = (ids < len(SPECIAL_TOKENS)).nonzero()[:, 0][: len(ordinary)]
    mixed = ordinary[torch.randperm(len(ordinary), generator=generator)]
    came = torch.arange(len(ids)).repeat(2, 1)
    came[0, ordinary] = mixed
    came[1, signs], came[1, mixed[: len(signs)]] = mixed[: len(signs)], signs
    return came


def edited(
    weights: Tensor, now: Tensor, before: Tensor, allowed: Tensor, queries: Tensor
) -> tuple[Tally, Tally]:
    """Attention after an edit on what the rules now name, and on what they no longer name. Only
    queries that have both count. Shapes as in `tally`."""
    gone = before & ~now & allowed
    tell = queries & gone.any(2) & (now & allowed).any(2)
    return tally(weights, now, allowed, tell), tally(weights, gone, allowed, tell)


class Measuring:
    """The heads of one checkpoint."""

    def __init__(self, trained: Trained[Any]):
        self.trained, self.kinds = trained, token_kinds(trained.tokenizer)
        self.generator = torch.Generator().manual_seed(0)

    def see(self, text: Text, other: Text) -> dict[Site, Found]:
        """What all heads do with one text; the other lends the words put before its source."""
        if text.src is None:
            return self.itself(self.trained.model.sites[0].stack, text, text.ids)
        found = self.itself("encoder", text, text.src) | self.itself("decoder", text, text.ids)
        return found | self.across(text, other)

    def itself(self, stack: str, text: Text, ids: Tensor) -> dict[Site, Found]:
        """Self-attention in a stack that reads ids, as they are and in another order."""
        came = edits(ids, self.generator)
        rows = torch.stack([ids, *ids[came]])
        rules = [self_rules(row, self.kinds) for row in rows]
        # what they named before an edit, by its place or by its token
        before = [rules[0] | rules[0][:, one][:, :, one] for one in came]
        return {
            site: self.found(site, seen, rows, rules, before)
            for site, seen in self.traced(stack, text, rows).attention.items()
            if (site.stack, site.kind) == (stack, "self")
        }

    def traced(self, stack: str, text: Text, rows: Tensor) -> Trace:
        """All attention over rows (batch, length) that a stack reads instead of a text."""
        model, trace = self.trained.model, Trace()
        if text.src is None:
            read(model, None, rows, trace)
        elif stack == "encoder":
            read(model, rows, text.ids.expand(len(rows), -1), trace)
        else:
            read(model, text.src.expand(len(rows), -1), rows, trace)
        return trace

    def found(
        self, site: Site, seen: Attention, rows: Tensor, rules: list[Tensor], before: list[Tensor]
    ) -> Found:
        """What the heads of one module do with rows; the first is the unedited text."""
        allowed = seen.mask.broadcast_to(seen.weights.shape)[0, 0]
        first, *others = [self.queries(site, row) for row in rows]
        after = [
            edited(weights, now, then, allowed, queries)
            for weights, now, then, queries in zip(
                seen.weights[1:], rules[1:], before, others, strict=True
            )
        ]
        follow, stay = (one + two for one, two in zip(*after, strict=True))
        plain = tally(seen.weights[0], rules[0], allowed, first)
        return Found(plain, follow, stay, entropy(seen.weights[0], allowed, first))

    def queries(self, site: Site, ids: Tensor) -> Tensor:
        """Which queries count: [CLS] alone where only its state is used, in the last layer of a
        classifier that pools it; and not a decoder's first ones, which have few keys to choose
        from. -> (query,)"""
        model = self.trained.model
        last = site.layer == model.config.n_layers - 1
        if isinstance(model, EncoderClassifier) and last and model.config.pooling == "cls":
            return ids == CLS
        few = FEW_KEYS.get(type(model), 0) if site.stack == "decoder" else 0
        return torch.arange(len(ids)) >= few

    def across(self, text: Text, other: Text) -> dict[Site, Found]:
        """Cross-attention, also with words put before the source, which shift all its tokens."""
        assert text.src is not None and other.src is not None
        model, written = self.trained.model, torch.cat([text.ids[:1], text.answer])
        lost, best = importance(self.trained, text.src[None], written[None]).max(1)
        rules = cross_rules(torch.where(lost > CLEAR, best, -1), text.src)
        longer = torch.cat([other.src[:N_BEFORE], text.src])
        plain, moved = Trace(), Trace()
        read(model, text.src[None], text.ids[None], plain)
        read(model, longer[None], text.ids[None], moved)
        now, before = F.pad(rules, (N_BEFORE, 0)), F.pad(rules, (0, N_BEFORE))
        queries = torch.ones(len(text.ids), dtype=torch.bool)
        near, far = (torch.ones(one.shape[1:], dtype=torch.bool) for one in (rules, now))
        found = {}
        for site in (site for site in model.sites if site.kind == "cross"):
            weights, after = (trace.attention[site].weights[0] for trace in (plain, moved))
            found[site] = Found(
                tally(weights, rules, near, queries),
                *edited(after, now, before, far, queries),
                entropy(weights, near, queries),
            )
        return found
