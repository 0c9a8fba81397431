"""What is said of a model that learns to write."""

from dataclasses import replace

import pytest
from tiny import tiny_writer

from transformer_core.checkpoint import CheckpointError
from transformer_core.studies.learning import FILE, Learning, Level, Snapshot
from transformer_core.ui.tabs.generate.learning import learning_said, told

LEVELS = (Level("single letters", 3.3), Level("pairs of letters", 2.4))
SNAPSHOTS = (
    Snapshot(0, 0, 4.2, 0.0, "ss", (0.01, 0.02)),
    Snapshot(1, 4096, 2.9, 0.125, "th", (0.1, 0.3)),
    Snapshot(1000, 4_096_000, 1.5, 1.0, "th", (0.1, 0.3)),
)
FOUND = Learning("All:\n", 8.4, "2 cores", LEVELS, SNAPSHOTS)


def test_each_moment_is_told_by_what_counting_it_beats():
    said = [told(FOUND, one).replace("\N{NO-BREAK SPACE}", " ") for one in SNAPSHOTS]
    assert said == [
        "Before the first step: 4.20 nats a character, worse than counting single letters. It "
        "repeats what it read last, for a letter is read and written by the same numbers.",
        "After 1 step: 2.90 nats a character, better than counting single letters. 12 % of its "
        "words are words of the plays.",
        "After 1,000 steps: 1.50 nats a character, better than counting pairs of letters. 100 % of "
        "its words are words of the plays.",
    ]


def test_the_page_gets_the_whole_recording_or_the_command_that_makes_one(tmp_path):
    trained = replace(tiny_writer(), folder=tmp_path)
    with pytest.raises(CheckpointError, match=r"`python -m train\.learning`"):
        learning_said(trained)
    (tmp_path / FILE).write_text(FOUND.to_json())
    value = learning_said(trained)
    assert [one["step"] for one in value["moments"]] == [0, 1, 1000]
    assert value["levels"] == [["single letters", 3.3], ["pairs of letters", 2.4]]
    assert "8 minutes on 2 cores" in value["note"]
