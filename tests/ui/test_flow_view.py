import base64
import json

import pytest
import torch
from packed import unpack
from tiny import tiny_classifier, tiny_translator, tiny_writer

from transformer_core.explain.flow import sentiment_flow, story_flow, translation_flow
from transformer_core.explain.flow_weights import translation_weights
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import classify
from transformer_core.tasks.generation import look, prompt_ids
from transformer_core.tasks.translation import translate_sentence
from transformer_core.ui.views.flow import flow_value, flow_view
from transformer_core.ui.views.shared import pack
from transformer_core.ui.views.weights import weights_value

HOSTILE = "</script><img src=x onerror=alert(1)> ${1+1} \\x speak"


def translation(text="Speak, hear me speak."):
    trained = tiny_translator()
    return translation_flow(trained, translate_sentence(trained, text))


def review(text="speak"):
    trained = tiny_classifier(max_len=120)
    return sentiment_flow(trained, classify(trained, text, Trace()))


def story(text="Before we proceed any further, hear me speak. All: Speak, speak."):
    trained = tiny_writer(max_len=64)
    ids = prompt_ids(trained, text)
    return story_flow(trained, look(trained, ids, len(ids)), ids)


FLOWS = [translation, review, lambda: review("speak hear " * 30), story]


@pytest.mark.parametrize("make", FLOWS)
def test_a_value_says_what_the_flow_does(make):
    flow = make()
    value = flow_value(flow)
    assert len(json.dumps(value, allow_nan=False)) < 100_000
    for stack, sent in zip(flow.stacks, value["stacks"], strict=True):
        assert len(sent["tokens"]) == len(stack.tokens) and sent["more"] == stack.more
        assert sent["self"] == [pack(share) for share in stack.self_shares]
        assert sent["cross"] == [pack(share) for share in stack.cross_shares]
        for name, heads in (("self_heads", stack.self_heads), ("cross_heads", stack.cross_heads)):
            unpacked = [list(base64.b64decode(packed)) for packed in sent[name]]
            assert unpacked == [each.flatten().tolist() for each in heads]
        assert sent["places"] == stack.places
    for said, sent in zip(flow.said, value["outs"], strict=True):
        assert [won for _, _, won, _ in sent["candidates"]].count(True) == 1
        assert [index for *_, index in sent["candidates"]] == [one.id for one in said.candidates]
        assert sent["row"] == said.row and len(sent["lens"]) == len(said.lens)


def test_weights_travel_apart_from_the_flow_and_say_whose_they_are():
    trained = tiny_translator()
    sentence = translate_sentence(trained, "Speak, hear me speak.")
    stacks = translation_weights(trained, sentence)
    plain, sent = flow_value(translation_flow(trained, sentence)), weights_value(stacks)
    assert "weights" not in json.dumps(plain)
    for stack, drawn, given in zip(stacks, plain["stacks"], sent["stacks"], strict=True):
        assert given["tokens"] == drawn["tokens"]
        assert given["self"] == [pack(weights) for weights in stack.self_weights]
        assert given["cross"] == [pack(weights) for weights in stack.cross_weights]


def test_shares_survive_the_packing():
    share = translation().stacks[0].self_shares[0]
    torch.testing.assert_close(unpack(pack(share)).float().view_as(share), share, atol=1e-4, rtol=0)


@pytest.mark.parametrize("make", [translation, review])
def test_what_a_visitor_types_stays_out_of_the_page(make):
    """It travels as data alone: no template of the view holds it."""
    value = flow_value(make(HOSTILE))
    shown = flow_view("Flow", "Nothing yet.", value=value)
    assert "onerror" not in shown.html_template and "onerror" not in shown.js_on_load
    assert shown.html_template == flow_view("Flow", "Nothing yet.").html_template
    assert all(isinstance(token, str) for token in value["stacks"][0]["tokens"])
