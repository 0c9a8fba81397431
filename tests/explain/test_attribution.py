import math
import threading
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from scipy.stats import spearmanr
from tiny import tiny_classifier

from transformer_core.explain import attribution
from transformer_core.explain.attribution import (
    METHODS,
    attention_rollout,
    attributions,
    gradient_times_input,
    gradients,
    integrated_gradients,
    leave_one_out,
    neighbours,
    raw_attention,
    to_words,
    value_weighted_attention,
)
from transformer_core.explain.flow import sentiment_flow
from transformer_core.explain.trial import (
    CHANCE,
    MIN_WORDS,
    curve_grid,
    deletion_curves,
    ordinal,
    put_on_trial,
    rank_correlation,
    ranks,
)
from transformer_core.model.masks import PAD
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import NO_WORD, Pieces, classify, log_odds, read_review
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import MASK

SAID = "Now speak, speak to all of them before any die; I'd rather hear you than the citizen."
every_norm = pytest.mark.parametrize("norm", ["pre", "post"])


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(1)
    return tiny_classifier(positional_encoding="rotary", activation="gelu")


@pytest.fixture(scope="module")
def review(trained):
    return read_review(trained.tokenizer, SAID, trained.model.config.max_len)


@pytest.fixture(scope="module")
def trace(trained):
    trace = Trace()
    classify(trained, SAID, trace)
    return trace


def answer(trained, ids, label=1):
    with torch.inference_mode():
        return log_odds(trained.model(torch.tensor([ids]))[0], label).item()


def by_method(trained, review, trace):
    return {a.method: a for a in attributions(trained.model, review, 1, trace)}


def test_raw_attention_is_what_cls_gives_in_the_last_layer(trained, trace):
    last = trace.attention[trained.model.sites[-1]].weights[0]
    torch.testing.assert_close(raw_attention(trace), sum(last[h, 0] for h in range(4)) / 4)


def test_rollout_is_the_product_of_all_layers_with_half_an_identity(trained, trace):
    product = torch.eye(len(raw_attention(trace)))
    for site in trained.model.sites:
        mean = trace.attention[site].weights[0].mean(0)
        product = (0.5 * mean + 0.5 * torch.eye(len(mean))) @ product
    torch.testing.assert_close(attention_rollout(trace), product[0])
    assert attention_rollout(trace).sum().item() == pytest.approx(1.0, abs=1e-5)


def test_rollout_with_nothing_but_residuals_stays_at_cls(trace):
    rollout = attention_rollout(trace, residual=1.0)
    assert rollout[0] == 1.0 and rollout[1:].sum() == 0.0


@torch.inference_mode()
def test_value_weighted_vectors_add_up_to_what_the_layer_writes(trained, trace):
    module = trained.model.encoder.blocks[-1].self_attention
    seen, update = trace.attention[module.site], []
    for key in range(seen.weights.size(-1)):
        carried = (seen.weights[0, :, 0, key, None] * seen.value[0, :, key]).flatten()
        update.append(F.linear(carried, module.output.weight))
    torch.testing.assert_close(
        value_weighted_attention(trained.model, trace), torch.stack(update).norm(dim=-1)
    )
    state = trained.model.encoder.blocks[-1].add_self.before(trace.residual["encoder"][-2])
    everywhere = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    written = module(state, state, everywhere)[0, 0]
    torch.testing.assert_close(sum(update) + module.output.bias, written)


def test_gradient_times_input_predicts_a_small_step(trained, review):
    scores = gradient_times_input(trained.model, review.pieces, 1)
    ids, size = torch.tensor([review.ids]), 1e-3
    vectors = trained.model.encoder.embed(ids).detach()
    for place in (1, 5, len(review.ids) - 1):
        less, more = vectors.clone(), vectors.clone()
        less[0, place] *= 1 - size
        more[0, place] *= 1 + size
        out = [log_odds(trained.model(ids, inputs_embeds=x), 1).item() for x in (less, more)]
        assert scores[place].item() == pytest.approx((out[1] - out[0]) / (2 * size), abs=0.01)


@pytest.mark.parametrize("text", [SAID, "die", "Speak to me!", "all " * 40])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@every_norm
def test_integrated_gradients_are_complete_to_one_percent(norm, activation, text):
    trained = tiny_classifier(positional_encoding="rotary", activation=activation, norm=norm)
    review = read_review(trained.tokenizer, text, 60)
    scores, error, steps = integrated_gradients(trained.model, review.pieces, 1)
    masked = [review.ids[0], *[MASK] * (len(review.ids) - 2), review.ids[-1]]
    change = answer(trained, review.ids) - answer(trained, masked)
    assert scores.sum().item() == pytest.approx(change, rel=0.01)
    assert error == pytest.approx(abs(scores.sum().item() / change - 1), abs=1e-3)
    assert steps in attribution.STEPS


def test_the_two_ends_take_no_part_in_integrated_gradients(trained, review):
    scores, *_ = integrated_gradients(trained.model, review.pieces, 0)
    assert scores[0] == scores[-1] == 0.0


