"""What attention heads look at, as `train.heads` found it: a name, how well it fits, and words.

A head is named by the rule that fits it (`transformer_core.explain.rules`), on texts that its model
was not trained on, and the name is put to a test on others; heads.json keeps what was found.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

from transformer_core.checkpoint import CheckpointError, Trained, read_measured
from transformer_core.explain.rules import CROSS, GROUPS, SELF, SOMETIMES, WIDE
from transformer_core.model.heads import Head
from transformer_core.model.models import Model
from transformer_core.model.trace import Site
from transformer_core.wording import percent, signed

BROAD = "broad"  # a name for heads that look at many tokens alike
ALIKE = 0.8  # a head with at least this share of the greatest possible entropy is broad
FITS = 0.4  # fraction of the way from chance to all of a head's attention at which a rule names it
FILE = "heads.json"


@dataclass(frozen=True)
class HeadRole:
    """What was measured of one head. Shares are 0 to 1, losses in nats."""

    role: str | None  # None: no rule fits
    share: float = 0.0  # of its attention on what the rule names; of the greatest entropy if broad
    chance: float = 0.0  # that share of a head that looks everywhere alike
    follow: float | None = None  # the share after edits that move what the rule names, if any do
    stay: float | None = None  # the share then still on what the rule named before
    loss: float = 0.0  # how much a prediction's loss rises without this head, mean over texts
    error: float = 0.0  # two standard errors of that mean

    @property
    def holds(self) -> bool:
        """Whether the name, which other texts gave it, held: it fits, and where there was an edit,
        the attention went along and left little behind."""
        if self.role is None or self.role == BROAD:
            return self.role is None or self.share >= ALIKE
        if self.share - self.chance < FITS * (1 - self.chance):
            return False
        if self.follow is None or self.stay is None:
            return True
        return self.follow >= 2 / 3 * self.share and self.stay <= 1 / 3 * self.share

    @property
    def label(self) -> str:
        """A name of few letters; with a question mark where it did not hold."""
        return f"{self.role or ''}{' ?' * (not self.holds)}"

    def to_json(self, head: Head) -> dict[str, Any]:
        """As heads.json keeps it: four decimals are enough."""
        site, index = head
        measured = {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}
        return {**site._asdict(), "head": index, **measured}


def roles_of(trained: Trained[Model]) -> dict[Head, HeadRole]:
    """What `train.heads` found of the heads; nothing if it has not measured these weights.

    CheckpointError if the file is not what `train.heads` writes.
    """
    found = read_measured(trained.folder, FILE, trained.weights)
    roles = {}
    try:
        for row in found["heads"] if found else ():
            head = Site(row.pop("stack"), row.pop("layer"), row.pop("kind")), row.pop("head")
            roles[head] = HeadRole(**row)
    except (KeyError, TypeError) as error:
        path = trained.folder / FILE
        raise CheckpointError(f"{path} is not what train.heads writes: {error!r}") from error
    return roles


def described(role: HeadRole, kind: str) -> str:
    """What was found of a head of this kind of attention, in sentences."""
    without = (
        f"Without this head the loss of a prediction changes by {signed(role.loss, 3)} "
        f"± {role.error:.3f} nats (two standard errors, on texts that training did not see)."
    )
    if role.role is None:
        return f"No simple rule says where it looks. {without}"
    if role.role == BROAD:
        return (
            f"It looks at many tokens alike: the entropy of its attention is {percent(role.share)} "
            f"of the maximum. {without}"
        )
    keys = (CROSS if kind == "cross" else {**SELF, **WIDE})[role.role]
    test = ""
    if role.follow is not None and role.stay is not None:
        edit = "words were put before the source" if kind == "cross" else "tokens changed places"
        test = (
            f"To test the name, {edit}: {percent(role.follow)} then lay where it points now, and "
            f"{percent(role.stay)} where it pointed before. "
        )
    doubt = "" if role.holds else "On other texts the name did not hold. "
    where = "Where there is such a token, " if role.role in SOMETIMES else ""
    return (
        f"{where}{percent(role.share)} of its attention lies on {keys}; "
        f"by chance it would be {percent(role.chance)}. {test}{doubt}{without}"
    )


class HeadNote(NamedTuple):
    """What a picture of a head says of it."""

    label: str  # what it does, in few letters
    said: str  # the same in sentences
    worth: float  # what is lost without it, as a share of the most lost without any one head
    group: str = ""  # what its name goes by: a place, a mark or a token; "" without such a name


UNKNOWN = HeadNote("", "", 0.0)


def labelled(roles: Mapping[Head, HeadRole]) -> dict[Head, HeadNote]:
    """What is known of each head."""
    most = max((role.loss for role in roles.values()), default=0.0)
    return {
        head: HeadNote(
            role.label,
            described(role, head[0].kind),
            max(0.0, role.loss) / most if most > 0 else 0.0,
            GROUPS.get(role.role or "", ""),
        )
        for head, role in roles.items()
    }


def by_layer(
    sites: Iterable[Site], n_heads: int, roles: Mapping[Head, HeadNote] | None
) -> list[list[HeadNote]]:
    """What is known of each head, layer by layer; UNKNOWN where nothing is.

    sites are those of one kind of attention, each with n_heads heads.
    """
    known = roles or {}
    return [[known.get((site, head), UNKNOWN) for head in range(n_heads)] for site in sites]


def most_lost(roles: Mapping[Head, HeadRole]) -> Head | None:
    """The head without which most is lost, if heads were measured."""
    return max(roles, key=lambda head: roles[head].loss, default=None)


def dearest(roles: Mapping[Head, HeadRole]) -> str:
    """Without which head most is lost, in a sentence; nothing where that may be chance.

    Chance has as many tries as there are heads, so what is asked of the largest loss grows with
    their number (Bonferroni): 2 standard errors of one head, 3.4 of 72.
    """
    head = most_lost(roles)
    if head is None:
        return ""
    errors = NormalDist().inv_cdf(1 - 0.0228 / len(roles))  # one of 44 samples is beyond 2 errors
    if (role := roles[head]).loss <= errors * role.error / 2:
        return ""
    return (
        " The bar under a head is what predictions lose without it, the longest "
        f"{role.loss:.3f} nats: {called(head, roles)}."
    )


def called(head: Head, roles: Mapping[Head, HeadRole]) -> str:
    """decoder layer 1 cross-attention, head 6 (“just written”)"""
    site, index = head
    label = roles[head].label if head in roles else ""
    return f"{site}, head {index + 1}{f' (“{label}”)' if label else ''}"


def counted(roles: Mapping[Head, HeadRole]) -> str:
    """How many heads have a name, in a sentence; nothing where none was measured."""
    if not roles:
        return ""
    named = [role for role in roles.values() if role.role is not None]
    n_doubtful = sum(not role.holds for role in named)
    test = f", {n_doubtful} of which, marked “?”, did not hold on other texts"
    return (
        f" {len(named)} of {len(roles)} heads have a name for what they look at"
        f"{test * bool(n_doubtful)}."
    )
