import pytest
import torch
from tiny import NORMS, TINY, build, words

from transformer_core.explain import contributions as module
from transformer_core.explain.contributions import contributions, origins, parts, shares
from transformer_core.model.heads import head_mask
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Trace

MODELS = [EncoderDecoder, EncoderClassifier, DecoderLM]
every_model = pytest.mark.parametrize("model_class", MODELS)


def recorded(model, lengths=(9, 7), **how):
    """A trace of one random text (or of two, a source and a target)."""
    trace = Trace(**how)
    texts = [words(1, length) for length in lengths]
    with torch.inference_mode():
        model(*texts[: 2 if isinstance(model, EncoderDecoder) else 1], trace)
    return trace


def check(model, trace):
    """Parts and rest add up to every sublayer's output; every row of the shares sums to 1."""
    for site in model.sites:
        sublayer = trace.sublayers[site]
        brought, rest = parts(model, trace, site, sublayer.x[0])
        torch.testing.assert_close(brought.sum(1) + rest, sublayer.out[0], atol=1e-4, rtol=0)
    found = contributions(model, trace)
    assert list(found) == model.sites
    for site, share in found.items():
        n_queries, n_keys = trace.attention[site].weights.shape[-2:]
        assert share.shape == (n_queries, n_keys + (site.kind == "cross"))
        assert share.min() >= 0
        torch.testing.assert_close(share.sum(-1), torch.ones(n_queries))
    return found


@every_model
@pytest.mark.parametrize("norm", NORMS)
def test_parts_and_bias_are_the_output(model_class, norm):
    model = build(model_class, norm=norm)
    check(model, recorded(model, inside=True))


@every_model
@pytest.mark.parametrize("name", POSITIONAL_ENCODINGS)
def test_they_are_with_every_positional_encoding(model_class, name):
    model = build(model_class, positional_encoding=name)
    check(model, recorded(model, inside=True))


@every_model
@pytest.mark.parametrize(
    "change", [{"residual": False}, {"feed_forward": False}, {"scale_scores": False}]
)
def test_they_are_in_ablated_models(model_class, change):
    model = build(model_class, **change)
    check(model, recorded(model, inside=True))


def test_a_head_that_is_off_brings_nothing():
    model = build(EncoderDecoder)
    off = [(model.sites[0], 1), (model.sites[-1], 0), (model.sites[-1], 3)]
    check(model, recorded(model, head_mask=head_mask(model, off), inside=True))


@every_model
def test_nothing_inside_need_be_recorded(model_class):
    model = build(model_class, norm="post")
    torch.manual_seed(5)
    plain = contributions(model, recorded(model))
    torch.manual_seed(5)
    inside = contributions(model, recorded(model, inside=True))
    assert plain.keys() == inside.keys()
    for site in plain:
        assert torch.equal(plain[site], inside[site])


@every_model
@pytest.mark.parametrize("chunk", [1, 1_500])
def test_in_chunks_they_are_the_same(model_class, chunk):
    model = build(model_class)
    trace = recorded(model)
    whole, chunked = contributions(model, trace), contributions(model, trace, chunk)
    for site in whole:
        torch.testing.assert_close(chunked[site], whole[site], atol=1e-5, rtol=0)


def test_of_a_long_text_no_large_tensor_is_built(monkeypatch):
    model = build(DecoderLM, max_len=512, n_layers=1)
    trace, sizes, real = recorded(model, (512,)), [], module.shares

    def watched(brought, out, own):
        sizes.append(brought.numel())
        return real(brought, out, own)

    monkeypatch.setattr(module, "shares", watched)
    contributions(model, trace, chunk=2**18)
    assert max(sizes) <= 2**18 and len(sizes) == 512 * 512 * TINY.d_model // 2**18


@pytest.mark.parametrize("model_class", [DecoderLM, EncoderDecoder])
def test_nothing_comes_from_the_future(model_class):
    model = build(model_class)
    found = contributions(model, recorded(model))
    for site, share in found.items():
        if site.stack == "decoder" and site.kind == "self":
            assert torch.equal(share, share.tril())
    ends = origins(found)
    own = ends.source if ends.written is None else ends.written
    assert torch.equal(own, own.tril())


