"""The fast step is the model: same logits, same cache, wherever it is used."""

from dataclasses import asdict, dataclass, fields

import pytest
import torch
from alike import assert_ranked_alike, candidates, said
from tiny import NORMS, TINY, build, empty_cache, padded, words
from torch.testing import assert_close

from transformer_core.decoding.fast import FOLLOWED, FastStep, fast_step
from transformer_core.decoding.search import beam_search
from transformer_core.decoding.steps import encoder_decoder_step, language_model_step
from transformer_core.model.blocks import FEED_FORWARDS
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import padding_mask
from transformer_core.model.models import DecoderLM, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Site, Trace
from transformer_core.tokenization import BOS, EOS

UNUSUAL = [{"norm": "post"}, {"norm": "none"}, {"residual": False}, {"feed_forward": False}]
UNUSUAL += [{"activation": "swiglu"}, {"positions_along": "batch"}, {"d_model": 20}]
PROMPT = 5
USUAL = [
    {"positional_encoding": encoding, "activation": activation, "scale_scores": scale_scores}
    for encoding in POSITIONAL_ENCODINGS
    for activation in ("relu", "gelu")
    for scale_scores in (True, False)
]
every_usual_model = pytest.mark.parametrize(
    "changes", USUAL, ids=lambda c: "-".join(map(str, c.values()))
)


def says_what_the_model_says(step, cache, tokens, expected, whole, mask=None):
    """Step by step after the prompt: logits and everything the cache holds."""
    for place in range(PROMPT, tokens.size(1)):
        assert_close(step(tokens[:, place], cache, mask), expected[:, place])
        assert cache.length == place + 1
    seen = slice(tokens.size(1))
    assert_close(cache.past[..., seen, :], whole.past[..., seen, :])


@every_usual_model
@pytest.mark.parametrize("rows", [1, 3])
@torch.inference_mode()
def test_every_step_has_the_logits_and_the_cache_of_a_language_model(changes, rows):
    model, tokens = build(DecoderLM, **changes), words(rows, TINY.max_len)
    whole, cache = empty_cache(), empty_cache()
    expected = model(tokens, cache=whole)
    model(tokens[:, :PROMPT], cache=cache)
    step = FastStep(model.decoder, model.config)
    says_what_the_model_says(step, cache, tokens, expected, whole)


@every_usual_model
@torch.inference_mode()
def test_every_step_has_the_logits_and_the_cache_of_a_translator(changes):
    model, tokens = build(EncoderDecoder, **changes), words(3, TINY.max_len)
    src = padded([words(4), words(9), words(6)])
    memory, whole, cache = model.encode(src), empty_cache(), empty_cache()
    expected = model.decode(tokens, memory, src, cache=whole)
    model.decode(tokens[:, :PROMPT], memory, src, cache=cache)
    step = FastStep(model.decoder, model.config)
    says_what_the_model_says(step, cache, tokens, expected, whole, padding_mask(src))


@pytest.mark.parametrize("changes", UNUSUAL)
def test_it_does_not_fit_an_unusual_model_which_then_works_without_it(changes):
    model = build(DecoderLM, **changes)
    assert fast_step(model.decoder, model.config, Trace()) is None
    writes_what_the_model_says(model, [])


def test_a_field_that_it_does_not_know_is_for_the_model():
    assert {*FOLLOWED} <= {field.name for field in fields(ModelConfig)}

    @dataclass(frozen=True)
    class Windowed(ModelConfig):
        window: int = 0

    model = build(DecoderLM)
    for window in (0, 4):
        config = Windowed(**asdict(model.config), window=window)
        assert (fast_step(model.decoder, config, Trace()) is None) == bool(window)


def test_it_does_not_compute_in_half_precision():
    model = build(DecoderLM)
    with torch.autocast("cpu"):
        assert fast_step(model.decoder, model.config, Trace()) is None
    assert fast_step(model.decoder, model.config, Trace()) is not None


@pytest.fixture
def calls(monkeypatch):
    """How many rows each call of the fast step had."""
    found, call = [], FastStep.__call__
    monkeypatch.setattr(
        FastStep, "__call__", lambda *args: found.append(len(args[1])) or call(*args)
    )
    return found


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", FEED_FORWARDS)
@pytest.mark.parametrize("off", [[], [(Site("decoder", 1, "self"), 2)]])
def test_it_is_used_only_where_nothing_else_is_asked_for(norm, activation, off, calls):
    model = build(DecoderLM, norm=norm, activation=activation)
    writes_what_the_model_says(model, off)
    assert bool(calls) == (norm == "pre" and activation != "swiglu" and not off)


@torch.inference_mode()
def writes_what_the_model_says(model: DecoderLM, off: list) -> None:
    """Step by step, equal to a step that is given everything at once."""
    step, tokens, row = language_model_step(model, off), words(1, 20), torch.tensor([0])
    for length in range(3, 20):
        expected = language_model_step(model, off)(tokens[:, :length], row)
        assert_close(step(tokens[:, :length], row), expected)


@pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
@torch.inference_mode()
def test_a_search_with_it_is_the_search_without_it(positional_encoding, calls):
    model = build(EncoderDecoder, positional_encoding=positional_encoding)
    src, limits = padded([words(4), words(9), words(6)]), [12, 5, 9]

    def uncached(src):
        def step(tokens, parents):
            nonlocal src
            src = src[parents]
            return model(src, tokens)[:, -1].log_softmax(-1)

        return step

    found, expected = (
        beam_search(step, 3, BOS, EOS, limits, beam_size=4, n_candidates=6)
        for step in (encoder_decoder_step(model, src), uncached(src))
    )
    assert max(calls) == 12
    for one, other in zip(found, expected, strict=True):
        assert_ranked_alike(said(one.hypotheses()), said(other.hypotheses()))
        for ours, theirs in zip(candidates(one), candidates(other), strict=True):
            assert_ranked_alike(ours, theirs)
