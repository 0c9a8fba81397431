"""Rules that name keys, and how much of its attention a head gives to what they name.

A rule is a boolean (query, key) matrix; `transformer_core.explain.rules` has their names. A head's
share of it is its attention on the keys that the rule names, the mean over the queries for which it
names one (Clark et al. 2019; Voita et al. 2019).
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from transformer_core.explain.rules import NEAR, OFFSETS, SELF, WIDE
from transformer_core.tokenization import BOS, CLS, EOS, SPECIAL_TOKENS, Tokenizer


def token_kinds(tokenizer: Tokenizer) -> dict[str, Tensor]:
    """Which tokens of a vocabulary are of a kind that a rule names. Each (vocab_size,)"""
    tokens = tokenizer.vocabulary
    ordinary = torch.arange(len(tokens)) >= len(SPECIAL_TOKENS)
    bare = [token.removeprefix("▁").strip() for token in tokens]
    marks = torch.tensor([bool(text) and not any(map(str.isalnum, text)) for text in bare])
    return {
        "punctuation": marks & ordinary,
        "spaces": torch.tensor([token == " " for token in tokens]),
        "line breaks": torch.tensor([token == "\n" for token in tokens]),
    }


def self_rules(ids: Tensor, kinds: dict[str, Tensor]) -> Tensor:
    """The rules of SELF and WIDE for a text, (length,). -> (rules, query, key)"""
    n = len(ids)
    place = torch.arange(n)
    offset = place[None] - place[:, None]
    other = offset != 0
    rules = {name: offset == by for name, by in OFFSETS.items()}
    rules["begin"] = ((ids == BOS) | (ids == CLS))[None] & other
    rules["end"] = (ids == EOS)[None] & other
    rules["same token"] = (ids[None] == ids[:, None]) & other & (ids >= len(SPECIAL_TOKENS))
    rules |= {name: of_kind[ids][None] & other for name, of_kind in kinds.items()}
    rules["few before"] = (offset < 0) & (offset >= -NEAR)
    rules["few ahead"] = (offset > 0) & (offset <= NEAR)
    rules["around"] = rules["few before"] | rules["few ahead"]
    return torch.stack([rules[name].expand(n, n) for name in (*SELF, *WIDE)])


def cross_rules(best: Tensor, src: Tensor) -> Tensor:
    """The rules of CROSS. -> (rules, query, key)

    best (queries,) is the source token that matters most for what is written there, -1 where no
    single one does; src (keys,).
    """
    own = torch.arange(len(src)) == best[:, None]
    before = torch.cat([torch.zeros_like(own[:1]), own[:-1]])
    end = (src == EOS).expand(len(best), -1)
    return torch.stack([own, before, end])


@dataclass(frozen=True)
class Tally:
    """How much of some heads' attention lies on what rules name; grows with every text."""

    share: Tensor  # (rules, heads), summed over queries
    chance: Tensor  # (rules, 1), as share, of a head that looks everywhere alike
    queries: Tensor  # (rules, 1), for which a rule names a key

    def __add__(self, other: "Tally") -> "Tally":
        """The tally over the texts of both."""
        sums = (getattr(self, f.name) + getattr(other, f.name) for f in fields(self))
        return Tally(*sums)

    @property
    def mean(self) -> Tensor:
        """(rules, heads)"""
        return self.share / self.queries.clamp(min=1)

    @property
    def mean_chance(self) -> Tensor:
        """(rules, 1)"""
        return self.chance / self.queries.clamp(min=1)

    @property
    def excess(self) -> Tensor:
        """How far the mean lies on the way from chance to all. (rules, heads)"""
        chance = self.mean_chance
        return (self.mean - chance) / (1 - chance).clamp(min=0.01)


def tally(weights: Tensor, rules: Tensor, allowed: Tensor, queries: Tensor) -> Tally:
    """The Tally of one text.

    weights (heads, query, key), rules (rules, query, key), allowed (query, key); queries are those
    that count, the same for all rules (query,) or each rule's own (rules, query).
    """
    keys = rules & allowed & queries[..., None]
    named = keys.sum(2)
    return Tally(
        keys.flatten(1).float() @ weights.flatten(1).T,
        (named / allowed.sum(1)).sum(1, keepdim=True),
        (named > 0).sum(1, keepdim=True).float(),
    )


def entropy(weights: Tensor, allowed: Tensor, queries: Tensor) -> Tally:
    """How evenly a head looks at all it may see, 0 to 1, tallied as if it were a rule's share."""
    n = allowed.sum(1)
    many = queries & (n > 2)
    found = torch.special.entr(weights).sum(2)[:, many] / n[many].log()
    count = many.sum().float().view(1, 1)
    return Tally(found.sum(1)[None], count, count)
