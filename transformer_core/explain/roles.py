"""What attention heads look at: rules that name keys, and how much of its attention a head gives
them.

A rule is a boolean (query, key) matrix. A head's share of it is its attention on the keys that the
rule names, the mean over the queries for which it names one (Clark et al. 2019; Voita et al. 2019).
`train.heads` measures every head on texts that its model was not trained on, gives it the name of
the rule that fits it, and puts the name to a test; heads.json keeps what was found.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor

from transformer_core.checkpoint import Trained, read_json, weights_of
from transformer_core.model.heads import Head
from transformer_core.model.models import Model
from transformer_core.model.trace import Site
from transformer_core.tasks.wording import percent, signed
from transformer_core.tokenization import BOS, CLS, EOS, SPECIAL_TOKENS, Tokenizer

NEAR = 4  # tokens to one side that are few
OFFSETS = {"itself": 0, "previous": -1, "next": 1, "2 before": -2, "2 ahead": 2}
SELF = {  # by its name, what a rule of self-attention names
    "itself": "the token itself",
    "previous": "the token before",
    "next": "the token after",
    "2 before": "the token two before",
    "2 ahead": "the token two ahead",
    "begin": "the sign at the beginning",
    "end": "the end sign",
    "same token": "other places with the same token",
    "punctuation": "punctuation",
    "spaces": "spaces",
    "line breaks": "line breaks",
}
WIDE = {  # a name for heads that no narrower rule fits
    "few before": f"the last {NEAR} tokens",
    "few ahead": f"the next {NEAR} tokens",
    "around": f"the {NEAR} tokens on either side",
}
AHEAD = ("next", "2 ahead", "few ahead", "around")  # rules that are none for a decoder
CROSS = {
    "aligns": "the source token that the next one is made of",
    "just written": "the source token of what was written last",
    "end": "the end sign",
}
BROAD = "broad"  # a name for heads that look nearly everywhere alike
FILE = "heads.json"


@dataclass(frozen=True)
class HeadRole:
    """What was measured of one head. Shares are 0 to 1, losses in nats."""

    role: str | None  # None: no rule fits
    share: float = 0.0  # of its attention on what the rule names
    chance: float = 0.0  # that share of a head that looks everywhere alike
    follow: float | None = None  # the share after edits that move what the rule names, if any do
    stay: float | None = None  # what it gives then to what the rule names no more
    loss: float = 0.0  # of a prediction, how much more without this head; the mean over texts
    error: float = 0.0  # two standard errors of that mean

    @property
    def holds(self) -> bool | None:
        """Whether the name held in its test: the attention went along, and left little behind.

        None if there was no test.
        """
        if self.follow is None or self.stay is None:
            return None
        return self.follow >= 2 / 3 * self.share and self.stay <= 1 / 3 * self.share

    @property
    def label(self) -> str:
        """A name of few letters; with a question mark where it did not hold."""
        return f"{self.role or ''}{' ?' * (self.holds is False)}"

    def to_json(self, head: Head) -> dict[str, Any]:
        """As heads.json keeps it: four decimals are enough."""
        site, index = head
        measured = {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}
        return {**site._asdict(), "head": index, **measured}


def roles_of(trained: Trained[Model]) -> dict[Head, HeadRole]:
    """What `train.heads` found of the heads; nothing if it has not measured these weights."""
    found = read_json(trained.folder / FILE)
    if found is None or found.get("weights") != weights_of(trained.folder):
        return {}
    roles = {}
    for row in found["heads"]:
        head = Site(row.pop("stack"), row.pop("layer"), row.pop("kind")), row.pop("head")
        roles[head] = HeadRole(**row)
    return roles


def told(role: HeadRole, kind: str) -> str:
    """What was found of a head of this kind of attention, in sentences."""
    without = (
        f"Without this head the loss of a prediction changes by {signed(role.loss, 3)} nats "
        f"(± {role.error:.3f}, on texts that training did not see)."
    )
    if role.role is None:
        return f"No simple rule says where it looks. {without}"
    if role.role == BROAD:
        return f"It looks at nearly everything alike. {without}"
    keys = (CROSS if kind == "cross" else {**SELF, **WIDE})[role.role]
    test = ""
    if role.follow is not None and role.stay is not None:
        edit = "words are put before the source" if kind == "cross" else "tokens change places"
        test = f"When {edit}, {percent(role.follow)} go along and {percent(role.stay)} do not. "
    return (
        f"{percent(role.share)} of its attention lies on {keys}; {percent(role.chance)} would if "
        f"it looked everywhere alike. {test}{without}"
    )


def labelled(roles: Mapping[Head, HeadRole]) -> dict[Head, tuple[str, str]]:
    """What each head does: in few letters, and in sentences."""
    return {head: (role.label, told(role, head[0].kind)) for head, role in roles.items()}


def called(head: Head, roles: Mapping[Head, HeadRole]) -> str:
    """decoder layer 1 cross-attention, head 6 (“just written”)"""
    site, index = head
    label = roles[head].label if head in roles else ""
    return f"{site}, head {index + 1}{f' (“{label}”)' if label else ''}"


def counted(roles: Mapping[Head, HeadRole]) -> str:
    """How many heads have a name, in a sentence; nothing where none was measured."""
    if not roles:
        return ""
    named = [role for role in roles.values() if role.role not in (None, BROAD)]
    n_doubtful = sum(role.holds is False for role in named)
    test = f", {n_doubtful} of which, marked “?”, did not hold when texts were changed"
    return (
        f" {len(named)} of {len(roles)} heads have a name for what they look at"
        f"{test * bool(n_doubtful)}."
    )


def kinds_of(tokenizer: Tokenizer) -> dict[str, Tensor]:
    """Which tokens of a vocabulary are of a kind that a rule names. Each (vocab_size,)"""
    tokens = [tokenizer.token(i) for i in range(tokenizer.vocab_size)]
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
        """Of more texts."""
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


def tally(weights: Tensor, rules: Tensor, allowed: Tensor, queries: Tensor) -> Tally:
    """Of one text. weights (heads, query, key), rules (rules, query, key), allowed (query, key);
    queries (query,), or for each rule its own, (rules, query): those that count.
    """
    keys = rules & allowed & queries[..., None]
    named = keys.sum(2)
    return Tally(
        keys.flatten(1).float() @ weights.flatten(1).T,
        (named / allowed.sum(1)).sum(1, keepdim=True),
        (named > 0).sum(1, keepdim=True).float(),
    )


def entropy(weights: Tensor, allowed: Tensor, queries: Tensor) -> Tally:
    """As if it were a rule's share: how alike a head looks at all it may see, 0 to 1."""
    n = allowed.sum(1)
    many = queries & (n > 2)
    found = torch.special.entr(weights).sum(2)[:, many] / n[many].log()
    count = many.sum().float().view(1, 1)
    return Tally(found.sum(1)[None], count, count)
