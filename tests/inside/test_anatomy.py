import base64
from dataclasses import replace

import numpy as np
import pytest
import torch
from looked import every_change, every_model, lengths, looked, trained
from tiny import NORMS, TINY, build
from torch.utils.flop_counter import FlopCounterMode

from transformer_core.decoding.search import Hypothesis
from transformer_core.inside import forward
from transformer_core.inside.anatomy import anatomy
from transformer_core.inside.attention import OneHead
from transformer_core.inside.boxes import drawn_stacks
from transformer_core.inside.feed_forward import MOST_OF_ALL, MOST_OF_ONE, most_active
from transformer_core.inside.forward import MAX_TOKENS, Reading, read_text, run
from transformer_core.inside.lens import agreement, guesses, logit_lens
from transformer_core.inside.output_head import MOST, likeliest
from transformer_core.inside.source import ROOT
from transformer_core.inside.stages import code, panels
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Site
from transformer_core.tasks.requests import InputError
from transformer_core.ui.views.anatomy import anatomy_value
from transformer_core.ui.views.lens import lens_value
from transformer_core.ui.views.passage import pack_floats


def stage(found, title):
    """The numbers of one stage of a node."""
    return next(panel.values for panel in found if panel.title == title)


@every_model
@every_change
def test_the_parameters_of_all_parts_sum_to_the_models(model_class, changes):
    model = build(model_class, **changes)
    nodes = anatomy(model, lengths(model_class))
    assert sum(node.parameters for node in nodes) == model.n_parameters
    assert len({node.key for node in nodes}) == len(nodes)


@every_model
@every_change
def test_operations_are_those_that_pytorch_counts(model_class, changes):
    model, sizes = build(model_class, **changes), lengths(model_class)
    tokens = [torch.randint(1, 17, (1, length)) for length in sizes.values()]
    with FlopCounterMode(display=False) as counter:
        model(*tokens)
    assert sum(node.flops for node in anatomy(model, sizes)) == counter.get_total_flops()


@every_model
@every_change
def test_every_shape_is_that_of_the_last_stage(model_class, changes):
    seen, nodes = looked(model_class, **changes)
    for node in nodes.values():
        found = panels(seen, node)
        for panel in found:
            n, m = panel.values.shape
            assert len(panel.rows) == n
            assert len(panel.columns) in (0, m)
            assert all(len(more) == n for more in panel.beside.values())
        shown = len(found[-1].columns) or node.shape[1]
        assert tuple(found[-1].values.shape) == (node.shape[0], shown), node.key


def test_a_tied_matrix_counts_where_it_is_used_first():
    nodes = {node.key: node for node in anatomy(build(EncoderDecoder), lengths(EncoderDecoder))}
    size = TINY.vocab_size * TINY.d_model
    for key, own in (("encoder", size), ("decoder", 0)):
        node = nodes[f"{key}:embedding"]
        assert (node.parameters, node.shared) == (own, size - own)
    assert (nodes["decoder:head"].parameters, nodes["decoder:head"].shared) == (0, size)


def test_what_a_switch_removes_is_not_drawn():
    def roles(**changes):
        return [node.role for node in anatomy(build(DecoderLM, **changes), lengths(DecoderLM))]

    block = ["norm", "attention", "add", "norm", "feed-forward", "add"]
    ends = ["embedding", "positions"], ["final norm", "head"]
    assert roles() == [*ends[0], *block * 2, *ends[1]]
    assert "add" not in roles(residual=False)
    assert "feed-forward" not in roles(feed_forward=False)
    assert not {"norm", "final norm"} & set(roles(norm="none"))
    assert roles(norm="post")[2:5] == ["attention", "add", "norm"]
    assert roles(norm="post")[-1] == "head" and "final norm" not in roles(norm="post")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"norm": "pre"}, {"x + update": "the residual stream after"}),
        ({"norm": "none"}, {"x + update": "the residual stream after"}),
        ({"norm": "post"}, {"x + update": "what the norm after it reads"}),
        ({"norm": "pre"}, {"before": "the residual stream"}),
        ({"norm": "post"}, {"before": "the sum before it"}),
        ({"norm": "post", "residual": False}, {"before": "what the sublayer answered"}),
    ],
)
def test_a_sum_that_a_norm_follows_is_no_state_of_the_stream_yet(changes, told):
    seen, nodes = looked(DecoderLM, **changes)
    parts = [panels(seen, node) for node in nodes.values() if node.role in ("add", "norm")]
    found = [(panel.title, panel.how) for part in parts for panel in part]
    ((title, how),) = told.items()
    assert {said for name, said in found if name == title} == {how}
    if title == "x + update":  # the state that the next part reads
        after = seen.trace.sublayers[Site("decoder", 0, "self")]
        assert after.total.equal(after.out) == (changes["norm"] != "post")


@pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)
@pytest.mark.parametrize("model_class", [EncoderDecoder, DecoderLM, EncoderClassifier])
def test_the_stages_of_a_head_lead_from_queries_and_keys_to_its_weights(model_class, encoding):
    seen, nodes = looked(model_class, positional_encoding=encoding)
    for node in (n for n in nodes.values() if n.role == "attention"):
        contexts = []
        for head in range(TINY.n_heads):
            found = panels(seen, node, head)
            products = stage(found, "query") @ stage(found, "key").T
            torch.testing.assert_close(stage(found, "query · key"), products)
            torch.testing.assert_close(stage(found, "scaled"), products / TINY.head_dim**0.5)
            biased = node.module.bias(stage(found, "scaled").expand(1, TINY.n_heads, -1, -1))
            masked = stage(found, "masked")
            visible = masked > -torch.inf
            torch.testing.assert_close(masked[visible], biased[0, head][visible])
            weights = seen.trace.attention[node.site].weights[0, head]
            torch.testing.assert_close(masked.softmax(-1), weights)
            torch.testing.assert_close(stage(found, "softmax"), weights)
            contexts.append(stage(found, "context"))
            torch.testing.assert_close(contexts[-1], weights @ stage(found, "value"))
        torch.testing.assert_close(node.module.output(torch.cat(contexts, -1)), found[-1].values)


def test_queries_and_keys_are_named_by_their_own_tokens():
    seen, nodes = looked(EncoderDecoder)
    tokens = seen.reading.tokens
    for node in (n for n in nodes.values() if n.role == "attention"):
        keys = tokens["encoder" if node.site.kind == "cross" else node.stack]
        named = {panel.title: panel for panel in panels(seen, node)}
        assert named["query"].rows == named["context"].rows == tokens[node.stack]
        assert named["key"].rows == named["value"].rows == named["softmax"].columns == keys


@pytest.mark.parametrize("causal_mask", [True, False])
@pytest.mark.parametrize("model_class", [EncoderDecoder, DecoderLM, EncoderClassifier])
def test_only_a_decoders_own_tokens_are_hidden_and_only_by_a_causal_mask(model_class, causal_mask):
    seen, nodes = looked(model_class, causal_mask=causal_mask)
    for node in (n for n in nodes.values() if n.role == "attention"):
        masked = next(one for one in panels(seen, node) if one.title == "masked")
        hidden = masked.values.isinf()
        causal = causal_mask and node.site.stack == "decoder" and node.site.kind == "self"
        assert torch.equal(hidden, torch.ones_like(hidden).triu(1) & causal)
        assert (masked.how == "nothing to hide here") is not hidden.any().item()


def test_a_position_bias_is_a_stage_of_alibi_alone():
    def titles(encoding):
        seen, nodes = looked(DecoderLM, positional_encoding=encoding)
        return [panel.title for panel in panels(seen, nodes["decoder:0:self:attention"])]

    assert "with position bias" in titles("alibi")
    assert "with position bias" not in titles("rotary")


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_norm_leaves_mean_and_variance_of_its_gain_and_bias(norm):
    seen, nodes = looked(DecoderLM, norm=norm)
    node = nodes["decoder:1:feed-forward:norm"]
    before, after = panels(seen, node)
    expected = torch.nn.functional.layer_norm(
        before.values, (32,), node.module.weight, node.module.bias
    )
    torch.testing.assert_close(after.values, expected)
    for panel in (before, after):
        torch.testing.assert_close(panel.beside["mean"], panel.values.mean(1))
        torch.testing.assert_close(panel.beside["variance"], panel.values.var(1, correction=0))


def test_the_units_shown_are_the_most_active_of_each_token_and_zeros_are_counted_over_all():
    seen, nodes = looked(DecoderLM, d_ff=90)
    before, after, _ = panels(seen, nodes["decoder:0:feed-forward:feed-forward"])
    (hidden,) = seen.trace.hidden[nodes["decoder:0:feed-forward:feed-forward"].site].after
    assert torch.equal(after.values, before.values.relu())
    units = [int(unit) - 1 for unit in after.columns]
    assert torch.equal(after.values, hidden[:, units])
    assert units == sorted(units) == after.chosen and len(units) < 90, "some of all"
    for row in hidden:
        assert set(row.topk(MOST_OF_ONE).indices.tolist()) <= set(units)
    torch.testing.assert_close(after.beside["zeros"], (hidden == 0).float().mean(1))


