"""The lines of this package that compute something, and the shapes of what flows through them.

Both are read when they are asked for: the lines by `inspect`, the shapes from a run of the same
code on torch's meta device, where tensors have shapes and no numbers.
"""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.blocks import FeedForward
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.models import EncoderDecoder, Model
from transformer_core.model.trace import Site, Trace

ROOT = Path(__file__).parents[2]

Shape = tuple[int, ...]
M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Lines:
    """Some lines of a file of this project, as they run."""

    path: str  # from the project's root
    first: int  # number of the first line
    text: str


@dataclass(frozen=True)
class Part:
    """One part of a model: where it is written, and how large what passes through it is."""

    title: str
    lines: tuple[Lines, ...]
    shapes: dict[str, Shape]  # by the names that the code uses
    n_parameters: int = 0


def lines_of(thing: Callable[..., Any]) -> Lines:
    """The source of a function, method or class of this project."""
    text, first = inspect.getsourcelines(thing)
    path = Path(inspect.getfile(thing)).resolve().relative_to(ROOT)
    return Lines(path.as_posix(), first, textwrap.dedent("".join(text)).rstrip())


def weightless(model_class: type[M], config: ModelConfig, *lengths: int) -> tuple[M, Trace, Tensor]:
    """A model without numbers, the trace of one pass through it, and its output.

    lengths are those of the token sequences that it reads, in a batch of one.
    """
    with torch.device("meta"):
        model = model_class(config).eval()
        tokens = [torch.zeros(1, length, dtype=torch.long) for length in lengths]
        trace = Trace(inside=True)
        return model, trace, model(*tokens, trace)


def code_parts(config: ModelConfig, source: int, target: int) -> list[Part]:
    """An encoder-decoder part by part, in the order in which a token passes them.

    source and target are the lengths of the input and of the output so far, in tokens.
    """
    model, trace, logits = weightless(EncoderDecoder, config, source, target)
    whole = part(
        "The whole model",
        [EncoderDecoder.forward, EncoderDecoder.encode, EncoderDecoder.decode],
        model,
        src=(1, source),
        tgt=(1, target),
        memory=trace.residual["encoder"][-1],
        logits=logits,
    )
    last = trace.residual["decoder"][-1]
    head = part("Output head", [model.decoder.logits], None, x=last, logits=logits)
    return [whole, *stack_parts(model, trace, target), *block_parts(model, trace), head]


def stack_parts(model: EncoderDecoder, trace: Trace, target: int) -> list[Part]:
    """The decoder as a whole, and what its layers are given."""
    config, stack, states = model.config, model.decoder, trace.residual["decoder"]
    place, block = stack.positions, stack.blocks[0]
    masked = "Causal mask" if config.causal_mask else "Causal mask, switched off"
    used = causal_mask if config.causal_mask else padding_mask
    mask = trace.attention[Site("decoder", 0, "self")].mask
    return [
        part("Token vectors", [stack.embed], stack.embedding, tokens=(1, target), x=states[0]),
        part(f"Positions: {config.positional_encoding}", [type(place)], place, x=states[0]),
        part("A stack", [type(stack).forward], stack, x=states[0], output=states[-1]),
        part("A block", [type(block).forward], block, x=states[0], output=states[1]),
        part(masked, [used, model.decoder_mask], None, mask=mask),
    ]


def block_parts(model: EncoderDecoder, trace: Trace) -> list[Part]:
    """What the layers are made of, each the first of its kind."""
    found = []
    for site in (
        Site("encoder", 0, "self"),
        Site("decoder", 0, "self"),
        Site("decoder", 0, "cross"),
    ):
        module, seen = model.attention(site), vars(trace.attention[site])
        found.append(part(str(site).capitalize(), attention_code(module), module, **seen))
    add, wide = model.decoder.blocks[0].add_self, model.decoder.blocks[0].feed_forward
    steps = vars(trace.sublayers[Site("decoder", 0, "cross")])
    found.append(part(f"Residual and norm: {model.config.norm}", [type(add)], add, **steps))
    if wide is not None:
        site = Site("decoder", 0, "feed-forward")
        ends = trace.sublayers[site]
        flow = {"x": ends.read, **vars(trace.hidden[site]), "output": ends.update}
        found.append(part("Feed-forward network", feed_forward_code(wide), wide, **flow))
    return found


def attention_code(module: MultiHeadAttention) -> list[Callable[..., Any]]:
    """What computes an attention module."""
    return [module.forward, module.keys_and_values, module.split_heads, module.join_heads]


def feed_forward_code(module: FeedForward) -> list[Callable[..., Any]]:
    """What computes a feed-forward network; the kinds of it share what they do not write anew."""
    return [type(module)] if "forward" in vars(type(module)) else [type(module), FeedForward]


def part(
    title: str, code: list[Callable[..., Any]], module: nn.Module | None, **flow: Tensor | Shape
) -> Part:
    """A Part whose shapes are those of some tensors (or are given), by name."""
    shapes = {name: tuple(getattr(value, "shape", value)) for name, value in flow.items()}
    n_parameters = sum(p.numel() for p in module.parameters()) if module is not None else 0
    return Part(title, tuple(map(lines_of, code)), shapes, n_parameters)