def test_leave_one_out_equals_deleting_by_hand(trained, review):
    groups = neighbours(review.pieces)
    scores = leave_one_out(trained.model, review.pieces, 1, groups)
    assert len(scores) == len(review.words) == len(groups)
    for number, (start, end) in enumerate(review.words):
        before = SAID[:start].rstrip()  # a word takes the space before it along
        again = read_review(trained.tokenizer, before + SAID[end:], 60)
        expected = answer(trained, review.ids) - answer(trained, again.ids)
        assert scores[number].item() == pytest.approx(expected, abs=1e-4)


def test_of_a_long_text_neighbours_are_deleted_together(trained, review, monkeypatch):
    monkeypatch.setattr(attribution, "DELETION_TOKENS", 7 * len(review.ids))
    groups = neighbours(review.pieces)
    assert len(groups) <= 7
    assert [word for group in groups for word in group] == list(range(len(review.words)))
    scores = leave_one_out(trained.model, review.pieces, 1, groups)
    for group in groups:
        kept = [
            i for i, w in zip(review.ids, review.pieces.words, strict=True) if w not in set(group)
        ]
        change = answer(trained, review.ids) - answer(trained, kept)
        assert scores[list(group)].sum().item() == pytest.approx(change, abs=1e-4)


def test_words_collect_their_pieces_and_lose_nothing_but_the_ends(review):
    scores = torch.rand(len(review.ids))
    words = to_words(scores, review.pieces.words, len(review.words))
    torch.testing.assert_close(words.sum(), scores[1:-1].sum())
    first = [p for p, word in enumerate(review.pieces.words) if word == 0]
    torch.testing.assert_close(words[0], scores[first].sum())


def test_padding_changes_no_attribution(trained, review):
    ids = torch.tensor([review.ids])
    longer = torch.cat([ids, torch.full((1, 5), PAD)], dim=1)
    short, long = Trace(), Trace()
    with torch.inference_mode():
        trained.model(ids, short)
        trained.model(longer, long)
    n = len(review.ids)
    for method in (raw_attention, attention_rollout):
        torch.testing.assert_close(method(long)[:n], method(short))
        assert method(long)[n:].abs().sum() == 0
    torch.testing.assert_close(
        value_weighted_attention(trained.model, long)[:n],
        value_weighted_attention(trained.model, short),
    )
    _, slope = gradients(trained.model, ids, trained.model.encoder.embed(ids), 1)
    _, padded = gradients(trained.model, longer, trained.model.encoder.embed(longer), 1)
    torch.testing.assert_close(padded[:, :n], slope)
    assert padded[:, n:].abs().sum() == 0


def test_gradients_work_inside_inference_mode_and_leave_the_parameters_alone(trained, review):
    expected = gradient_times_input(trained.model, review.pieces, 1)
    with torch.inference_mode():
        torch.testing.assert_close(gradient_times_input(trained.model, review.pieces, 1), expected)
        integrated_gradients(trained.model, review.pieces, 1)
    assert all(parameter.grad is None for parameter in trained.model.parameters())


