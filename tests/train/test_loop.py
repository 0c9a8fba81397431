"""The training loop keeps its promises: the mathematics, and what an interruption costs."""

import itertools
import math
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from tiny import build, weights
from torch.testing import assert_close

from train import copy_task, loop, shakespeare
from train.data import sequences as data
from train.loop import TrainConfig, learning_rate
from train.optimizers import OPTIMIZERS
from transformer_core import checkpoint
from transformer_core.model.models import DecoderLM, Model
from transformer_core.model.positions import POSITIONAL_ENCODINGS

fit = partial(loop.fit, device="cpu", precision="no")
CONFIG = TrainConfig(steps=8, batch_size=8, learning_rate=0.01, warmup_steps=2, eval_every=3)


def tiny_model(**changes) -> DecoderLM:
    torch.manual_seed(0)
    return build(DecoderLM, **{"dropout": 0.0, **changes})


def sequences(step: int) -> tuple[torch.Tensor]:
    """Rows of different lengths, so that parts of a batch have different numbers of targets."""
    return (data.copy_sequences(8, n_symbols=9, length=6, seed=step),)


def loss_of(model, batch):
    (rows,) = batch
    logits, targets = model(rows[:, :-1]), rows[:, 1:]
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0, reduction="sum")
    return loss, (targets != 0).sum()


def evaluate(model):
    loss, n_targets = loss_of(model, sequences(-1))
    return {"loss": (loss / n_targets).item()}


def losses(model: Model, config: TrainConfig, state: Path | None = None) -> list[float]:
    """Train to the end and return every step's loss."""
    steps = fit(model, sequences, loss_of, evaluate, config, state=state)
    return [now.loss for now, _ in steps if now.step]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_lowers_the_loss(optimizer):
    config = replace(CONFIG, steps=40, optimizer=optimizer)
    found = losses(tiny_model(), config)
    assert sum(found[-5:]) / 5 < 0.8 * found[0]


def test_the_first_thing_that_is_seen_is_the_untrained_model():
    now, model = next(fit(tiny_model(), sequences, loss_of, evaluate, CONFIG))
    assert now.step == 0 and now.is_best
    assert now.metrics == evaluate(tiny_model())
    assert_close(weights(model), weights(tiny_model()))


def test_the_warm_up_is_linear():
    config = TrainConfig(steps=100, warmup_steps=10, learning_rate=0.5)
    rates = [learning_rate(step, step / 100, config) for step in range(10)]
    assert rates == pytest.approx([0.05 * (step + 1) for step in range(10)])


def test_a_training_shorter_than_its_warm_up_reaches_its_learning_rate_too():
    config = TrainConfig(steps=100, warmup_steps=400, learning_rate=0.5)
    rates = [learning_rate(step, step / 100, config) for step in range(101)]
    assert rates[:51] == pytest.approx([0.5 * max(n / 50, (n + 1) / 400) for n in range(51)])
    assert rates[50:] == sorted(rates[50:], reverse=True) and rates[100] == pytest.approx(0)


def test_the_cosine_falls_from_the_peak_to_zero():
    config = TrainConfig(steps=110, warmup_steps=10, learning_rate=0.5)
    rates = {step: learning_rate(step, step / 110, config) for step in (10, 60, 110)}
    assert rates == pytest.approx({10: 0.5, 60: 0.25, 110: 0.0})


def test_the_inverse_square_root_is_the_papers_formula():
    config = TrainConfig(steps=1000, warmup_steps=40, learning_rate=0.5, schedule="inverse_sqrt")
    d_model = 1 / (0.5**2 * 40)  # the paper's formula peaks at 1 / sqrt(d_model * warm-up)
    for step in range(1, 1000):
        formula = d_model**-0.5 * min(step**-0.5, step * 40**-1.5)
        before = step - (step <= 40)  # our first step is 0, and it already learns
        assert learning_rate(before, before / 1000, config) == pytest.approx(formula)


def test_a_time_box_ends_the_run_and_its_schedule(monkeypatch):
    config = replace(CONFIG, minutes=0.02, steps=1, warmup_steps=0, eval_every=10_000)
    clock = itertools.count(0, 0.05)  # seconds that pass from one look at it to the next
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    model = tiny_model()
    moves, before = [], weights(model)
    for now, _ in fit(model, sequences, loss_of, evaluate, config):
        seconds, step, after = now.seconds, now.step, weights(model)
        moves.append((after - before).norm().item())
        before = after
    assert 1.2 <= seconds < 1.5
    assert step > 10
    assert moves[-1] < 0.2 * max(moves)  # the learning rate has come down with the time


