"""From the last states to what could be said: logits and probabilities."""

import math
from typing import Any

from torch import Tensor, nn

from transformer_core.inside.anatomy import Node
from transformer_core.inside.arithmetic import (
    Arithmetic,
    Cell,
    Factor,
    numbered,
    plain,
    projected,
    share,
)
from transformer_core.inside.forward import Pass
from transformer_core.inside.panel import Panel
from transformer_core.model.models import AT_CLS, EncoderClassifier
from transformer_core.tasks.classification import LABELS
from transformer_core.tasks.lens import log_probs
from transformer_core.wording import quoted

MOST = 48  # tokens that are shown of a large vocabulary, unless more answers are given


class Readout:
    """What the output head makes of one pass, a row for each answer."""

    def __init__(self, seen: Pass, node: Node):
        self.logits, self.rows, self.column = seen.logits, seen.tokens(node), "token"
        stack = seen.stack(node)
        self.states = stack.norm(seen.trace.residual[node.stack][-1])[0]
        self.layer: nn.Linear | nn.Embedding = stack.embedding
        if isinstance(seen.model, EncoderClassifier):
            first = seen.model.config.pooling == "cls"
            self.logits, self.column, self.layer = seen.logits[None], "class", seen.model.head
            self.states = self.states[[AT_CLS]] if first else self.states.mean(0, keepdim=True)
            self.rows = ["[CLS]" if first else "mean"]
            numbers = map(str, range(len(LABELS), self.logits.size(-1)))
            self.names = [*LABELS, *numbers][: self.logits.size(-1)]
        else:
            self.names = seen.trained.tokenizer.vocabulary
        logs = log_probs(seen.model, self.logits)
        self.probs, self.never = logs.exp(), logs == -math.inf

    def logit(self, row: int, index: int) -> Arithmetic:
        """What one token or class gets."""
        state = plain(self.states[row])
        return projected(
            self.layer, index, state, numbered("channel", len(state)), "the last state"
        )

    def share(self, row: int, index: int) -> Arithmetic:
        """Its probability, among those of all that may be said."""
        scores = [
            Factor(-math.inf) if never else Factor(logit, Cell("logits", row, i, 0))
            for i, (logit, never) in enumerate(
                zip(self.logits[row].tolist(), self.never[row].tolist(), strict=True)
            )
        ]
        return share([quoted(name) for name in self.names], scores, index)


def likeliest(probs: Tensor) -> Tensor:
    """The columns that are shown: of every row the likeliest, and up to MOST what else is likely
    somewhere.

    probs: (rows, columns)
    """
    most, answers = probs.amax(0), probs.argmax(-1).unique()
    most[answers] += 1  # these before all others
    return most.topk(min(max(MOST, len(answers)), len(most))).indices


def output_head(seen: Pass, node: Node, head: int) -> list[Panel]:
    """Logits and probabilities; of a large vocabulary the tokens that are likely somewhere."""
    said = Readout(seen, node)
    best = likeliest(said.probs)
    best = best[said.probs[:, best].argmax(0).argsort(stable=True)]  # in the order of their places
    chosen = best.tolist()
    shown, n_all = [said.names[index] for index in chosen], len(said.names)
    most = "" if len(shown) == n_all else f", the {len(shown)} likeliest of {n_all:,}"

    def panel(title: str, how: str, values: Tensor, **more: Any) -> Panel:
        return Panel(
            title, how, values[:, best], said.rows, said.column, shown, chosen=chosen, **more
        )

    how = "softmax over all that can be said" if said.column == "token" else "softmax"
    total = {"sum shown": said.probs[:, best].sum(-1)}
    return [
        panel("logits", f"the head's output{most}", said.logits, made=said.logit),
        panel("probabilities", how, said.probs, beside=total, signed=False, made=said.share),
    ]
