"""The section in which two words meet at other places."""

import gradio as gr
import pytest
import torch
from packed import unpack_signed
from tiny_study import write_translators

from transformer_core.published import Models
from transformer_core.studies.distance import meet
from transformer_core.studies.encodings import VARIANTS
from transformer_core.ui.tabs.positions.distance import (
    MAX_PIECES,
    Distance,
    last_words,
)
from transformer_core.ui.views.distance import PLACES

TEXT = "Speak to all of them."


@pytest.fixture(scope="module")
def section(tmp_path_factory):
    """That of two tiny models."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_translators(folder, "none", "rotary")
    return Distance(Models(folder))


def pressed(query, key, head, press=1):
    return gr.EventData(None, {"query": query, "key": key, "head": head, "press": press})


def test_the_last_two_words_meet_at_first():
    assert last_words(["▁A", "▁dog", "▁a", "▁man", "."]) == (2, 3)
    assert last_words(["▁man", "!"]) == (0, 0)
    assert last_words(["!", "?"]) == (0, 0)


def test_what_is_sent_is_what_the_model_computes(section):
    value = section.begin("rotary", TEXT, "")
    trained = section.models.get(f"ablations/translation/{VARIANTS['rotary']}")
    ids = trained.tokenizer.encode(TEXT)
    assert len(value["tokens"]) == len(ids) and value["chosen"] == ""
    met = meet(trained, ids[value["query"]], ids[value["key"]], 0, PLACES)
    for name, wanted, limit in (
        ("scores", met.scores, "most"),
        ("queries", met.queries, "limit"),
        ("keys", met.keys, "limit"),
    ):
        found = unpack_signed(value[name]) * value[limit]
        torch.testing.assert_close(
            found, wanted.flatten().double(), atol=3e-5 * value[limit], rtol=0
        )


def test_words_and_head_stay_with_another_encoding_and_where_another_text_has_them(section):
    value, chosen = section.meet("rotary", TEXT, pressed(0, 2, 3, press=7))
    assert (value["query"], value["key"], value["head"], value["press"]) == (0, 2, 3, 7)
    assert chosen == value["chosen"] == "1.3.4"
    value = section.begin("none", TEXT, chosen)
    assert (value["encoding"], value["query"], value["head"]) == ("none", 0, 3)
    assert "press" not in value and value["chosen"] == chosen
    for nonsense in ("1.99.1", "1.2", "0.1.1", "1.1.5", "1.2.3.4"):
        value = section.begin("none", TEXT, nonsense)
        assert value["chosen"] == "" and value["head"] == 0


def test_what_cannot_be_shown_is_said_in_its_place(section):
    for text, words in (
        ("", "Type a sentence"),
        (None, "must be text"),
        ("speak " * 40, f"at most {MAX_PIECES} fit"),
        ("a" * 500_000, "has 500,000 characters; at most"),
    ):
        value = section.begin("rotary", text, "1.2.1")
        assert list(value) == ["refusal"] and words in value["refusal"]
    absent = "There are no models to ask yet: `python -m train.ablations translation`."
    assert section.begin("alibi", TEXT, "") == {"refusal": absent}
    assert section.begin("<b>", TEXT, "") == {"refusal": absent}
    for wrong in ((99, 0, 0), (0, -1, 0), (0, 0, 4), (None, 0, 0), (0, "1", 0), (0, 1.5, 0)):
        with pytest.raises(gr.Error, match="no such words or head"):
            section.meet("rotary", TEXT, pressed(*wrong))