def test_the_share_is_how_much_nearer_a_part_brings_the_sum():
    # of the sum (4, 2) the first part brings 3 of 6 nearer, the second 1 + 2, the third leads away
    brought = torch.tensor([[[3.0, 0.0], [2.0, 2.0], [-1.0, 0.0]]])
    out = brought.sum(1)
    found = shares(brought, out, torch.tensor([0]))
    torch.testing.assert_close(found, torch.tensor([[3 / 7, 4 / 7, 0.0]]))


def test_where_no_part_leads_to_the_sum_the_stream_keeps_it():
    brought, out = torch.tensor([[[-1.0, 0.0], [0.0, -1.0]]]), torch.tensor([[1.0, 1.0]])
    assert shares(brought, out, torch.tensor([1])).tolist() == [[0.0, 1.0]]


def only_looks_at(model, word):
    """Make every attention module without positions look at one token's vector and at no other."""
    size = model.config.d_model
    for module_ in model.modules():
        if hasattr(module_, "split_heads"):
            for projection in (module_.query, module_.key, module_.value, module_.output):
                projection.weight.data.zero_()
                projection.bias.data.zero_()
            module_.query.bias.data.fill_(1_000.0)
            module_.key.weight.data[:, word] = 1.0
            module_.value.weight.data = torch.eye(size)
            module_.output.weight.data = torch.eye(size)
    return model


PLAIN = {"norm": "none", "positional_encoding": "none", "feed_forward": False}


def test_where_one_word_decides_it_has_everything():
    """A model made by hand: every position takes word 5 and forgets itself."""
    model = only_looks_at(build(EncoderClassifier, residual=False, n_layers=1, **PLAIN), 5)
    model.encoder.embedding.weight.data = torch.eye(TINY.vocab_size, TINY.d_model)
    trace, ids = Trace(), torch.tensor([[2, 9, 4, 5, 11, 3]])
    model(ids, trace)
    ends = origins(contributions(model, trace))
    assert ends.written is None
    expected = torch.zeros(6, 6)
    expected[:, 3] = 1.0
    torch.testing.assert_close(ends.source, expected)


def test_a_decoder_that_only_listens_is_made_of_the_word_it_hears():
    model = only_looks_at(build(EncoderDecoder, n_layers=1, **PLAIN), 5)
    model.encoder.embedding.weight.data = torch.eye(TINY.vocab_size, TINY.d_model)
    for block in model.encoder.blocks:
        block.self_attention.output.weight.data.zero_()  # the encoder leaves every word as it is
    for block in model.decoder.blocks:
        block.self_attention.output.weight.data.zero_()
        block.cross_attention.output.weight.data *= 3.0  # hears three times as loud as it remembers
    trace = Trace()
    model(torch.tensor([[9, 5, 11]]), torch.tensor([[1, 7]]), trace)
    ends = origins(contributions(model, trace))
    torch.testing.assert_close(ends.source, torch.tensor([[0.0, 0.75, 0.0]] * 2))
    torch.testing.assert_close(ends.written, 0.25 * torch.eye(2))


def test_origins_are_the_product_of_all_layers():
    """Against one square matrix a step over all tokens of both texts."""
    model = build(EncoderDecoder)
    found = contributions(model, recorded(model, (5, 4)))
    state = torch.eye(9)
    for site, share in found.items():
        step = torch.eye(9)
        if site.stack == "encoder":
            step[:5, :5] = share
        elif site.kind == "self":
            step[5:, 5:] = share
        else:
            step[5:] = torch.cat([share[:, :-1], torch.diag(share[:, -1])], 1)
        state = step @ state
    ends = origins(found)
    torch.testing.assert_close(torch.cat([ends.source, ends.written], 1), state[5:])
    torch.testing.assert_close(state.sum(1), torch.ones(9))


def test_origins_of_one_stack_are_its_layers_multiplied():
    model = build(DecoderLM)
    found = contributions(model, recorded(model))
    lower, upper = found.values()
    torch.testing.assert_close(origins(found).source, upper @ lower)
