"""Muon of our own does what torch's does, in the precision that is wanted."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from train.loop import TrainConfig, fit
from train.muon import COEFFICIENTS, ITERATIONS, Muon, orthogonal

SHAPES = ((6, 6), (6, 24), (24, 6), (6, 6), (6, 24), (5, 7))
SETTINGS = {"lr": 0.01, "weight_decay": 0.1}


@pytest.fixture
def in_float32(monkeypatch):
    """torch's Muon converts to bfloat16 with this method, and takes the copy for its own."""
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)


def torchs(matrices) -> torch.optim.Optimizer:
    return torch.optim.Muon(matrices, **SETTINGS, adjust_lr_fn="match_rms_adamw")


def ours(matrices) -> torch.optim.Optimizer:
    return Muon(matrices, **SETTINGS)


def some_matrices() -> list[nn.Parameter]:
    random = torch.Generator().manual_seed(0)
    return [nn.Parameter(torch.randn(shape, generator=random) / 10) for shape in SHAPES]


def train(matrices, optimizer, steps) -> torch.Tensor:
    """Steps with gradients of their own; the second matrix has none in the first. -> all values"""
    for step in steps:
        random = torch.Generator().manual_seed(step)
        for place, matrix in enumerate(matrices):
            gradient = torch.randn(matrix.shape, generator=random)
            matrix.grad = None if (step, place) == (0, 1) else gradient
        optimizer.step()
    return torch.cat([matrix.detach().flatten() for matrix in matrices])


def moved(make) -> torch.Tensor:
    """How far an optimizer takes the matrices in four steps."""
    start = train(matrices := some_matrices(), make(matrices), range(0))
    return train(matrices, make(matrices), range(4)) - start


@pytest.mark.parametrize("shape", [(3, 8, 8), (2, 8, 40)])
def test_singular_vectors_stay_and_singular_values_come_near_one(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(0)).double()
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    values = values / values.norm(dim=-1, keepdim=True)
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        values = a * values + b * values**3 + c * values**5
    found = orthogonal(matrices)
    assert_close(found, left @ values.diag_embed() @ right)
    least, most = torch.linalg.svdvals(found).aminmax()
    assert least > 0.68 and most < 1.21


def test_a_gradient_of_zeros_moves_nothing_and_is_a_number():
    assert torch.equal(orthogonal(torch.zeros(2, 3, 4)), torch.zeros(2, 3, 4))


def test_it_is_torchs_in_float32(in_float32):
    assert_close(moved(ours), moved(torchs), rtol=1e-4, atol=1e-6)


def test_it_is_torchs_but_for_the_rounding_of_bfloat16():
    expected = moved(torchs)
    assert (moved(ours) - expected).norm() < 0.02 * expected.norm()
    with torch.autocast("cpu", torch.bfloat16):
        found = moved(ours)
    assert (found - expected).norm() < 0.02 * expected.norm()


def test_it_goes_on_from_a_state_of_torchs(in_float32):
    expected = train(matrices := some_matrices(), torchs(matrices), range(6))
    old = torchs(matrices := some_matrices())
    train(matrices, old, range(3))
    new = ours(matrices)
    new.load_state_dict(old.state_dict())
    assert_close(train(matrices, new, range(3, 6)), expected, rtol=1e-4, atol=1e-6)


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ValueError, match=r"not for shape \(3,\)"):
        ours([nn.Parameter(torch.zeros(3))])


class Hidden(nn.Module):
    """As little as Muon trains: a matrix inside a block."""

    def __init__(self):
        super().__init__()
        self.stack = nn.ModuleDict({"blocks": nn.Linear(4, 4)})

    def forward(self, x):
        return self.stack["blocks"](x)


@pytest.mark.parametrize(("precision", "dtype"), [("no", torch.float32), ("bf16", torch.bfloat16)])
def test_it_computes_in_the_trainings_precision(monkeypatch, precision, dtype):
    seen = set()

    def spy(matrices):
        seen.add((found := orthogonal(matrices)).dtype)
        return found

    monkeypatch.setattr("train.muon.orthogonal", spy)
    steps = fit(
        Hidden(),
        lambda step: (torch.ones(2, 4),),
        lambda model, batch: (model(batch[0]).square().sum(), torch.tensor(2)),
        lambda model: {"loss": 0.0},
        TrainConfig(steps=2, optimizer="muon"),
        device="cpu",
        precision=precision,
    )
    *_, (now, model) = steps
    assert now.step == 2 and seen == {dtype}
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
