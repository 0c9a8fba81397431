from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F
from tiny import NORMS, TINY, build, padded, words

from transformer_core.model.blocks import FEED_FORWARDS
from transformer_core.model.heads import every_head
from transformer_core.model.masks import causal_mask
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Site, Trace

SITES = {
    EncoderDecoder: [
        Site("encoder", 0, "self"),
        Site("encoder", 1, "self"),
        Site("decoder", 0, "self"),
        Site("decoder", 0, "cross"),
        Site("decoder", 1, "self"),
        Site("decoder", 1, "cross"),
    ],
    EncoderClassifier: [Site("encoder", 0, "self"), Site("encoder", 1, "self")],
    DecoderLM: [Site("decoder", 0, "self"), Site("decoder", 1, "self")],
}
every_model = pytest.mark.parametrize("model_class", SITES)
every_encoding = pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)


def inputs(model_class):
    return (words(2, 6), words(2, 9)) if model_class is EncoderDecoder else (words(2, 9),)


@every_model
def test_a_trace_holds_every_attention_module_in_order(model_class):
    model, trace = build(model_class), Trace()
    model(*inputs(model_class), trace=trace)
    assert list(trace.attention) == model.sites == SITES[model_class]


@every_model
@pytest.mark.parametrize("norm", NORMS)
def test_a_trace_changes_no_logit(model_class, norm):
    model, tokens = build(model_class, norm=norm), inputs(model_class)
    assert torch.equal(model(*tokens, trace=Trace()), model(*tokens))


def test_a_trace_knows_where_no_query_may_look_ahead():
    for masked in (True, False):
        model, trace = build(EncoderDecoder, causal_mask=masked), Trace()
        model(*inputs(EncoderDecoder), trace)
        for site, attention in trace.attention.items():
            own = (site.stack, site.kind) == ("decoder", "self")
            assert attention.causal == (masked and own)
            assert attention.causal == (not attention.weights.triu(1).any())


def test_a_trace_shows_weights_before_dropout():
    model, trace = build(EncoderDecoder, attention_dropout=0.5).train(), Trace()
    model(*inputs(EncoderDecoder), trace)
    for attention in trace.attention.values():
        rows = attention.weights.sum(-1)
        torch.testing.assert_close(rows, torch.ones_like(rows))


@every_encoding
def test_the_finished_trace_equals_every_steps(positional_encoding):
    model = build(EncoderDecoder, positional_encoding=positional_encoding)
    (src, tgt), whole = inputs(EncoderDecoder), Trace()
    model(src, tgt, whole)
    for length in range(1, 10):
        step = Trace()
        model(src, tgt[:, :length], step)
        for site in SITES[EncoderDecoder][2:]:
            seen = whole.attention[site].weights[:, :, length - 1]
            visible = seen[..., :length] if site.kind == "self" else seen
            torch.testing.assert_close(step.attention[site].weights[:, :, -1], visible)


@pytest.mark.parametrize("norm", NORMS)
def test_the_residual_stream_leads_from_the_embedding_to_the_logits(norm):
    model, tokens, trace = build(DecoderLM, norm=norm), words(2, 9), Trace()
    logits = model(tokens, trace)
    states, stack = trace.residual["decoder"], model.decoder
    assert len(states) == TINY.n_layers + 1
    torch.testing.assert_close(states[0], stack.positions.embed(stack.embed(tokens)))
    for block, before, after in zip(stack.blocks, states, states[1:], strict=False):
        torch.testing.assert_close(block(before, causal_mask(9, 9)), after)
    last = states[-1]
    if norm == "pre":
        last = F.layer_norm(last, (32,), stack.norm.weight, stack.norm.bias)
    torch.testing.assert_close(last @ stack.embedding.weight.T, logits)


def test_each_stack_has_its_own_residual_stream():
    model, (src, tgt), trace = build(EncoderDecoder), inputs(EncoderDecoder), Trace()
    model(src, tgt, trace)
    lengths = {stack: [x.size(1) for x in states] for stack, states in trace.residual.items()}
    assert lengths == {"encoder": [6] * 3, "decoder": [9] * 3}


