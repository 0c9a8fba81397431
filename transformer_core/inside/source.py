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

from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import causal_mask
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
    stack, block = model.decoder, model.decoder.blocks[0]
    first, last = trace.residual["decoder"][0], trace.residual["decoder"][-1]
    found = [
        part(
            "The whole model",
            [EncoderDecoder.forward, EncoderDecoder.encode, EncoderDecoder.decode],
            model,
            src=(1, source),
            tgt=(1, target),
            memory=trace.residual["encoder"][-1],
            logits=logits,
        ),
        part("Token vectors", [stack.embed], stack.embedding, tokens=(1, target), x=first),
        part(
            f"Positions: {config.positional_encoding}",
            [type(stack.positions)],
            stack.positions,
            x=first,
        ),
        part("A stack", [type(stack).forward], stack, x=first, output=last),
        part("A block", [type(block).forward], block, x=first, output=trace.residual["decoder"][1]),
        part(
            "Causal mask" if config.causal_mask else "Causal mask, switched off",
            [causal_mask, model.decoder_mask],
            None,
            mask=trace.attention[Site("decoder", 0, "self")].mask,
        ),
    ]
    for site in (
        Site("encoder", 0, "self"),
        Site("decoder", 0, "self"),
        Site("decoder", 0, "cross"),
    ):
        module = getattr(getattr(model, site.stack).blocks[0], f"{site.kind}_attention")
        code = [type(module).forward, module.keys_and_values, module.split_heads]
        found.append(part(str(site).capitalize(), code, module, **vars(trace.attention[site])))
    sublayer = trace.sublayers[Site("decoder", 0, "cross")]
    found.append(
        part(
            f"Residual and norm: {config.norm}",
            [type(block.add_self)],
            block.add_self,
            **vars(sublayer),
        )
    )
    if block.feed_forward is not None:
        site = Site("decoder", 0, "feed-forward")
        found.append(
            part(
                "Feed-forward network",
                [type(block.feed_forward)],
                block.feed_forward,
                x=trace.sublayers[site].read,
                **vars(trace.hidden[site]),
                output=trace.sublayers[site].update,
            )
        )
    found.append(part("Output head", [stack.logits], None, x=last, logits=logits))
    return found


def part(
    title: str, code: list[Callable[..., Any]], module: nn.Module | None, **flow: Tensor | Shape
) -> Part:
    """A Part whose shapes are those of some tensors (or are given), by name."""
    shapes = {name: tuple(getattr(value, "shape", value)) for name, value in flow.items()}
    n_parameters = sum(p.numel() for p in module.parameters()) if module is not None else 0
    return Part(title, tuple(map(lines_of, code)), shapes, n_parameters)
