"""Two pieces at other places meet as they would in a text."""

import pytest
import torch
from tiny import tiny_translator

from transformer_core.model.trace import Trace
from transformer_core.studies.distance import SITE, meet
from transformer_core.studies.encodings import VARIANTS

PLACES, HEAD = 12, 2


def met(encoding, asks=9, asked=14, **changes):
    torch.manual_seed(3)
    trained = tiny_translator(positional_encoding=encoding, **changes)
    return trained, meet(trained, asks, asked, HEAD, PLACES)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("encoding", VARIANTS)
def test_scores_are_those_of_a_text_in_which_both_stand_there(encoding, norm):
    trained, found = met(encoding, norm=norm)
    for p, q in ((0, 0), (3, 7), (11, 2)):
        ids = torch.full((1, PLACES), 5)
        ids[0, q] = 14
        ids[0, p] = 9 if p != q else 14
        trace = Trace()
        trained.model.encode(ids, trace)
        kept = trace.attention[SITE]
        torch.testing.assert_close(found.keys[q], kept.key[0, HEAD, q])
        if p == q:  # only one of them can stand there
            continue
        torch.testing.assert_close(found.queries[p], kept.query[0, HEAD, p])
        wanted = kept.scores[0, HEAD, p, q]
        torch.testing.assert_close(found.scores[p, q], wanted, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("encoding", VARIANTS)
def test_only_of_some_encodings_the_distance_alone_counts(encoding):
    _, found = met(encoding)
    same = all(
        torch.allclose(row := found.scores.diagonal(k), row[:1].expand_as(row), atol=1e-4)
        for k in range(-4, 5)
    )
    assert same == (encoding in ("none", "rotary", "alibi"))
    everywhere = found.scores.flatten()
    alike = torch.allclose(everywhere, everywhere[:1].expand_as(everywhere), atol=1e-4)
    assert alike == (encoding == "none")


def test_a_pair_that_turns_is_back_after_its_period():
    _, found = met("rotary", position_base=4.0)
    first = found.periods[0].item()
    assert first == pytest.approx(2 * torch.pi)
    assert (found.periods[1:] > found.periods[:-1]).all()
    ways = torch.view_as_complex(found.queries.unflatten(-1, (-1, 2)).contiguous())
    turned = (ways[3] / ways[0]).angle() % (2 * torch.pi)
    torch.testing.assert_close(turned, 2 * torch.pi * 3 / found.periods, atol=1e-3, rtol=1e-3)
    assert met("learned")[1].periods is None


def test_what_the_pairs_add_up_to_is_the_score():
    _, found = met("rotary")
    parts = found.queries[3] * found.keys[8] * found.scale
    torch.testing.assert_close(parts.sum(), found.scores[3, 8], atol=1e-5, rtol=1e-4)
