"""How much of every state came from which token: ALTI, and across two stacks ALTI+.

ALTI is of an encoder (Ferrando, Gállego and Costa-jussà: Measuring the Mixing of Contextual
Information in the Transformer, EMNLP 2022); ALTI+ goes on through cross-attention, where the
decoder's own stream is one more part (Ferrando et al.: Towards Opening the Black Box of Neural
Machine Translation: Source and Target Interpretations of the Transformer, EMNLP 2022).

An attention sublayer adds up vectors: what each token brought to a position through all heads and
the output projection, and the residual stream. A token's contribution is how much nearer its
vector brings the sum to where it ended: max(0, |y| - |y - part|) in the 1-norm, each row divided by
its sum. Attention alone would count a long look at an empty value, and forget the stream that
stays. Feed-forward networks and norms act on each position alone: they move nothing between tokens.

The shares say how much came from where, not what it argued for.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from transformer_core.model.models import Model
from transformer_core.model.trace import Site, Trace

CHUNK = 2**22  # numbers in the largest tensor: long texts are processed a few rows at a time


@torch.inference_mode()
def parts(
    model: Model, trace: Trace, site: Site, x: Tensor, rows: slice = slice(None)
) -> tuple[Tensor, Tensor]:
    """What every token brought to the output of one attention sublayer, and what belongs to none.

    trace is of one text, x (query, d_model) the residual stream before the sublayer, rows the
    queries that are wanted. Returns (rows, key, d_model) and (rows, d_model); the sum over the keys
    and the rest is what the sublayer left in the stream. In self-attention the stream counts as
    brought by the position itself, in cross-attention it is one more key, the last.
    """
    block, cross = getattr(model, site.stack).blocks[site.layer], site.kind == "cross"
    attention, seen = model.attention(site), trace.attention[site]
    add = block.add_cross if cross else block.add_self
    weights = seen.weights[0, :, rows]  # (heads, rows, key)
    if site in trace.head_mask:
        weights = weights * trace.head_mask[site][0][:, None, None]
    brought = torch.einsum("hij,hjo->ijo", weights, attention.carried(seen.value[0]))
    stream = x[rows] if add.residual else torch.zeros_like(x[rows])
    if cross:
        brought = torch.cat([brought, stream[:, None]], dim=1)
    else:
        queries = torch.arange(len(x))[rows]
        brought[torch.arange(len(queries)), queries] += stream
    rest = attention.output.bias.expand_as(stream)
    return through_norm(add.after, brought, rest)


def through_norm(norm: nn.Module, brought: Tensor, rest: Tensor) -> tuple[Tensor, Tensor]:
    """The same after a post-norm, which is linear once the deviation of the sum is known."""
    if not isinstance(norm, nn.LayerNorm):
        return brought, rest
    total = brought.sum(1) + rest
    slope = norm.weight / (total.var(-1, correction=0, keepdim=True) + norm.eps).sqrt()
    brought = (brought - brought.mean(-1, keepdim=True)) * slope[:, None]
    return brought, (rest - rest.mean(-1, keepdim=True)) * slope + norm.bias


def shares(brought: Tensor, out: Tensor, own: Tensor) -> Tensor:
    """The share of each part in its sum. Rows of the result sum to 1.

    brought (query, key, d_model), out (query, d_model); own (query,) is the key that a row's stream
    belongs to: it takes the row where no part leads towards the sum. -> (query, key)
    """
    kept = out.norm(1, -1)[:, None] - (out[:, None] - brought).norm(1, -1)
    kept = kept.clamp(min=0)
    lost = kept.sum(-1) == 0
    kept[lost, own[lost]] = 1.0
    return kept / kept.sum(-1, keepdim=True)


@torch.inference_mode()
def contributions(
    model: Model, trace: Trace, chunk: int = CHUNK, first: int = 0
) -> dict[Site, Tensor]:
    """What every token contributed at every attention sublayer, in the order of the forward pass.

    trace is a recorded pass of the model over one text. Each value is (query, key) and its rows sum
    to 1; cross-attention has one more key, the last: what the stream kept. chunk is how many
    numbers may be held at once. Queries before `first` are left out; only models with one stack
    allow that.
    """
    found = {}
    for site in model.sites:
        if site.kind == "self":
            x = trace.residual[site.stack][site.layer][0]
        n_keys = trace.attention[site].weights.size(-1)
        step = max(1, chunk // (n_keys * x.size(1)))
        rows, outs = [], []
        for start in range(first, len(x), step):
            queries = torch.arange(len(x))[start : start + step]
            brought, rest = parts(model, trace, site, x, slice(start, start + step))
            outs.append(brought.sum(1) + rest)
            own = queries.new_full(queries.shape, n_keys) if site.kind == "cross" else queries
            rows.append(shares(brought, outs[-1], own))
        found[site], x = torch.cat(rows), torch.cat(outs)
    return found


@dataclass(frozen=True)
class Origins:
    """What the last states of a model are made of; each row, both tensors together, sums to 1."""

    source: Tensor  # (row, token) of the first stack
    written: Tensor | None  # (row, token) of the decoder that reads it, if there is one


def origins(found: dict[Site, Tensor]) -> Origins:
    """Contributions followed through all layers, from the last states down to the tokens."""
    first = next(iter(found)).stack
    source, *above = (share for site, share in found.items() if site.stack == first)
    for share in above:
        source = share @ source
    second = {site: share for site, share in found.items() if site.stack != first}
    if not second:
        return Origins(source, None)
    written = torch.eye(len(next(iter(second.values()))))
    read = written.new_zeros(len(written), len(source))
    for site, share in second.items():
        if site.kind == "self":
            read, written = share @ read, share @ written
        else:
            kept = share[:, -1:]
            read, written = kept * read + share[:, :-1] @ source, kept * written
    return Origins(read, written)