def test_what_the_heads_add_is_the_output_but_for_its_bias():
    seen, nodes = looked(EncoderDecoder)
    for node in (one for one in nodes.values() if one.role == "attention"):
        found, parts = panels(seen, node), OneHead(seen, node, 0).parts
        torch.testing.assert_close(
            parts.sum(0) + node.module.output.bias, stage(found, "output"), rtol=1e-4, atol=1e-5
        )
        lengths = stage(found, "added by each head")
        assert lengths.shape == (len(seen.tokens(node)), TINY.n_heads)
        torch.testing.assert_close(lengths[:, 1], parts[1].norm(dim=1))


def test_of_many_tokens_fewer_units_are_shown_of_each_but_always_the_loudest():
    after = torch.rand(100, 512)
    units = most_active(after)
    assert len(units) <= MOST_OF_ALL and set(after.argmax(1).tolist()) <= set(units)


@pytest.mark.parametrize("n_rows", [5, 60])
def test_what_is_likeliest_somewhere_is_shown_however_unsure_the_model_was(n_rows):
    """Other tokens are likelier elsewhere, as second guesses."""
    probs = torch.full((n_rows, 500), 0.001)
    probs[torch.arange(n_rows), torch.arange(n_rows)] = 0.1
    probs[0, :200] = 0.3
    probs[0, 0] = 0.4
    shown = likeliest(probs).tolist()
    assert set(range(n_rows)) <= set(shown) and len(set(shown)) == max(n_rows, MOST)


def test_a_sum_is_the_stream_and_its_update():
    seen, nodes = looked(EncoderDecoder)
    for node in (n for n in nodes.values() if n.role == "add"):
        x, update, total = (panel.values for panel in panels(seen, node))
        assert torch.equal(total, x + update)


def own_probabilities(model, logits):
    """Softmax; the special tokens of a language model, never trained, get no share."""
    hidden = torch.arange(logits.size(-1)) < (6 if isinstance(model, DecoderLM) else 0)
    return logits.masked_fill(hidden, -torch.inf).softmax(-1)


@every_model
def test_the_head_shows_the_models_own_logits_and_probabilities(model_class):
    seen, nodes = looked(model_class)
    logits, probs = panels(seen, list(nodes.values())[-1])
    if model_class is EncoderClassifier:
        own, names = seen.logits[None], ["negative", "positive"]
    else:
        own = seen.logits
        names = [seen.trained.tokenizer.token(i) for i in range(own.size(1))]
    columns = [names.index(name) for name in probs.columns]
    assert torch.equal(logits.values, own[:, columns])
    torch.testing.assert_close(probs.values, own_probabilities(seen.model, own)[:, columns])
    assert set(own_probabilities(seen.model, own).argmax(-1).tolist()) <= set(columns)
    torch.testing.assert_close(probs.beside["sum shown"], probs.values.sum(1))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("model_class", [EncoderDecoder, DecoderLM])
def test_the_lens_ends_with_the_models_own_prediction(model_class, norm):
    seen, _ = looked(model_class, norm=norm)
    found = logit_lens(seen)
    assert len(found) == TINY.n_layers + 1
    torch.testing.assert_close(found[-1].exp(), own_probabilities(seen.model, seen.logits))
    assert not torch.allclose(found[-1].exp(), found[0].exp())


def test_the_lens_before_the_last_layer_is_the_model_without_it():
    seen, _ = looked(DecoderLM)
    shorter = build(DecoderLM, **{**vars(seen.model.config), "n_layers": 1})
    kept = {k: v for k, v in seen.model.state_dict().items() if "blocks.1" not in k}
    shorter.load_state_dict(kept)
    logits = run(replace(seen.trained, model=shorter), seen.reading).logits
    torch.testing.assert_close(logit_lens(seen)[-2].exp(), own_probabilities(shorter, logits))


def test_a_translator_is_shown_its_own_greedy_translation():
    seen, _ = looked(EncoderDecoder)
    best = [seen.trained.tokenizer.token(i) for i in seen.logits.argmax(-1).tolist()]
    assert best == seen.reading.following


