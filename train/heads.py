"""Find out what every attention head looks at: `python -m train.heads`

On texts that the model was not trained on, each head is measured against rules that name keys
(`transformer_core.explain.roles`). Its name is that of the rule that fits it on every second text;
what is reported is measured on the others, and so is a test of the name: tokens change places, or
words are put before a source, and the attention must go along with what the rule names then. What
a prediction loses without the head stands beside it. The result stands in the checkpoint, as
heads.json.
"""

import argparse
import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from train.alignment import CLEAR, importance
from train.held_out import Text, texts_of
from transformer_core.checkpoint import Trained, load_trained, weights_of, write_atomically
from transformer_core.explain.roles import (
    AHEAD,
    BROAD,
    CROSS,
    FILE,
    SELF,
    WIDE,
    HeadRole,
    Tally,
    counted,
    cross_rules,
    entropy,
    kinds_of,
    self_rules,
    tally,
)
from transformer_core.model.heads import Head, every_head, without_each
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.model.trace import Site, Trace
from transformer_core.tokenization import CLS, SPECIAL_TOKENS

N_TEXTS = 120
N_BEFORE = 3  # tokens that are put before a source
N_QUERIES = 50  # that a rule must name keys for, or it names no head
FITS = 0.4  # of the way from chance to all of its attention
WIDER = 0.3  # more than the best narrow rule must a wide one have
ALIKE = 0.8  # of the greatest entropy
KNOCK_OUT_TOKENS = 4_096  # of one batch
FEW_KEYS = {EncoderDecoder: 2, DecoderLM: 16}  # so many make no choice for a decoder


