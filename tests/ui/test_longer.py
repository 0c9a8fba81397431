"""The section in which models read on beyond the length of their training."""

import gradio as gr
import pytest
from tiny_study import write_encodings

from transformer_core.published import Models
from transformer_core.studies.encodings import VARIANTS
from transformer_core.ui.tabs.positions import longer
from transformer_core.ui.tabs.positions.longer import Longer
from transformer_core.ui.tabs.positions.shuffle import Ordered, Shuffling

LENGTH = 16
TEXT = "Speak, speak. All of them speak to us of all."  # of letters that the tiny writer knows


@pytest.fixture(scope="module")
def section(tmp_path_factory):
    """That of tiny writers, one for every encoding."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_encodings(folder, LENGTH)
    return Longer(Models(folder))


def asked(n, press=1):
    return gr.EventData(None, {"n": n, "press": press})


def known(section):
    """As much of a text as these models know."""
    (first, *_) = longer.readers(section.models)[1]
    unknown = first.trained.tokenizer.unknown_characters(TEXT)
    return "".join(c for c in TEXT if c not in unknown)


def test_a_short_text_is_read_whole_at_first_and_as_much_as_is_asked_for_then(section):
    text = known(section)[:14]
    first = section.begin(text)
    assert first["n"] == first["most"] == len(text) and first["text"] == text
    assert "at home here" in first["summary"] and "press" not in first
    assert [row["name"] for row in first["rows"]] == [*VARIANTS]
    assert all(row["writes"] and row["points"] for row in first["rows"])
    again = section.read(text, asked(5, press=3))
    assert (again["n"], again["text"], again["press"]) == (5, text[:5], 3)
    assert section.read(text, asked(-3))["n"] == 1
    assert section.read(text, asked(10_000))["n"] == len(text)


def test_the_end_that_is_shown_is_that_of_what_was_read(section):
    text = known(section)
    found = section.read("…" + text, asked(10))  # one sign for a visitor, three for these models
    assert found["text"] == "..." + text[:7] and found["n"] == 10


def test_beyond_the_training_it_is_said_who_goes_on(section, monkeypatch):
    monkeypatch.setattr("transformer_core.ui.tabs.positions.longer.WRITTEN", 4)
    text = (known(section) * 3)[:30]
    assert section.begin(known(section) * 3)["n"] == 3 * LENGTH
    found = section.read(text, asked(24))
    said = found["summary"]
    assert "no encoding (2.24), sinusoidal (2.24), rotary (2.24) and ALiBi (2.24) guess" in said
    assert said.endswith("learned has no vector for character 24.")
    cut = section.begin((known(section) * 6)[:80])["summary"]
    assert cut.endswith(" Of these 80 characters, the first 60 can be read.")
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["learned"]["writes"] is rows["learned"]["lately"] is rows["learned"]["loss"] is None
    assert rows["alibi"]["loss"] == pytest.approx(2.24)
    assert rows["learned"]["points"][-1][0] == 16 and rows["alibi"]["points"][-1][0] == 32


def test_what_cannot_be_read_is_said_in_its_place(section):
    for text, words in (
        ("", "Type or paste"),
        ("  \n", "Type or paste"),
        ("漢字", "characters"),
        (None, "must be text"),
    ):
        refused = section.begin(text)
        assert list(refused) == ["refusal"] and words in refused["refusal"]
    for n in (None, "8", 8.5, [8]):
        with pytest.raises(gr.Error, match="must be a number"):
            section.read(TEXT, asked(n))


def test_models_that_are_trained_while_the_app_runs_are_asked(tmp_path):
    section = Longer(Models(tmp_path))
    absent = "There are no models to ask yet: `python -m train.ablations shakespeare`."
    assert section.begin(TEXT) == {"refusal": absent}
    write_encodings(tmp_path, LENGTH)
    held = tmp_path / "held"
    (tmp_path / "ablations" / "shakespeare" / VARIANTS["rotary"]).rename(held)
    text = known(section)
    assert "rotary" not in [row["name"] for row in section.begin(text)["rows"]]
    held.rename(tmp_path / "ablations" / "shakespeare" / VARIANTS["rotary"])
    assert [row["name"] for row in section.begin(text)["rows"]] == [*VARIANTS]


def test_a_text_is_read_once_however_often_it_is_asked_for(section, monkeypatch):
    reads, read_on = [], longer.read_on
    monkeypatch.setattr(longer, "read_on", lambda *asked: reads.append(asked) or read_on(*asked))
    text = known(section)[:12]
    first = section.begin(text)
    assert len(reads) == len(VARIANTS) and section.begin(text) == first
    section.read(text, asked(11))
    section.read(text, asked(11))
    assert len(reads) == 2 * len(VARIANTS)


def test_without_models_no_order_is_asked_about(tmp_path):
    absent = "There are no models to ask yet: `python -m train.ablations translation`."
    value = Shuffling(Models(tmp_path)).begin("A dog chases a man.", Ordered())
    assert value == {"refusal": absent}
