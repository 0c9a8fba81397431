import itertools

import pytest
import torch

from transformer_core.decoding.sampling import Sampling, sample, sampling_probs

# a distribution whose order is 1, 3, 2, 4, 0
PROBS = torch.tensor([0.04, 0.5, 0.14, 0.25, 0.07])
RANKED = [1, 3, 2, 4, 0]
UNSEEN = torch.tensor([], dtype=torch.long)
# what follows depends on the last token alone
LANGUAGE = (2 * torch.randn(5, 5, generator=torch.Generator().manual_seed(3))).log_softmax(-1)


def drawn_from(seen=UNSEEN, probs=PROBS, **sampling):
    return sampling_probs(probs.log(), Sampling(**sampling), seen)


def only(tokens, probs=PROBS):
    """PROBS with every other token cut."""
    kept = torch.zeros_like(probs)
    kept[tokens] = probs[tokens]
    return kept / kept.sum()


@pytest.mark.parametrize("probs", [PROBS, torch.tensor([1e-20, 1.0, 1e-9, 1e-8, 1e-30])])
def test_the_defaults_draw_from_the_models_own_distribution(probs):
    torch.testing.assert_close(
        drawn_from(torch.tensor([1, 2]), probs=probs), probs, atol=0, rtol=1e-5
    )


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_the_temperature_divides_the_log_probs(temperature):
    expected = (PROBS.log() / temperature).softmax(-1)
    torch.testing.assert_close(drawn_from(temperature=temperature), expected)


@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 5, 6])
def test_top_k_keeps_exactly_k(top_k):
    torch.testing.assert_close(drawn_from(top_k=top_k), only(RANKED[:top_k]))


def test_top_k_keeps_exactly_k_among_equals():
    assert (drawn_from(probs=torch.full((5,), 0.2), top_k=3) > 0).sum() == 3


@pytest.mark.parametrize(
    "top_p, n",
    [(0.01, 1), (0.49, 1), (0.51, 2), (0.74, 2), (0.76, 3), (0.9, 4), (0.97, 5), (1.0, 5)],
)
def test_top_p_keeps_exactly_the_smallest_set_with_that_mass(top_p, n):
    torch.testing.assert_close(drawn_from(top_p=top_p), only(RANKED[:n]))


@pytest.mark.parametrize(
    "sampling",
    [{"top_p": 0.0}, {"top_k": 1}, {"top_k": 1.0}, {"temperature": 0}, {"temperature": 1e-50}],
    ids=str,
)
def test_the_strictest_settings_all_take_the_most_probable(sampling):
    assert drawn_from(**sampling).tolist() == [0, 1, 0, 0, 0]


def test_a_penalty_multiplies_the_log_probs_of_what_was_said():
    said = torch.tensor([1, 4, 1])
    expected = (PROBS.log() * torch.tensor([1, 3, 1, 1, 3])).softmax(-1)
    torch.testing.assert_close(drawn_from(said, repetition_penalty=3.0), expected)
    assert drawn_from(said, repetition_penalty=3.0)[1] < PROBS[1]
    assert drawn_from(said, repetition_penalty=3.0, temperature=0).tolist() == [0, 0, 0, 1, 0]


def test_penalty_then_temperature_then_top_k_then_top_p():
    said = torch.tensor([1])
    # the penalty moves token 1 behind 3 and 2, so it is not among the best two
    assert drawn_from(said, repetition_penalty=3.0, top_k=2).nonzero().flatten().tolist() == [2, 3]
    # flattened by the temperature, 0.51 of the mass takes three tokens and not two
    torch.testing.assert_close(
        drawn_from(temperature=4.0, top_p=0.51).count_nonzero(), torch.tensor(3)
    )
    # of the best two, token 1 alone holds two thirds
    assert drawn_from(top_k=2, top_p=0.6).tolist() == [0, 1, 0, 0, 0]


def drawn(n, seed, prompt=(1,)):
    """n tokens of LANGUAGE."""
    draws = sample(lambda tokens, _: LANGUAGE[tokens[:, -1]], [*prompt], Sampling(), seed)
    return [token for token, _, _ in itertools.islice(draws, n)]


def test_the_same_seed_draws_the_same_sample_and_another_seed_another():
    assert drawn(40, seed=7) == drawn(40, seed=7)
    assert drawn(40, seed=7) != drawn(40, seed=8)


def test_an_interrupted_sample_continues_as_if_it_had_not_been():
    whole = drawn(30, seed=7)
    assert drawn(18, seed=7, prompt=(1, *whole[:12])) == whole[12:]


def test_draws_follow_the_distribution():
    sampling, n = Sampling(temperature=2.0, top_k=4), 3000
    draws = sample(lambda tokens, _: PROBS.log()[None], [1], sampling, 0)
    tokens, log_probs, probs = zip(*itertools.islice(draws, n), strict=True)
    assert torch.equal(log_probs[-1], PROBS.log())
    assert torch.equal(probs[-1], drawn_from(temperature=2.0, top_k=4))
    counts = torch.bincount(torch.tensor(tokens), minlength=5)
    torch.testing.assert_close(counts / n, probs[-1], atol=0.03, rtol=0)


def test_a_sample_is_penalised_for_its_prompt_and_its_own_words():
    uniform = torch.full((5,), 0.2).log()
    sampling = Sampling(repetition_penalty=3.0, temperature=0)
    draws = sample(lambda tokens, _: uniform[None], [2], sampling, 0)
    said = [token for token, _, _ in itertools.islice(draws, 4)]
    assert sorted([2, *said]) == [0, 1, 2, 3, 4]
