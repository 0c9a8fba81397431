"""What two ways of computing the same have to agree on: sums of floats in another order differ in
their last digits, and of two that are as likely either may come first."""

from collections.abc import Sequence

import pytest

from transformer_core.decoding.search import Beam, Hypothesis
from transformer_core.tokenization import EOS

NEAR = 1e-4  # far more than such sums differ by, far less than two candidates mostly do


def assert_ranked_alike(ours: Sequence[tuple], theirs: Sequence[tuple]) -> None:
    """(what, total), the best first: the same totals, and the same where no neighbour is near."""
    totals = [total for _, total in theirs]
    assert [total for _, total in ours] == pytest.approx(totals, abs=NEAR)
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        beside = totals[max(place - 1, 0) : place] + totals[place + 1 : place + 2]
        if all(abs(total - totals[place]) > 2 * NEAR for total in beside):
            assert one[0] == other[0], f"place {place} of {ours}"


def said(hypotheses: Sequence[Hypothesis]) -> list[tuple]:
    """What a search found, as `assert_ranked_alike` compares it: by what it was ranked by."""
    return [(one.tokens, one.score(1.0)) for one in hypotheses]


def candidates(beam: Beam) -> list[list[tuple]]:
    """Of every step of a search what could have been written, in whichever order its beginnings
    stand, as `assert_ranked_alike` compares it."""
    alive: dict[int, tuple] = {0: ()}
    steps = []
    for step in beam.steps:
        named = [((*alive[one.parent], one.token), one) for one in step]
        steps.append([(path, one.total) for path, one in named])
        alive = {one.index: path for path, one in named if one.kept and one.token != EOS}
    return steps