@pytest.mark.parametrize(("ended", "last"), [(True, ["[EOS]"]), (False, [])])
def test_a_decoder_reads_what_was_written_before_each_piece(monkeypatch, ended, last):
    written = Hypothesis((7, 8, 9), ended=ended)
    monkeypatch.setattr(forward, "translate_ids", lambda *asked, **how: [written])
    model = trained(EncoderDecoder)
    reading, pieces = read_text(model, "Speak."), [model.tokenizer.token(i) for i in (7, 8, 9)]
    assert reading.following == pieces + last
    assert reading.tokens["decoder"] == ["[BOS]", *reading.following[:-1]]
    assert reading.ids["decoder"] == [1, 7, 8, 9][: len(reading.following)]


@every_model
def test_every_node_shows_its_own_lines_and_shapes(model_class):
    seen, nodes = looked(model_class)
    for node in nodes.values():
        found = code(seen, node)
        assert found.n_parameters == node.parameters + node.shared
        for lines in found.lines:
            source = (ROOT / lines.path).read_text().splitlines()
            assert source[lines.first - 1].strip() == lines.text.splitlines()[0]
    attention = next(n for n in nodes.values() if n.role == "attention")
    assert code(seen, attention).shapes["query"] == (1, 4, attention.shape[0], 8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing to look into"),
        (None, "nothing to look into"),
        ("x" * 2_001, "2,001 characters"),
        ("Speak. " * 100, f"at most {MAX_TOKENS}"),
        ("漢字", "knows none"),
    ],
)
def test_what_cannot_be_read_is_answered_with_the_limit(text, said):
    with pytest.raises(InputError, match=said):
        read_text(trained(EncoderClassifier), text)


def test_a_reading_is_small():
    reading = read_text(trained(EncoderDecoder), "Speak, speak.")
    assert isinstance(reading, Reading)
    assert not any(isinstance(value, torch.Tensor) for value in vars(reading).values())


def test_half_a_surrogate_pair_is_read_as_another_character():
    tokens = read_text(trained(EncoderClassifier), "Speak \ud800").tokens["encoder"]
    assert "".join(tokens).encode()


def test_packed_floats_come_back_with_what_is_hidden():
    values = torch.tensor([[0.5, -torch.inf], [-3e-9, 1e9]])
    read_back = np.frombuffer(base64.b64decode(pack_floats(values)), "<f4")
    assert torch.equal(torch.from_numpy(read_back.copy()).view(2, 2), values)


def test_the_lens_table_ends_with_what_the_translator_wrote():
    seen, _ = looked(EncoderDecoder)
    lens = logit_lens(seen)
    table = lens_value(guesses(seen, lens), agreement(lens).tolist(), "")
    assert len(table["layers"]) == len(table["agreement"]) == TINY.n_layers + 1
    assert table["agreement"][-1] == 1
    for row, probs in zip(table["rows"], seen.logits.softmax(-1), strict=True):
        last = row["cells"][-1]
        assert last["rank"] == 1
        assert last["best"][0][0] == row["answer"] == row["then"]
        assert last["best"][0][1] == pytest.approx(probs.max().item(), abs=1e-4)
        for cell in row["cells"]:
            assert [p for _, p in cell["best"]] == sorted(
                (p for _, p in cell["best"]), reverse=True
            )
            assert (cell["rank"] == 1) == (cell["best"][0][0] == row["answer"])


def test_the_drawing_has_a_box_for_every_node_and_branches_only_beside_a_stream():
    for residual in (True, False):
        seen, nodes = looked(EncoderDecoder, residual=residual)
        drawing = anatomy_value(drawn_stacks(seen, list(nodes.values())), "decoder:head", "")
        boxes = [box for stack in drawing["stacks"] for box in stack["nodes"]]
        assert [box["key"] for box in boxes] == list(nodes)
        assert {box["role"] for box in boxes if box["branch"]} == (
            {"norm", "attention", "feed-forward"} if residual else set()
        )


@pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)
def test_a_box_says_where_its_positions_act(encoding):
    seen, nodes = looked(DecoderLM, positional_encoding=encoding)
    (drawn,) = drawn_stacks(seen, list(nodes.values()))
    (said,) = [box.note for box in drawn.boxes if box.role == "positions"]
    words = {"none": "nothing", "rotary": "turns", "alibi": "adds a position bias"}
    assert said.startswith(words.get(encoding, "adds a vector"))
