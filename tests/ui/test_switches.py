"""What the switches say of each head."""

import json
from dataclasses import replace

import pytest
import torch
from tiny import tiny_classifier, tiny_translator, tiny_writer

from transformer_core.checkpoint import save, weights_of
from transformer_core.decoding.sampling import Sampling
from transformer_core.explain.roles import FILE, UNKNOWN, HeadRole, labelled
from transformer_core.model.heads import every_head
from transformer_core.tasks.classification import classify
from transformer_core.tasks.generation import look
from transformer_core.ui.head_switches import head_key
from transformer_core.ui.tabs.generate import switches as generate
from transformer_core.ui.tabs.generate.story import Story, begun
from transformer_core.ui.tabs.sentiment import layers
from transformer_core.ui.tabs.translate import shown
from transformer_core.ui.tabs.translate.work import begin
from transformer_core.ui.views.switches import switches_value

TEXT = "Speak, speak."
ROLE = HeadRole("previous", share=0.8, chance=0.1, loss=0.02, error=0.01)


def measured(trained, folder, head):
    """The model as a checkpoint of which one head has a name."""
    save(folder, trained.model)
    record = {"heads": [ROLE.to_json(head)], "weights": weights_of(folder)}
    (folder / FILE).write_text(json.dumps(record))
    return replace(trained, folder=folder)


def told(value):
    """What is said of each head, by the names that its switch has between page and server."""
    return {
        f"{group['key']}:{layer}:{head}": one
        for group in value["groups"]
        for layer, heads in enumerate(group["roles"])
        for head, one in enumerate(heads)
    }


def of_a_text(trained):
    story = begun(trained, Story(), TEXT)
    return generate.switched(trained, story, look(trained, story.branch.ids, 5), Sampling(), 1)


def before_a_text(trained):
    story = begun(trained, Story(), TEXT)
    return generate.switched(trained, story, look(trained, story.branch.ids, 1), Sampling(), 1)


def of_a_translation(trained):
    return shown.switched(trained, begin(trained, TEXT, 2, 1.0)[0], None)


def of_a_review(trained):
    return layers.switched(trained, classify(trained, TEXT))


@pytest.mark.parametrize(
    ("build", "value_of"),
    [
        (tiny_writer, of_a_text),
        (tiny_writer, before_a_text),
        (tiny_translator, of_a_translation),
        (tiny_classifier, of_a_review),
    ],
)
def test_every_tab_says_of_each_switch_what_was_measured_of_its_head(build, value_of, tmp_path):
    torch.manual_seed(0)
    trained = build()
    first, *others = every_head(trained.model)
    said = told(value_of(measured(trained, tmp_path, first)))
    known = labelled({first: ROLE})[first]
    assert known.label == "previous" and "the token before" in known.said
    assert said == {head_key(first): known, **{head_key(head): UNKNOWN for head in others}}


def test_of_heads_that_nobody_measured_nothing_is_said():
    heads = every_head(tiny_translator().model)
    value = switches_value(heads, heads[:1], None, "")
    assert told(value) == {head_key(head): UNKNOWN for head in heads}
    assert value["off"] == [head_key(heads[0])]
    names = [group["name"] for group in value["groups"]]
    assert names[0] == "decoder cross-attention" and len(names) == 3