@dataclass(frozen=True)
class Found:
    """What the heads of one module were seen to do."""

    plain: Tally
    follow: Tally  # after an edit, on what the rules name then
    stay: Tally  # after an edit, on what they name no more, by its place or by its token
    entropy: Tally

    def __add__(self, other: "Found") -> "Found":
        """On more texts."""
        return Found(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def read(model: Model, src: Tensor | None, ids: Tensor, trace: Trace | None = None) -> Tensor:
    """Logits. src and ids (batch, length)"""
    return model(ids, trace) if src is None else model(src, ids, trace)


def nats(model: Model, text: Text, trace: Trace | None = None, n: int = 1) -> Tensor:
    """The loss of a prediction in each of n rows, in which a trace switches heads off. -> (n,)"""
    src = None if text.src is None else text.src.expand(n, -1)
    logits = read(model, src, text.ids.expand(n, -1), trace)
    answer = text.answer.expand(n, *text.answer.shape)
    lost = F.cross_entropy(logits if logits.dim() == 2 else logits.mT, answer, reduction="none")
    return lost.view(n, -1).mean(1)


def losses(model: Model, text: Text) -> Tensor:
    """How much more a prediction loses without each head. -> (heads,)"""
    heads, found = list(every_head(model.sites, model.config.n_heads)), []
    size = max(1, KNOCK_OUT_TOKENS // len(text.ids))
    for first in range(0, len(heads), size):
        batch = heads[first : first + size]
        off = Trace(without_each(model, batch), record=False)
        found.append(nats(model, text, off, len(batch)))
    return torch.cat(found) - nats(model, text)


def edits(ids: Tensor, generator: torch.Generator) -> Tensor:
    """Where the token at each place comes from, in two edits: all ordinary ones are shuffled; each
    sign is exchanged with one of them. ids (length,) -> (2, length)"""
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
    """After an edit: what the rules name now, and what they named before and name no more. Only
    queries for which there is both say anything. Shapes as in `tally`."""
    gone = before & ~now & allowed
    tell = queries & gone.any(2) & (now & allowed).any(2)
    return tally(weights, now, allowed, tell), tally(weights, gone, allowed, tell)


class Measuring:
    """The heads of one checkpoint."""

    def __init__(self, trained: Trained[Any]):
        self.trained, self.kinds = trained, kinds_of(trained.tokenizer)
        self.generator = torch.Generator().manual_seed(0)

    def see(self, text: Text, other: Text) -> dict[Site, Found]:
        """What all heads do with one text; of the other, words are put before a source."""
        if text.src is None:
            return self.itself(self.trained.model.sites[0].stack, text, text.ids)
        found = self.itself("encoder", text, text.src) | self.itself("decoder", text, text.ids)
        return found | self.across(text, other)

    def itself(self, stack: str, text: Text, ids: Tensor) -> dict[Site, Found]:
        """Self-attention in a stack that reads ids, as they are and in another order."""
        model, came = self.trained.model, edits(ids, self.generator)
        rows, trace = torch.stack([ids, *ids[came]]), Trace()
        if text.src is None:
            read(model, None, rows, trace)
        elif stack == "encoder":
            read(model, rows, text.ids.expand(len(rows), -1), trace)
        else:
            read(model, text.src.expand(len(rows), -1), rows, trace)
        rules = [self_rules(row, self.kinds) for row in rows]
        # what they named before an edit, by its place or by its token
        before = [rules[0] | rules[0][:, one][:, :, one] for one in came]
        found = {}
        for site, seen in trace.attention.items():
            if (site.stack, site.kind) != (stack, "self"):
                continue
            allowed = seen.mask.expand(len(seen.mask), 1, len(ids), len(ids))[0, 0]
            first, *others = [self.queries(site, row) for row in rows]
            after = [
                edited(weights, now, then, allowed, queries)
                for weights, now, then, queries in zip(
                    seen.weights[1:], rules[1:], before, others, strict=True
                )
            ]
            follow, stay = (one + two for one, two in zip(*after, strict=True))
            plain = tally(seen.weights[0], rules[0], allowed, first)
            found[site] = Found(plain, follow, stay, entropy(seen.weights[0], allowed, first))
        return found

    def queries(self, site: Site, ids: Tensor) -> Tensor:
        """Which queries count: of a classifier's last layer only [CLS] is read, and the first ones
        of a decoder have few keys to choose from. -> (query,)"""
        model = self.trained.model
        if isinstance(model, EncoderClassifier) and site.layer == model.config.n_layers - 1:
            return ids == CLS
        few = FEW_KEYS.get(type(model), 0) if site.stack == "decoder" else 0
        return torch.arange(len(ids)) >= few

    def across(self, text: Text, other: Text) -> dict[Site, Found]:
        """Cross-attention, also with words put before the source: all else moves on by as many."""
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


def named(site: Site, found: Found) -> list[tuple[str | None, int]]:
    """The role of each head, and the number of its rule."""
    names = [*CROSS] if site.kind == "cross" else [*SELF, *WIDE]
    chance = found.plain.mean_chance
    excess = (found.plain.mean - chance) / (1 - chance).clamp(min=0.01)
    excess = excess.masked_fill(found.plain.queries < N_QUERIES, 0.0)
    able = [n for n, name in enumerate(names) if site.stack == "encoder" or name not in AHEAD]
    roles: list[tuple[str | None, int]] = []
    for head, alike in enumerate(found.entropy.mean[0].tolist()):
        fits = [rule for rule in able if excess[rule, head] >= FITS]
        narrow = [rule for rule in fits if names[rule] not in WIDE]
        own = excess[:, head]
        best = max(narrow, key=own.__getitem__, default=-1)
        wide = max(fits, key=own.__getitem__, default=-1)
        if best < 0 or own[wide] > own[best] + WIDER:
            best = wide
        roles.append((names[best] if best >= 0 else BROAD if alike >= ALIKE else None, best))
    return roles


def reported(role: str | None, rule: int, head: int, found: Found) -> HeadRole:
    """What the other texts say of a head that was named."""
    if role == BROAD:
        return HeadRole(role, share=found.entropy.mean[0, head].item())
    if role is None:
        return HeadRole(None)
    share, chance = found.plain.mean[rule, head].item(), found.plain.mean_chance[rule, 0].item()
    if found.follow.queries[rule, 0] < N_QUERIES:
        return HeadRole(role, share, chance)
    follow, stay = (after.mean[rule, head].item() for after in (found.follow, found.stay))
    return HeadRole(role, share, chance, follow, stay)


@torch.inference_mode()
def measure(trained: Trained[Model], texts: list[Text]) -> dict[Head, HeadRole]:
    """The roles of all heads, and what is lost without each."""
    measuring, lost = Measuring(trained), []
    halves: list[dict[Site, Found]] = [{}, {}]
    for number, text in enumerate(tqdm(texts)):
        half = halves[number % 2]
        for site, found in measuring.see(text, texts[number - 1]).items():
            half[site] = half[site] + found if site in half else found
        lost.append(losses(trained.model, text))
    mean = torch.stack(lost).mean(0).tolist()
    error = (2 * torch.stack(lost).std(0) / len(lost) ** 0.5).tolist()
    roles, (naming, testing) = {}, halves
    for number, (site, head) in enumerate(
        every_head(trained.model.sites, trained.model.config.n_heads)
    ):
        role, rule = named(site, naming[site])[head]
        one = reported(role, rule, head, testing[site])
        roles[site, head] = replace(one, loss=mean[number], error=error[number])
    return roles


def main(argv: list[str] | None = None) -> None:
    """Measure from the command line and write heads.json."""
    parser = argparse.ArgumentParser(prog="python -m train.heads", description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=Path("checkpoints/translation"))
    parser.add_argument("--data", type=Path, help="a local copy of the data")
    flags = parser.parse_args(argv)
    trained = load_trained(flags.checkpoint, Model)
    if not isinstance(trained.model, (EncoderDecoder, EncoderClassifier, DecoderLM)):
        raise SystemExit(
            f"{flags.checkpoint} holds {type(trained.model).__name__}: no task for it."
        )
    every = list(texts_of(trained, flags.data))
    texts = every[:: max(1, len(every) // N_TEXTS)][:N_TEXTS]
    if len(texts) < 2:
        raise SystemExit(f"{flags.data} holds too few texts that are not too long.")
    roles = measure(trained, texts)
    record = {
        "n_texts": len(texts),
        "heads": [role.to_json(head) for head, role in roles.items()],
        "weights": weights_of(flags.checkpoint),
    }
    write_atomically(flags.checkpoint / FILE, json.dumps(record, indent=1) + "\n")
    print(f"{flags.checkpoint}:{counted(roles)}")


if __name__ == "__main__":
    main()
