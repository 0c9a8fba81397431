"""One step of a model for rows that differ in what is asked of them."""

import torch
from alike import assert_ranked_alike, said
from tiny import build, padded, words

from transformer_core.decoding.search import beam_search
from transformer_core.decoding.steps import encoder_decoder_step
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import BOS, EOS


@torch.inference_mode()
def test_every_row_keeps_its_own_heads_switched_off():
    model, sources = build(EncoderDecoder), [words(n) for n in (4, 9, 6)]
    off = torch.tensor([[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0]])
    masks = {site: off for site in model.sites if site.layer == 1}
    given, limits = dict(masks), [10, 10, 10]
    step = encoder_decoder_step(model, padded(sources), given)
    beams = beam_search(step, 3, BOS, EOS, limits, beam_size=3)
    assert all(torch.equal(given[site], mask) for site, mask in masks.items())
    for i, (source, beam) in enumerate(zip(sources, beams, strict=True)):
        own = {site: mask[i : i + 1] for site, mask in masks.items()}
        step = encoder_decoder_step(model, source[None], own)
        (alone,) = beam_search(step, 1, BOS, EOS, limits[:1], beam_size=3)
        assert_ranked_alike(said(beam.hypotheses()), said(alone.hypotheses()))
