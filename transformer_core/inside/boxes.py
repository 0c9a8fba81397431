"""What the drawing of a model says of each of its parts."""

from dataclasses import dataclass

from transformer_core.inside.anatomy import Node, Role, stacks
from transformer_core.inside.encodings import changes
from transformer_core.inside.forward import Pass
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import PositionalEncoding
from transformer_core.wording import amount


@dataclass(frozen=True)
class Box:
    """One node in words and numbers."""

    key: str
    role: Role
    layer: int | None  # from 0; None outside the layers
    title: str
    note: str  # what there is to say beside the sizes
    shape: tuple[int, ...]  # of what leaves it
    parameters: int
    shared: int
    flops: int
    cross: bool  # it reads the memory of the encoder
    branch: bool  # it stands beside the residual stream, on a branch that is added to it


@dataclass(frozen=True)
class DrawnStack:
    """The boxes of one stack, in the order of the forward pass."""

    name: str
    tokens: int
    boxes: list[Box]


def drawn_stacks(seen: Pass, nodes: list[Node]) -> list[DrawnStack]:
    """The whole drawing of a model that has read something."""
    return [
        DrawnStack(
            stack.name,
            len(seen.reading.ids[stack.name]),
            [box(seen, node) for node in nodes if node.stack == stack.name],
        )
        for stack in stacks(seen.model)
    ]


def box(seen: Pass, node: Node) -> Box:
    """One node as it is drawn."""
    config = seen.model.config
    return Box(
        node.key,
        node.role,
        node.site.layer if node.site else None,
        title(node, config),
        note(seen, node),
        node.shape,
        node.parameters,
        node.shared,
        node.flops,
        cross=node.site is not None and node.site.kind == "cross",
        branch=is_branch(node, config),
    )


def title(node: Node, config: ModelConfig) -> str:
    """What a box is called."""
    if node.role == "positions":
        return f"positions: {config.positional_encoding}"
    return {
        "attention": f"{node.site.kind}-attention" if node.site else "",
        "head": "output head",
        "add": "x + update",
    }.get(node.role, node.role)


def note(seen: Pass, node: Node) -> str:
    """What there is to say of a box beside its sizes."""
    config = seen.model.config
    if node.role == "attention":
        told = f"{amount(config.n_heads, 'head')} of {config.head_dim} channels"
        if node.site is not None and node.site.kind == "cross":
            memory = next(iter(seen.reading.lengths.values()))
            told += f"; it looks at the encoder's {amount(memory, 'token')}"
        return told
    if node.role == "feed-forward":
        return (
            f"{config.d_model} → {config.d_ff:,} → {config.d_model} channels, {config.activation}"
        )
    if isinstance(node.module, PositionalEncoding):
        return places(node.module)
    if node.shared:
        return "the same matrix as the first embedding, counted there"
    return ""


def places(encoding: PositionalEncoding) -> str:
    """Where an encoding acts."""
    acts = {
        "embed": "adds a vector to each token's",
        "rotate": "turns queries and keys in every self-attention",
        "bias": "adds a position bias to the scores of every self-attention",
    }
    found = [what for place, what in acts.items() if changes(type(encoding), place)]
    return ", ".join(found) or "nothing is added, turned or subtracted"


def is_branch(node: Node, config: ModelConfig) -> bool:
    """Whether a box stands beside the residual stream, on a branch that is added to it."""
    inner = node.role in ("attention", "feed-forward")
    return config.residual and (inner or (node.role == "norm" and config.norm == "pre"))
