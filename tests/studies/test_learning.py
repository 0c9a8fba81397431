"""A recorded training is read as it was written."""

import json
from dataclasses import replace

import pytest

from transformer_core.checkpoint import CheckpointError
from transformer_core.studies.learning import FILE, Learning, Level, Snapshot, learning_of

FOUND = Learning(
    "ROMEO:\n",
    8.5,
    "2 cores of a processor",
    (Level("single letters", 3.3), Level("pairs of letters", 2.4)),
    (Snapshot(0, 0, 4.2, 0.0, "xq", (0.01, 0.02)), Snapshot(5, 10, 2.9, 0.1, "th", (0.1, 0.3))),
    "python -m train.learning",
    "4fd488a",
)


def test_what_is_written_is_read(tmp_path):
    assert learning_of(tmp_path) is None
    (tmp_path / FILE).write_text(FOUND.to_json())
    assert learning_of(tmp_path) == FOUND
    older = json.loads(FOUND.to_json())
    del older["command"], older["commit"]
    (tmp_path / FILE).write_text(json.dumps(older))
    assert learning_of(tmp_path) == replace(FOUND, command="", commit="")


@pytest.mark.parametrize("damaged", ["[]", "{}", "{", '{"levels": [], "snapshots": [3]}'])
def test_a_damaged_recording_is_named(tmp_path, damaged):
    (tmp_path / FILE).write_text(damaged)
    with pytest.raises(CheckpointError, match=r"learning\.json"):
        learning_of(tmp_path)


def test_a_recording_with_another_field_is_named(tmp_path):
    (tmp_path / FILE).write_text(replace(FOUND).to_json().replace('"known"', '"words"'))
    with pytest.raises(CheckpointError, match=r"not what train\.learning writes"):
        learning_of(tmp_path)