@every_model
def test_switching_every_head_off_in_one_batch_equals_one_at_a_time(model_class):
    model, tokens = build(model_class), [row[:1] for row in inputs(model_class)]
    heads = every_head(model)
    masks = {site: torch.ones(len(heads), TINY.n_heads) for site in model.sites}
    for row, (site, head) in enumerate(heads):
        masks[site][row, head] = 0.0
    together = model(*(x.expand(len(heads), -1) for x in tokens), trace=Trace(masks))
    for row in range(len(heads)):
        alone = Trace({site: mask[row : row + 1] for site, mask in masks.items()})
        torch.testing.assert_close(model(*tokens, trace=alone), together[row : row + 1])
    assert not torch.isclose(together, model(*tokens)).flatten(1).all(dim=1).any()


def test_one_row_of_switches_holds_for_the_whole_batch():
    model, tokens, site = build(EncoderClassifier), words(3, 9), Site("encoder", 1, "self")
    mask = torch.tensor([[1.0, 0.0, 1.0, 1.0]])
    one, all_rows = Trace({site: mask}), Trace({site: mask.expand(3, 4)})
    assert torch.equal(model(tokens, one), model(tokens, all_rows))


def test_a_trace_that_does_not_record_switches_off_all_the_same():
    model, tokens = build(DecoderLM), words(2, 9)
    masks = {Site("decoder", 0, "self"): torch.tensor([[0.0, 1.0, 1.0, 1.0]])}
    silent = Trace(masks, record=False)
    assert torch.equal(model(tokens, silent), model(tokens, Trace(masks)))
    assert not silent.attention
    assert not silent.residual


def test_two_layers_of_heads_count_layer_by_layer():
    first, second = SITES[DecoderLM]
    assert every_head(build(DecoderLM, n_heads=2)) == [
        (first, 0),
        (first, 1),
        (second, 0),
        (second, 1),
    ]


def test_a_site_counts_layers_from_1_on_screen():
    assert str(Site("decoder", 0, "cross")) == "decoder layer 1 cross-attention"


def test_threads_keep_their_own_traces():
    model, src = build(EncoderDecoder), padded([words(6), words(4)])

    def weights(tgt):
        trace = Trace()
        model(src, tgt, trace)
        return {site: attention.weights for site, attention in trace.attention.items()}

    def wrong_sites(tgt):
        seen = [weights(tgt) for _ in range(40)]
        return [s for w in seen for s in w if not torch.equal(w[s], alone[len(tgt[0])][s])]

    targets = [words(2, length) for length in (5, 9, 13, 17)]
    alone = {len(tgt[0]): weights(tgt) for tgt in targets}
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(wrong_sites, targets)) == [[], [], [], []]


@pytest.mark.parametrize("changes", [{}, {"norm": "post"}, {"norm": "none"}, {"residual": False}])
def test_a_trace_of_the_inside_leads_through_every_sublayer(changes):
    model, trace = build(EncoderDecoder, **changes), Trace(inside=True)
    model(*inputs(EncoderDecoder), trace)
    kinds = {"encoder": ("self", "feed-forward"), "decoder": ("self", "cross", "feed-forward")}
    for stack, states in trace.residual.items():
        sites = [Site(stack, layer, kind) for layer in range(2) for kind in kinds[stack]]
        assert [site for site in trace.sublayers if site.stack == stack] == sites
        steps = [trace.sublayers[site] for site in sites]
        assert torch.equal(steps[0].x, states[0]) and torch.equal(steps[-1].out, states[-1])
        assert all(torch.equal(a.out, b.x) for a, b in pairwise(steps))
        for step in steps:
            assert torch.equal(step.total, step.x + step.update) == changes.get("residual", True)


@pytest.mark.parametrize("activation", FEED_FORWARDS)
def test_the_second_projection_reads_the_traced_hidden_layer(activation):
    model, trace = build(DecoderLM, activation=activation), Trace(inside=True)
    model(*inputs(DecoderLM), trace=trace)
    for site, hidden in trace.hidden.items():
        network = model.decoder.blocks[site.layer].feed_forward
        assert torch.equal(network.down(hidden.after), trace.sublayers[site].update)
        assert hidden.before.shape == hidden.after.shape == (2, 9, TINY.d_ff)


def test_an_ordinary_trace_leaves_the_inside_out():
    model, trace = build(DecoderLM), Trace()
    model(*inputs(DecoderLM), trace=trace)
    assert not trace.sublayers
    assert not trace.hidden


def test_a_traced_mask_is_the_one_that_hid_the_future():
    model, trace = build(DecoderLM), Trace()
    model(*inputs(DecoderLM), trace=trace)
    for attention in trace.attention.values():
        assert torch.equal(attention.mask.expand_as(attention.weights), attention.weights > 0)