def test_visitors_at_the_same_time_get_their_own_numbers(trained, review, trace):
    expected = by_method(trained, review, trace)
    wrong = []

    def visit():
        for method, found in by_method(trained, review, trace).items():
            if not torch.equal(found.scores, expected[method].scores):
                wrong.append(method)

    threads = [threading.Thread(target=visit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_every_method_answers_for_every_word(trained, review, trace):
    found = by_method(trained, review, trace)
    assert len(found) == METHODS
    for method in found.values():
        assert method.scores.shape == (len(review.words),) and method.scores.isfinite().all()
        assert method.signed or (method.scores >= 0).all()
        assert sorted(method.order) == list(range(len(review.words)))


def test_contributions_are_the_shares_that_the_flow_draws(trained):
    found = classify(trained, "Now speak, hear me.", Trace())
    method = by_method(trained, found.review, found.trace)["contributions"]
    (stack,) = sentiment_flow(trained, found).stacks
    shares = torch.eye(len(stack.tokens))[0]
    for share in reversed(stack.self_shares):
        shares = shares @ share
    words = torch.tensor(found.review.pieces.words)
    expected = [shares[words == word].sum() for word in range(len(found.review.words))]
    torch.testing.assert_close(method.scores, torch.stack(expected))


def test_every_place_has_a_name(trained):
    assert [ordinal(place) for place in (0, METHODS - 1)] == ["first", "last"]


def test_equal_scores_share_a_rank():
    assert ranks(torch.tensor([0.5, -1.0, 0.5, 2.0])).tolist() == [2.5, 1.0, 2.5, 4.0]


def test_rank_correlation_is_spearmans():
    rows = torch.randint(0, 9, (4, 12), generator=torch.Generator().manual_seed(0)).double()
    found = rank_correlation(rows)
    torch.testing.assert_close(found, torch.tensor(spearmanr(rows, axis=1).statistic).float())
    assert found[0].isfinite().all() and not (found.abs() > 0.999).all()
    assert math.isnan(rank_correlation(torch.stack([rows[0], torch.ones(12)]))[0, 1])


def test_a_deletion_curve_equals_deleting_by_hand(trained, review):
    order = torch.randperm(len(review.words)).tolist()
    (curve,) = deletion_curves(trained.model, review.pieces, 0, [order])
    grid = curve_grid(review.pieces)
    assert grid[0] == 0 and grid[-1] == len(review.words) and len(curve) == len(grid) - 1
    for k, probability in zip(grid[1:], curve, strict=True):
        gone = set(order[:k])
        kept = [i for i, w in zip(review.ids, review.pieces.words, strict=True) if w not in gone]
        with torch.inference_mode():
            expected = trained.model(torch.tensor([kept])).softmax(-1)[0, 0]
        torch.testing.assert_close(probability, expected)


@pytest.mark.parametrize("n_pieces", [1_792, 1_793, 3_585, 10_000])
def test_the_curve_of_the_longest_text_still_has_both_ends(n_pieces):
    words = list(range(n_pieces - 2))
    pieces = Pieces([5] * n_pieces, [NO_WORD, *words, NO_WORD])
    assert curve_grid(pieces) == [0, len(words)]


def test_a_trial_grows_until_every_method_has_its_curve(trained):
    states = list(put_on_trial(trained, SAID))
    assert [len(s.attributions) for s in states] == [*range(1, METHODS), *[METHODS] * (METHODS + 2)]
    assert [len(s.curves) for s in states] == [*[0] * METHODS, *range(1, METHODS + 2)]
    assert all(not state.verdict for state in states[:-1])
    last = states[-1]
    probability = classify(trained, SAID).probabilities[last.label]
    for method, curve in last.curves.items():
        assert len(curve) == len(last.dropped)
        assert curve[0].item() == pytest.approx(probability, abs=1e-6)
        assert 0 < last.areas[method] < 1
    assert len(last.correlation) == METHODS
    torch.testing.assert_close(last.correlation.diagonal(), torch.ones(METHODS))


def test_the_verdict_names_the_method_with_the_smallest_area(trained):
    *_, last = put_on_trial(trained, SAID)
    areas = {m: a for m, a in last.areas.items() if m != CHANCE}
    best = min(areas, key=areas.get)
    assert f"the most faithful method is {best}:" in last.verdict
    chance = [round(torch.trapezoid(one, last.dropped).item(), 4) for one in last.random]
    beaten = sum(area > areas["raw attention"] for area in chance)
    assert f"does better than {beaten} of {len(chance)} random orders" in last.verdict


def test_methods_of_one_area_are_all_named_and_share_their_place(trained):
    *_, last = put_on_trial(trained, SAID)
    attention, first, second, *others = (a.method for a in last.attributions)
    even = torch.full((len(last.dropped),), 0.5)
    levels = {first: 0.0, second: 1e-6, attention: 0.1, others[0]: 0.1, CHANCE: 0.1}
    levels |= dict.fromkeys(others[1:], 0.2)
    alike = {method: even + level for method, level in levels.items()}
    random = torch.stack([even + 0.1, even + 0.100001, even + 0.2])
    trial = replace(last, curves=alike, random=random)
    assert f"the most faithful methods are {first} and {second}: " in trial.verdict
    assert f" {first} ranks first (of " in trial.verdict
    assert "attention comes third of 7 and does better than 1 of 3 random orders" in trial.verdict
    assert f"rank correlation with {first} is" in trial.verdict


def test_the_shorter_a_text_the_more_random_orders_are_tried(trained):
    *_, short = put_on_trial(trained, "Speak, all!")
    *_, long = put_on_trial(trained, SAID * 10)
    assert 3 <= len(long.random) < len(short.random) <= 100
    for trial in (short, long):
        torch.testing.assert_close(trial.curves[CHANCE], trial.random.mean(0))
        assert trial.random[:, 0].unique().numel() == 1, "all begin with the whole text"


def test_an_order_that_drops_the_decisive_words_first_has_the_smaller_area(trained, review):
    label = int(answer(trained, review.ids) > 0)
    groups = [[word] for word in range(len(review.words))]
    scores = leave_one_out(trained.model, review.pieces, label, groups)
    order = scores.argsort(descending=True).tolist()
    curves = deletion_curves(trained.model, review.pieces, label, [order, order[::-1]])
    assert curves[0].mean() < curves[1].mean()


@pytest.mark.parametrize("text", ["die", "speak all"])
def test_too_few_words_for_a_trial_get_a_sentence(trained, text):
    with pytest.raises(InputError, match=f"at least {MIN_WORDS}"):
        next(put_on_trial(trained, text))


def test_a_text_longer_than_the_model_is_tried_as_it_is_read(trained):
    *_, last = put_on_trial(trained, SAID * 10)
    assert len(last.review.ids) == trained.model.config.max_len
    assert CHANCE in last.curves
