"""A text on its way through a model: what fed what, layer by layer, and what was said at its end.

`translation_flow`, `sentiment_flow` and `story_flow` take what a task has computed already and
answer with one `Flow`, whatever the model. Of a long text the tokens that matter least, or the
oldest, are summed in one row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.explain.contributions import contributions
from transformer_core.model.models import (
    AT_CLS,
    DecoderLM,
    EncoderClassifier,
    EncoderDecoder,
    Model,
)
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.classification import LABELS, POSITIVE, Classification
from transformer_core.tasks.generation import Look
from transformer_core.tasks.lens import class_lens, token_lens
from transformer_core.tasks.translation import Sentence

ROWS = 24  # tokens that are drawn at most, the row of all others included
REVIEW_ROWS = 18  # the same for a review, whose picture stands beside its verdict and is lower
CHARACTERS = 40  # of a story
N_CANDIDATES = 5


@dataclass(frozen=True)
class Prediction:
    """What could be said at one place."""

    text: str
    id: int
    prob: float


@dataclass(frozen=True)
class Output:
    """What the state of one row became."""

    row: int  # of the last stack
    chosen: Prediction
    candidates: list[Prediction]  # best first, the chosen one always among them
    lens: list[Prediction]  # before the first layer and after each, as token_lens or class_lens


@dataclass(frozen=True)
class Column:
    """One column of layers; the rows of all shares sum to 1."""

    name: str
    tokens: list[str]
    self_shares: list[Tensor]  # a layer each, (row, row)
    cross_shares: list[Tensor]  # (row, row of the stack before + 1), the last: what the stream kept
    self_heads: list[Tensor]  # main_heads between the tokens, a layer each (token, token)
    cross_heads: list[Tensor]  # (token, token of the stack before)
    places: list[int]  # of the tokens, in all that the model read
    more: tuple[int, int] | None = None  # the row that stands for several tokens, and for how many


@dataclass(frozen=True)
class Flow:
    """A text's way through a model."""

    kind: str  # "translate", "classify" or "write"
    stacks: list[Column]
    said: list[Output]
    begin: int = 0  # index in `said`: whatever is before it was the visitor's own text
    start: int = 0  # place in the text of the first that was said
    guess: bool = False  # nothing stands at the last place yet: the likeliest is drawn there


@torch.inference_mode()
def translation_flow(trained: Trained[EncoderDecoder], sentence: Sentence) -> Flow:
    """The flow of a translated sentence, out of the trace that it holds."""
    model, name = trained.model, trained.tokenizer.token
    found = contributions(model, sentence.trace)
    lens = token_lens(model, model.decoder, sentence.trace, slice(len(sentence.tokens)))
    said = []
    for row, token in enumerate(sentence.tokens):
        chosen = Prediction(token.text, token.id, token.prob)
        likely = [Prediction(text, i, prob) for i, text, prob in token.alternatives]
        said.append(Output(row, chosen, with_chosen(likely, chosen), best(lens[:, row], name)))
    heads = {site: main_heads(model, sentence.trace, site) for site in found}
    stacks = [
        Column(
            stack.capitalize(),
            tokens,
            layers(found, stack, "self"),
            layers(found, stack, "cross"),
            layers(heads, stack, "self"),
            layers(heads, stack, "cross"),
            list(range(len(tokens))),
        )
        for stack, tokens in (("encoder", sentence.src_tokens), ("decoder", sentence.read_tokens))
    ]
    return Flow("translate", stacks, said)


@torch.inference_mode()
def sentiment_flow(trained: Trained[EncoderClassifier], found: Classification) -> Flow:
    """The flow of a review's tokens into [CLS]; found holds a trace.

    If there are more than REVIEW_ROWS, those that contribute most to the last state of [CLS] are
    drawn. In every layer the others are averaged, weighted by how much of that state goes through
    each of them, so that the sum is exact.
    """
    tokens, model, trace = found.review.tokens, trained.model, found.trace
    assert trace is not None
    shares = layers(contributions(model, trace), "encoder", "self")
    passing = passing_through(shares)
    kept, more = kept_tokens(passing[0]), None
    if len(tokens) > len(kept):
        more = (len(kept), len(tokens) - len(kept))
        shares = [
            lumped(share, kept, weight) for share, weight in zip(shares, passing[1:], strict=True)
        ]
        tokens = [tokens[i] for i in kept]
    probs = class_lens(model, trace)
    lens = [Prediction(LABELS[POSITIVE], POSITIVE, p) for p in probs[:, POSITIVE].tolist()]
    both = [Prediction(label, i, probs[-1, i].item()) for i, label in enumerate(LABELS)]
    chosen = both[LABELS.index(found.label)]
    heads = [main_heads(model, trace, site)[kept][:, kept] for site in model.sites]
    stack = Column("Encoder", tokens, shares, [], heads, [], kept, more)
    return Flow("classify", [stack], [Output(0, chosen, both, lens)])


