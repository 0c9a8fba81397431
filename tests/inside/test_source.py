import inspect
from pathlib import Path

import pytest
import torch
from tiny import TINY, build, words

from train.loop import fit, fit_on_cpu
from transformer_core.inside.source import code_parts, lines_of, weightless
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.models import DecoderLM, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Trace

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("thing", [MultiHeadAttention, MultiHeadAttention.forward, code_parts])
def test_lines_are_those_of_the_file(thing):
    found = lines_of(thing)
    n = len(found.text.splitlines())
    file = (ROOT / found.path).read_text().splitlines()[found.first - 1 : found.first - 1 + n]
    assert inspect.cleandoc("\n" + "\n".join(file)) == inspect.cleandoc("\n" + found.text)
    assert found.text.startswith(("class ", "def "))


def test_the_lab_shows_the_lines_of_the_loop_itself():
    loop, *steps = map(lines_of, fit_on_cpu.code)
    assert loop == lines_of(fit)
    assert all(f".{step.text.split('(')[0].removeprefix('def ')}(" in loop.text for step in steps)


@pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
def test_a_weightless_pass_has_the_shapes_of_a_real_one(positional_encoding):
    model, src, tgt = (
        build(EncoderDecoder, positional_encoding=positional_encoding),
        words(1, 9),
        words(1, 7),
    )
    trace = Trace(inside=True)
    logits = model(src, tgt, trace)
    _, shapes, output = weightless(EncoderDecoder, model.config, 9, 7)
    assert output.is_meta and output.shape == logits.shape
    assert shapes.attention.keys() == trace.attention.keys()
    for site, real in trace.attention.items():
        for stage, tensor in vars(real).items():
            assert getattr(shapes.attention[site], stage).shape == tensor.shape, (site, stage)


def test_a_weightless_model_leaves_other_tensors_alone():
    weightless(DecoderLM, TINY, 5)
    assert not torch.zeros(1).is_meta


def test_parts_name_every_parameter_of_the_model():
    found = {part.title: part for part in code_parts(TINY, 9, 7)}
    model = build(EncoderDecoder)
    assert found["The whole model"].n_parameters == model.n_parameters
    assert found["The whole model"].shapes["logits"] == (1, 7, TINY.vocab_size)
    cross = found["Decoder layer 1 cross-attention"]
    assert cross.shapes["weights"] == (1, TINY.n_heads, 7, 9)
    attention = model.decoder.blocks[0].cross_attention
    assert cross.n_parameters == sum(p.numel() for p in attention.parameters())
    assert "softmax" in cross.lines[0].text


def test_parts_follow_the_switches():
    titles = [
        part.title for part in code_parts(build(EncoderDecoder, feed_forward=False).config, 4, 4)
    ]
    assert "Feed-forward network" not in titles
    off = build(EncoderDecoder, causal_mask=False, positional_encoding="rotary").config
    found = {part.title: part for part in code_parts(off, 4, 4)}
    assert "Positions: rotary" in found
    hidden, used = found["Causal mask, switched off"].lines
    assert "padding" in hidden.text and "decoder_mask" in used.text