def test_the_averaged_model_is_the_exponential_average_of_the_weights():
    model, expected = tiny_model(), None
    config = replace(CONFIG, steps=30, ema=0.8)
    for now, averaged in fit(model, sequences, loss_of, evaluate, config):
        if now.step == 1:
            expected = weights(model)
        elif now.step > 1:
            decay = min(0.8, now.step / (9 + now.step))  # the memory grows from nothing
            expected = decay * expected + (1 - decay) * weights(model)
        if now.step:
            assert_close(weights(averaged), expected)
    assert not torch.allclose(weights(averaged), weights(model))


def test_without_averaging_the_trained_weights_are_kept():
    model = tiny_model()
    for _, averaged in fit(model, sequences, loss_of, evaluate, CONFIG):
        assert torch.equal(weights(averaged), weights(model))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_batch_in_parts_is_the_whole_batch(optimizer):
    config = replace(CONFIG, optimizer=optimizer)
    whole, parts = tiny_model(), tiny_model()
    found, expected = losses(parts, replace(config, accumulate=3)), losses(whole, config)
    assert_close(found, expected, rtol=1e-5, atol=1e-5)
    # outputs, since AdamW enlarges the rounding of what has no gradient, such as biases of keys
    rows = sequences(-1)[0]
    assert_close(parts(rows), whole(rows), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)
def test_a_part_of_a_batch_may_be_empty(encoding):
    # an epoch ends with the few rows that are left
    def two_rows(step):
        return (sequences(step)[0][:2],)

    config = replace(CONFIG, steps=2, accumulate=3)
    model = tiny_model(positional_encoding=encoding)
    found = [now.loss for now, _ in fit(model, two_rows, loss_of, evaluate, config) if now.step]
    assert len(found) == 2 and all(map(math.isfinite, found))


def test_what_the_caller_does_between_steps_is_no_training(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: clock.now))

    def batch_of(step):
        clock.now += 1.0
        return sequences(step)

    for now, _ in fit(tiny_model(), batch_of, loss_of, evaluate, CONFIG):
        assert now.seconds == now.step
        clock.now += 100.0


def test_a_gradient_is_clipped_to_its_limit(monkeypatch):
    def sgd(model, learning_rate, weight_decay):
        return [torch.optim.SGD(model.parameters(), lr=learning_rate)]

    monkeypatch.setitem(OPTIMIZERS, "sgd", sgd)
    model = tiny_model()
    before = weights(model)
    losses(model, replace(CONFIG, steps=1, warmup_steps=0, optimizer="sgd", grad_clip=0.5))
    moved = (weights(model) - before).norm().item()
    assert moved == pytest.approx(0.5 * CONFIG.learning_rate, rel=1e-4)  # weights are rounded


def test_patience_ends_a_run_that_no_longer_improves():
    script = iter([5.0, 4.0, 3.0, 3.5, 3.0, 2.0])
    config = replace(CONFIG, steps=1000, patience=2, eval_every=1)
    run = fit(tiny_model(), sequences, loss_of, lambda _: {"loss": next(script)}, config)
    seen = [(now.step, now.best, now.is_best) for now, _ in run]
    assert seen == [(0, 5, True), (1, 4, True), (2, 3, True), (3, 3, False), (4, 3, False)]


def test_a_run_that_diverges_ends_and_keeps_its_best():
    def explode(model, batch):
        loss, n_targets = loss_of(model, batch)
        return loss * math.inf, n_targets

    config = replace(CONFIG, steps=1000)
    *_, (now, _) = fit(tiny_model(), sequences, explode, evaluate, config)
    assert now.step == 1 and math.isfinite(now.best)


def poisoned(model, batch):
    """A sound loss whose gradient is none: the square root is vertical at 0."""
    loss, n_targets = loss_of(model, batch)
    return loss + sum((p - p.detach()).sum() for p in model.parameters()).sqrt(), n_targets


@pytest.mark.parametrize("best_by", ["loss", "error"])
def test_a_gradient_that_is_no_number_costs_neither_the_last_state_nor_the_best(tmp_path, best_by):
    calls = itertools.count(1)

    def sixth_poisoned(model, batch):
        return (poisoned if next(calls) == 6 else loss_of)(model, batch)

    def judge(model):
        # a share of errors can be counted of answers that are no numbers, too: even a small one
        return {**evaluate(model), "error": 0.1 if weights(model).isnan().any() else 0.5}

    config = replace(CONFIG, steps=9, best_by=best_by)
    run = fit(tiny_model(), sequences, sixth_poisoned, judge, config, state=tmp_path)
    seen = [(now.step, now.is_best, now.diverged, math.isfinite(now.loss)) for now, _ in run]
    assert seen[-1] == (6, False, True, True), "it ends where its weights are lost"
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000003"]
    resumed = fit(tiny_model(), sequences, loss_of, judge, config, state=tmp_path)
    *_, (now, model) = resumed
    assert now.step == 9 and not now.diverged and weights(model).isfinite().all()