def passing_through(shares: list[Tensor]) -> list[Tensor]:
    """How much of the last state of [CLS] goes through each token's state, before the first layer
    and after each; shares are those of a review, a layer each (token, token) -> (token,) each."""
    passing = [torch.eye(len(shares[0]))[AT_CLS]]
    for share in reversed(shares):
        passing.insert(0, passing[0] @ share)
    return passing


def kept_tokens(parts: Tensor) -> list[int]:
    """The places of the tokens of a review that are drawn. parts (token,): the share of [CLS] that
    came from each."""
    if len(parts) <= REVIEW_ROWS:
        return list(range(len(parts)))
    return [0, *sorted((parts[1:].topk(REVIEW_ROWS - 2).indices + 1).tolist())]


def first_drawn(seen: Look) -> int:
    """From which character on a story is drawn."""
    return max(0, len(seen.tokens) - CHARACTERS)


@torch.inference_mode()
def story_flow(trained: Trained[DecoderLM], seen: Look, ids: list[int], prompt: int = 0) -> Flow:
    """The flow of a story's last CHARACTERS into the prediction at the place that was looked at.

    All older characters are one row. ids are the story's; the first `prompt` are the visitor's own.
    """
    name = trained.tokenizer.token
    first = first_drawn(seen)
    shares = layers(contributions(trained.model, seen.trace, first=first), "decoder", "self")
    tokens, more = seen.tokens[first:], None
    if first:  # older characters look only at each other: as a single row they keep all they have
        shares = [older_as_one(share, first) for share in shares]
        more = (0, first)
    model, rows = trained.model, range(first, len(seen.tokens))
    lens = token_lens(model, model.decoder, seen.trace, slice(first, None))
    at = bool(more)
    said = []
    for n, row in enumerate(rows):
        log_probs, place = lens[-1, n], seen.start + row + 1
        index = ids[place] if place < len(ids) else int(log_probs.argmax())
        chosen = prediction(index, log_probs, name)
        likely = [prediction(i, log_probs, name) for i in log_probs.topk(N_CANDIDATES).indices]
        said.append(Output(n + at, chosen, with_chosen(likely, chosen), best(lens[:, n], name)))
    start = seen.start + first + 1
    begin = min(len(said) - 1, max(0, prompt - start))
    guess = seen.position == len(ids)
    heads = [main_heads(model, seen.trace, site)[first:, first:] for site in model.sites]
    stack = Column("Decoder", tokens, shares, [], heads, [], list(rows), more)
    return Flow("write", [stack], said, begin, start, guess)


def layers(found: dict[Site, Tensor], stack: str, kind: str) -> list[Tensor]:
    """What was found of one kind of attention, layer by layer."""
    return [each for site, each in found.items() if (site.stack, site.kind) == (stack, kind)]


def prediction(index: int | Tensor, log_probs: Tensor, name: Callable[[int], str]) -> Prediction:
    """One entry of a distribution. log_probs (vocab_size,)"""
    return Prediction(name(int(index)), int(index), log_probs[int(index)].exp().item())


def best(lens: Tensor, name: Callable[[int], str]) -> list[Prediction]:
    """The likeliest prediction of every layer. lens (layers + 1, vocab_size)"""
    return [prediction(row.argmax(), row, name) for row in lens]


def with_chosen(likely: list[Prediction], chosen: Prediction) -> list[Prediction]:
    """The likeliest few; the chosen one takes the last place if it is not among them."""
    likely = likely[:N_CANDIDATES]
    known = any(one.id == chosen.id for one in likely)
    return likely if known else [*likely[:-1], chosen]


def lumped(share: Tensor, kept: list[int], weight: Tensor) -> Tensor:
    """Some rows and columns of a layer as they are, and after them all others merged into one.

    The merged row is their mean, weighted by weight (row,). (row, row) -> (kept + 1, kept + 1)
    """
    others = torch.ones(len(share), dtype=torch.bool)
    others[kept] = False
    share = torch.cat([share[:, kept], share[:, others].sum(1, keepdim=True)], 1)
    weight = weight[others].clamp(min=1e-12)
    return torch.cat([share[kept], (weight @ share[others] / weight.sum())[None]])


def older_as_one(share: Tensor, first: int) -> Tensor:
    """All tokens before `first` as one row, the first. share (row from first on, row)"""
    rows = torch.cat([share[:, :first].sum(1, keepdim=True), share[:, first:]], 1)
    return torch.cat([torch.eye(1, rows.size(1)), rows])


@torch.inference_mode()
def main_heads(model: Model, trace: Trace, site: Site) -> Tensor:
    """The head of an attention module that brought most from each key to each query, in the 1-norm.

    Before the norm, if one follows: it is the same for all. -> (query, key)
    """
    seen = trace.attention[site]
    brought = model.attention(site).carried(seen.value[0]).norm(1, -1)
    if site in trace.head_mask:
        brought = brought * trace.head_mask[site][0][:, None]
    return (seen.weights[0] * brought[:, None]).argmax(0)
