"""Continuations that cover the distribution."""

import math

import pytest
import torch
from tiny import tiny_writer

from transformer_core.decoding.continuations import dealt, spread
from transformer_core.decoding.sampling import Sampling, sampling_probs
from transformer_core.decoding.steps import language_model_step
from transformer_core.tokenization import SPECIAL_TOKENS

N, LENGTH = 16, 20  # past the context of 16


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(3)
    return tiny_writer()


def grown(trained, temperature=1.0, seed=0, prompt="All:"):
    ids = trained.tokenizer.encode(prompt)
    step = language_model_step(trained.model)
    tokens, probs, likeliest = spread(step, ids, Sampling(temperature), N, LENGTH, seed)
    assert tokens.shape == probs.shape == (N + 1, LENGTH)
    return ids, tokens, probs, likeliest


@pytest.mark.parametrize("m", [1, 3, 16])
@pytest.mark.parametrize("v", [0.0, 0.37, 1 - 2**-24])
def test_a_token_has_as_many_threads_as_it_is_probable(m, v):
    probs = torch.tensor([0.05, 0.4, 0.0, 0.25, 0.3])
    picks = dealt(probs, m, v)
    for token, p in enumerate(probs.tolist()):
        n = (picks == token).sum()
        assert math.floor(m * p - 1e-6) <= n <= math.ceil(m * p + 1e-6)
    order = [0, 4, 1, 3, 2]  # the likeliest in the middle, and nobody stands between siblings
    places = [order.index(token) for token in picks.tolist()]
    assert places == sorted(places)


def test_over_all_dice_a_token_has_its_probability():
    probs = torch.tensor([0.07, 0.41, 0.0, 0.22, 0.3])
    dice = torch.linspace(0, 1, 1001)[:-1]
    picks = torch.cat([dealt(probs, 3, v) for v in dice.tolist()])
    shares = torch.bincount(picks, minlength=5) / len(picks)
    torch.testing.assert_close(shares, probs, atol=2e-3, rtol=0)


def test_threads_that_agree_stand_side_by_side(trained):
    _, tokens, *_ = grown(trained)
    assert len(set(map(tuple, tokens.tolist()))) > N / 2
    for length in range(1, LENGTH + 1):
        heads = [tuple(line) for line in tokens[:, :length].tolist()]
        groups = [head for j, head in enumerate(heads) if j == 0 or head != heads[j - 1]]
        assert len(groups) == len(set(heads))


def test_each_probability_is_that_of_the_text_before(trained):
    ids, tokens, probs, _ = grown(trained, 0.7)
    for line, told in zip(tokens[::5], probs[::5], strict=True):
        step, row = language_model_step(trained.model), torch.tensor([0])
        for place, token in enumerate(line):
            text = torch.cat([torch.tensor(ids), line[:place]])
            own = sampling_probs(step(text[None], row)[0], Sampling(0.7), text)
            torch.testing.assert_close(told[place], own[token], atol=1e-5, rtol=1e-4)
            assert token >= len(SPECIAL_TOKENS)


def test_without_warmth_all_are_one_and_the_likeliest(trained):
    ids, tokens, probs, _ = grown(trained, 0.0)
    assert (tokens == tokens[0]).all() and (probs == 1).all()
    step = language_model_step(trained.model)
    best = step(torch.tensor([ids]), torch.tensor([0]))[0].argmax()
    assert tokens[0, 0] == best


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
def test_among_the_threads_stands_the_line_of_likeliest_tokens(trained, temperature):
    ids, tokens, probs, likeliest = grown(trained, temperature)
    step, row, text = language_model_step(trained.model), torch.tensor([0]), torch.tensor(ids)
    for place, token in enumerate(tokens[likeliest]):
        own = sampling_probs(step(text[None], row)[0], Sampling(temperature), text)
        torch.testing.assert_close(own[token], own.max(), atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(probs[likeliest, place], own[token], atol=1e-5, rtol=1e-4)
        text = torch.cat([text, token[None]])
    cold = grown(trained, 0.0)[1][0]
    assert torch.equal(tokens[likeliest], cold)


def test_the_same_seed_grows_the_same_and_another_does_not(trained):
    _, tokens, *_ = grown(trained)
    assert torch.equal(tokens, grown(trained)[1])
    assert not torch.equal(tokens, grown(trained, seed=1)[1])