def test_a_metric_that_there_is_not_is_named_with_those_that_there_are():
    with pytest.raises(ValueError, match="best_by='bleu' must be one of loss"):
        next(fit(tiny_model(), sequences, loss_of, evaluate, replace(CONFIG, best_by="bleu")))


def test_an_evaluation_that_is_no_number_is_not_gone_on_from(tmp_path):
    script = iter([5.0, 4.0, math.nan])
    config = replace(CONFIG, eval_every=2)
    run = fit(
        tiny_model(), sequences, loss_of, lambda _: {"loss": next(script)}, config, state=tmp_path
    )
    assert [(now.step, now.diverged) for now, _ in run][-1] == (4, True)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000002"]


def test_what_computes_is_the_callers_choice(monkeypatch):
    """A library may promise a GPU that is there only at times; none is looked for."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert losses(tiny_model(), CONFIG)
    with pytest.raises(ValueError, match="precision='auto' must be one of no, bf16"):
        next(fit(tiny_model(), sequences, loss_of, evaluate, CONFIG, precision="auto"))


@pytest.mark.parametrize(("precision", "dtype"), [("no", torch.float32), ("bf16", torch.bfloat16)])
def test_the_loss_is_computed_of_logits_in_the_trainings_own_precision(precision, dtype):
    seen = set()

    def spy(model, batch):
        seen.add(model(batch[0]).dtype)
        return loss_of(model, batch)

    model = tiny_model()
    list(fit(model, sequences, spy, evaluate, replace(CONFIG, steps=2), precision=precision))
    assert seen == {dtype}
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}


def test_what_is_kept_is_a_plain_float32_model(tmp_path):
    seen = []

    def spy(model):
        seen.append(model(sequences(0)[0]).dtype)
        return evaluate(model)

    trained = tiny_model()
    *_, (_, averaged) = fit(
        trained, sequences, loss_of, spy, replace(CONFIG, steps=2), precision="bf16"
    )
    assert "forward" not in vars(averaged), "accelerate has wrapped the model that is kept"
    assert set(seen) == {torch.bfloat16}, "evaluations on the way use the training's precision"
    assert averaged(sequences(0)[0]).dtype == torch.float32
    checkpoint.save(tmp_path, averaged)
    loaded = checkpoint.load(tmp_path)
    assert loaded.state_dict().keys() == tiny_model().state_dict().keys()
    assert loaded(sequences(0)[0]).dtype == torch.float32


@pytest.mark.parametrize(("optimizer", "accumulate"), [("adamw", 1), ("muon", 2)])
def test_resumed_is_uninterrupted_to_the_last_bit(tmp_path, optimizer, accumulate):
    config = replace(
        CONFIG, steps=10, ema=0.9, optimizer=optimizer, accumulate=accumulate, patience=50
    )
    *_, (whole, kept) = fit(tiny_model(dropout=0.3), sequences, loss_of, evaluate, config)
    interrupted = fit(tiny_model(dropout=0.3), sequences, loss_of, evaluate, config, state=tmp_path)
    assert [now.step for now, _ in islice(interrupted, 9)][-1] == 8
    interrupted.close()
    torch.manual_seed(123)  # a new process knows nothing of the old one's random numbers
    other = build(DecoderLM, dropout=0.3)
    resumed = list(fit(other, sequences, loss_of, evaluate, config, state=tmp_path))
    now, model = resumed[-1]
    assert len(resumed) == 5, "it continues from the last evaluation, at step 6"
    assert torch.equal(weights(model), weights(kept))
    assert (now.tokens, now.best, now.stale) == (whole.tokens, whole.best, whole.stale)


def test_no_state_is_written_before_its_model_could_be_kept(tmp_path):
    """Else a kill between the two would lose the best model, and the resumed run never know."""
    for now, _ in fit(tiny_model(), sequences, loss_of, evaluate, CONFIG, state=tmp_path):
        state = tmp_path / f"step-{now.step:08d}"
        if now.step == 0:
            assert state.exists(), "of what it begins with, which nobody has judged"
        elif now.metrics is not None:
            assert not state.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000008"]


@pytest.mark.parametrize("script", [shakespeare, copy_task])
def test_label_smoothing_is_the_mean_over_all_tokens(script):
    sequences = data.copy_sequences(4, n_symbols=9, length=6, seed=0)
    lengths = (sequences != 0).all(0).sum()
    rows = sequences[:, :lengths]  # no padding
    model = build(DecoderLM)
    logits = model(rows[:, :-1])
    ours = script.loss_of(lambda *tokens: logits, (rows,), smoothing=0.2)
    log_probs = logits.log_softmax(-1)
    right = log_probs.gather(-1, rows[:, 1:, None]).sum()
    expected = -(0.8 * right + 0.2 * log_probs.mean(-1).sum())
    assert_close(ours[0], expected)
    assert int(ours[1]) == rows[:, 1:].numel()
