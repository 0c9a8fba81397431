"""Every number that can be opened is what its terms and steps make of it."""

import math

import pytest
import torch
from looked import every_change, every_model, looked

from transformer_core.inside.arithmetic import (
    SHOWN_TERMS,
    Cell,
    Factor,
    Reach,
    added,
    share,
    three_digits,
)
from transformer_core.inside.attention import OneHead
from transformer_core.inside.source import ROOT
from transformer_core.inside.stages import panels, unfold
from transformer_core.inside.which_line import line_that_made
from transformer_core.model.models import DecoderLM, EncoderDecoder

ELSEWHERE = {"before", "x", "update"}  # made in another part
UNCOMPUTED = ("probabilities", "added by each head")  # by any model itself
CLOSE = {"rel": 1e-3, "abs": 2e-5}  # the model counts in single precision


def cells(panel, head):
    """Of a panel the first, the last and one in the middle."""
    rows, columns = panel.values.shape
    places = {(0, 0), (rows - 1, columns - 1), (rows // 2, columns // 3)}
    for row, j in sorted(places):
        column = panel.chosen[j] if panel.chosen else j
        yield Cell(panel.title, row, column, head), panel.values[row, j].item()


def test_a_number_that_is_normalised_stands_among_all_of_its_row():
    seen, nodes = looked(DecoderLM)
    node = nodes["decoder:final norm"]
    before = panels(seen, node)[0].values
    _, found = unfold(seen, node, Cell("after", 1, 3, 0))
    crowd = found.picture
    assert crowd.numbers == pytest.approx(before[1].tolist()) and crowd.own == 3
    own = (crowd.numbers[3] - crowd.mean) / crowd.spread
    assert found.steps[1].value == pytest.approx(own)
    _, sum_of_products = unfold(seen, nodes["decoder:head"], Cell("logits", 0, 7, 0))
    assert sum_of_products.picture is None


def test_a_number_of_a_place_stands_on_the_wave_of_its_channel():
    seen, nodes = looked(EncoderDecoder, positional_encoding="sinusoidal")
    node, table = nodes["encoder:positions"], seen.model.encoder.positions.table
    for channel in (4, 5):
        _, found = unfold(seen, node, Cell("added", 2, channel, 0))
        assert found.picture.numbers == pytest.approx(table[:, channel].tolist())
        assert found.result == pytest.approx(found.picture.numbers[2], **CLOSE)


def test_a_weight_stands_among_what_its_mask_lets_through():
    seen, nodes = looked(EncoderDecoder)
    n = len(seen.reading.ids["decoder"])
    for panel in ("masked", "softmax"):
        _, found = unfold(seen, nodes["decoder:0:self:attention"], Cell(panel, 2, 1, 0))
        assert found.picture == Reach([*range(1, n + 1)], n, 2, 1)
        _, found = unfold(seen, nodes["decoder:0:cross:attention"], Cell(panel, 2, 1, 0))
        assert found.picture is None, "nothing is hidden"
    seen, nodes = looked(EncoderDecoder, causal_mask=False)
    for panel in ("masked", "softmax"):
        _, found = unfold(seen, nodes["decoder:0:self:attention"], Cell(panel, 0, 0, 0))
        assert found.picture is None, "no mask hides what comes later"


def test_what_something_else_hides_is_not_drawn_as_a_causal_mask():
    seen, nodes = looked(DecoderLM)
    head = OneHead(seen, nodes["decoder:0:self:attention"], 0)
    assert head.reach(2, 1) is not None
    head.hidden = torch.zeros_like(head.hidden)
    head.hidden[:, 1] = True  # as padding does
    assert head.reach(2, 1) is None


@every_model
@every_change
def test_what_is_added_up_and_done_makes_the_models_own_number(model_class, changes):
    seen, nodes = looked(model_class, **changes)
    for node in nodes.values():
        # a head is a slice of its module: what holds for the first and the last holds between
        last = seen.model.config.n_heads - 1
        heads = {0, last} if node.role == "attention" else {0}
        for head in heads:
            for panel in panels(seen, node, head):
                for cell, number in cells(panel, head):
                    _, found = unfold(seen, node, cell)
                    learnt = seen.model.config.positional_encoding != "sinusoidal"
                    elsewhere = panel.title in ELSEWHERE or (panel.title == "added" and learnt)
                    assert (found is None) == elsewhere
                    if found is not None:
                        assert found.result == pytest.approx(number, **CLOSE), (node.key, cell)


@every_model
@every_change
def test_of_every_number_that_opens_the_line_is_known_that_computes_it(model_class, changes):
    seen, nodes = looked(model_class, **changes)
    for node in nodes.values():
        for panel in panels(seen, node):
            if panel.made is None:
                continue
            line = line_that_made(seen, node, panel.title)
            if panel.title in UNCOMPUTED:
                assert line is None
                continue
            text = (ROOT / line.path).read_text(encoding="utf-8").splitlines()[line.first - 1]
            assert text.strip() == line.text and line.path.startswith("transformer_core/model/")


@pytest.mark.parametrize("model_class", [EncoderDecoder, DecoderLM])
def test_a_factor_that_can_be_opened_is_the_number_that_stands_there(model_class):
    seen, nodes = looked(model_class)
    opened = set()
    for node in nodes.values():
        for panel in panels(seen, node, 1):
            cell, _ = next(cells(panel, 1))
            _, found = unfold(seen, node, cell)
            for term in found.terms if found else ():
                for factor in (one for one in term.factors if one.cell):
                    opened.add((node.role, panel.title, factor.cell.panel))
                    where, made = unfold(seen, node, factor.cell)
                    column = factor.cell.column
                    if column in (where.chosen or [column]):
                        j = where.chosen.index(column) if where.chosen else column
                        number = where.values[factor.cell.row, j].item()
                        assert factor.value == pytest.approx(number, **CLOSE)
                    if made is not None:
                        assert made.result == pytest.approx(factor.value, **CLOSE)
    assert {
        ("attention", "query · key", "query"),
        ("attention", "softmax", "masked"),
        ("attention", "context", "value"),
        ("attention", "output", "context"),
        ("feed-forward", "output", "after relu"),
        ("head", "probabilities", "logits"),
    } <= opened


def test_a_number_that_is_not_there_is_no_number():
    seen, nodes = looked(EncoderDecoder)
    node = nodes["decoder:0:cross:attention"]
    for cell, error in (
        (Cell("no such stage", 0, 0, 0), KeyError),
        (Cell("softmax", 999, 0, 0), IndexError),
        (Cell("softmax", 0, 999, 0), IndexError),
        (Cell("query", 0, 999, 0), IndexError),
        (Cell("value", 0, seen.model.config.head_dim, 0), IndexError),  # the next head's
        (Cell("output", 0, 999, 0), IndexError),
    ):
        with pytest.raises(error):
            unfold(seen, node, cell)


def test_the_largest_terms_are_named_and_the_others_are_one_number():
    many = added(*((f"{i}", Factor((-1) ** i * i)) for i in range(30)))
    named, others = many.largest()
    assert [term.value for term in named] == [29 * -1, 28, -27, 26, -25, 24, -23, 22, -21, 20]
    assert math.fsum(term.value for term in named) + others == many.total == -15
    few, none = added(("a", Factor(1.0)), ("b", Factor(-2.0))).largest()
    assert [term.name for term in few] == ["b", "a"] and none == 0
    both, _ = added(("a", Factor(0.0)), ("b", Factor(1.0))).largest()
    assert [term.name for term in both] == ["b", "a"], "a summand is named, also if it is 0"


def test_of_a_softmax_its_own_term_is_always_named_and_what_is_hidden_has_no_share():
    scores = [Factor(float(i)) for i in range(20)]
    names = [f"{i}" for i in range(20)]
    last = share(names, scores, 0)
    named, _ = last.largest()
    assert len(named) == SHOWN_TERMS and named[-1] is last.terms[0]
    assert last.result == pytest.approx(torch.arange(20.0).softmax(0)[0].item())
    hidden = share(["a", "b"], [Factor(1.0), Factor(-math.inf)], 1)
    named, others = hidden.largest()
    assert len(named) == 2 and others == 0, "its own, which adds nothing, and the other"
    named, _ = share(["a", "b", "c"], [Factor(1.0), Factor(-math.inf), Factor(0.0)], 0).largest()
    assert [term.name for term in named] == ["a", "c"], "what is hidden is not listed"
    assert hidden.result == 0 and share(["a", "b"], hidden.terms[0].factors * 2, 0).result == 0.5


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-3.549, "−3.55"),
        (0.00012, "1.2e−4"),
        (999.4, "999"),
        (999.7, "1,000"),
    ],
)
def test_numbers_have_three_digits(number, written):
    assert three_digits(number) == written
