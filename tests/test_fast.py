"""The fast step is the model: same logits, same cache, wherever it is used."""

import pytest
import torch
from tiny import NORMS, TINY, build, words
from torch.testing import assert_close

from transformer_core.attention import Cache
from transformer_core.blocks import FEED_FORWARDS
from transformer_core.fast import FastStep
from transformer_core.generation import language_model_step, next_log_probs
from transformer_core.models import DecoderLM
from transformer_core.positions import POSITIONAL_ENCODINGS
from transformer_core.trace import Site

UNUSUAL = [{"norm": "post"}, {"norm": "none"}, {"residual": False}, {"feed_forward": False}]
UNUSUAL += [{"activation": "swiglu"}, {"positions_along": "batch"}]


@pytest.mark.parametrize("scale_scores", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
@torch.inference_mode()
def test_every_step_has_the_logits_and_the_cache_of_the_model(
    positional_encoding, activation, scale_scores
):
    model = build(
        DecoderLM,
        positional_encoding=positional_encoding,
        activation=activation,
        scale_scores=scale_scores,
    )
    tokens, prompt = words(1, TINY.max_len), 5
    expected, cache = model(tokens, cache=(whole := Cache(TINY.max_len))), Cache(TINY.max_len)
    model(tokens[:, :prompt], cache=cache)
    step = FastStep(model)
    for place in range(prompt, TINY.max_len):
        logits = step(int(tokens[0, place]), cache)
        assert cache.length == place + 1
        assert_close(logits, expected[:, place])
    for site, stored in whole.stored.items():
        assert_close(cache.stored[site], stored)


@pytest.mark.parametrize("changes", UNUSUAL)
def test_it_does_not_fit_an_unusual_model_which_then_works_without_it(changes):
    model = build(DecoderLM, **changes)
    assert not FastStep.fits(model.config)
    writes_what_the_model_says(model, [])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", FEED_FORWARDS)
@pytest.mark.parametrize("off", [[], [(Site("decoder", 1, "self"), 2)]])
def test_it_is_used_only_where_nothing_else_is_asked_for(norm, activation, off, monkeypatch):
    used = []
    call = FastStep.__call__
    monkeypatch.setattr(FastStep, "__call__", lambda *args: used.append(1) or call(*args))
    model = build(DecoderLM, norm=norm, activation=activation)
    writes_what_the_model_says(model, off)
    usual = norm == "pre" and activation != "swiglu" and not off
    assert bool(used) == usual


@torch.inference_mode()
def writes_what_the_model_says(model: DecoderLM, off: list) -> None:
    """Step by step, equal to a step that is given everything at once."""
    step, tokens, row = language_model_step(model, off), words(1, 20), torch.tensor([0])
    for length in range(3, 20):
        expected = language_model_step(model, off)(tokens[:, :length], row)
        assert_close(step(tokens[:, :length], row), expected)


@torch.inference_mode()
def test_several_texts_at_once_go_through_the_model():
    model, tokens = build(DecoderLM), words(3, 9)
    step, rows = language_model_step(model), torch.arange(3)
    step(tokens[:, :8], rows)
    assert_close(step(tokens, rows), next_log_probs(model(tokens)[:, -1]))
