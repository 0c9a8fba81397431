"""Doors lead to where a text can be read."""

import pytest
from tiny import tiny_writer, write_tinies, write_tiny

from transformer_core.published import Models
from transformer_core.ui.doors import from_text, try_twins


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = write_tinies(tmp_path_factory.mktemp("checkpoints"))
    write_tinies(studies := tmp_path_factory.mktemp("studies"))
    for name in ("sentiment", "shakespeare", "translation"):
        (folder / "ablations" / name).mkdir(parents=True)
        (studies / name).rename(folder / "ablations" / name / "full")
        (folder / "ablations" / name / "study.json").write_text("{}")
    write_tiny(folder / "shakespeare", tiny_writer(max_len=110))
    write_tiny(folder / "ablations" / "shakespeare" / "full", tiny_writer(max_len=62))
    return Models(folder)


def names(doors) -> list[str]:
    return [name for name, _ in doors]


def test_a_short_text_goes_everywhere_and_no_text_nowhere(models):
    for name in ("sentiment", "shakespeare", "translation"):
        assert names(from_text(models, name, "speak")) == [
            "Look inside the model",
            "Try it in Ablations",
        ]
        assert from_text(models, name, " ") == []


@pytest.mark.parametrize("name, n", [("sentiment", 59), ("translation", 110)])
def test_a_text_of_too_many_pieces_has_no_door_that_would_refuse_it(models, name, n):
    text = "q " * n  # short enough in characters
    assert from_text(models, name, text) == try_twins(models, name, text) == []


def test_more_pieces_can_be_looked_into_than_twins_read(models):
    n_pieces = len(models.translator.tokenizer.encode(text := "z" * 70))
    assert 60 < n_pieces < 98
    most = text + "z" * (99 - n_pieces)  # and the end
    assert len(models.translator.tokenizer.encode(most)) == 99
    assert names(from_text(models, "translation", most)) == ["Look inside the model"]
    assert from_text(models, "translation", f"{most}z") == []
    assert names(from_text(models, "translation", text)) == ["Look inside the model"]
    assert from_text(models, "translation", text, range(101)) == [], "nor has its answer room"


def test_no_door_leads_to_models_that_do_not_know_a_letter(models):
    assert names(from_text(models, "translation", "speak ☃")) == ["Look inside the model"]
    for name in ("sentiment", "shakespeare", "translation"):
        assert from_text(models, name, "☃ ☃") == []


def test_of_a_long_story_the_end_is_taken(models):
    (_, inside), (_, twins) = from_text(models, "shakespeare", "to me " * 500)
    assert (len(inside.text), len(twins.text)) == (100, 60)
