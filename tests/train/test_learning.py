"""What train.learning records of a training, and the counting that it is compared with."""

import math
from collections import Counter

import pytest
from tiny import TEXT

from train import learning, shakespeare
from train.learning import RECORDED, counted_loss, known_share, learn
from train.running.hardware import Hardware
from train.running.records import commit
from transformer_core.studies.learning import learning_of

SMALL = dict(d_model=32, n_heads=2, n_layers=1, d_ff=32, max_len=16)


@pytest.fixture
def small(monkeypatch):
    """The model that is trained is a small one, and little is written."""
    monkeypatch.setattr(shakespeare, "MODEL", shakespeare.replace(shakespeare.MODEL, **SMALL))
    monkeypatch.setattr(learning, "N_WRITTEN", 30)
    monkeypatch.setattr(learning, "choose", lambda _: Hardware("cpu", "no"))


def test_single_letters_are_counted_as_often_as_they_come():
    text, held_out = "aaab" * 50, "ab"
    count, total = Counter(text), len(text)
    p = {c: (count[c] + 2 * 1 / 2) / (total + 2) for c in "ab"}  # two kinds, and two in all
    expected = -(math.log(p["a"]) + math.log(p["b"])) / 2
    assert counted_loss(text, held_out, 1) == pytest.approx(expected)


def test_who_counts_more_letters_together_knows_a_text_that_repeats():
    text = "abac" * 200
    losses = [counted_loss(text, text[:80], order) for order in (1, 2, 3)]
    assert losses[0] > 1 and losses[0] > losses[1] > losses[2] and losses[2] < 0.1


def test_what_was_never_seen_is_not_impossible():
    assert counted_loss("aaaa", "aza", 3) < math.inf


def test_words_are_known_if_they_stand_in_the_text():
    assert known_share("The thou'rt zzz end", {"the", "thou'rt"}) == pytest.approx(2 / 3)
    assert known_share("", {"the"}) == 0


def test_a_training_is_recorded_from_before_the_first_step_to_the_last(small):
    found = learn(TEXT * 40, 7, Hardware("cpu", "no"))
    assert [one.step for one in found.snapshots] == [0, 1, 2, 5, 7]
    assert [one.tokens for one in found.snapshots] == [16 * 16 * n for n in (0, 1, 2, 5, 7)]
    assert all(len(one.text) == len(one.probs) == 30 for one in found.snapshots)
    first, *_, last = found.snapshots
    assert first.loss > last.loss and {type(one.loss) for one in found.snapshots} == {float}
    assert [level.loss for level in found.levels] == sorted(
        (level.loss for level in found.levels), reverse=True
    )
    assert RECORDED[0] == 0 and list(RECORDED) == sorted(set(RECORDED))


def test_the_command_writes_what_the_page_reads(small, tmp_path, capsys, monkeypatch):
    (tmp_path / "input.txt").write_text(TEXT * 40)
    words = ["--data", str(tmp_path / "input.txt"), "--checkpoint", str(tmp_path / "writer")]
    monkeypatch.setattr(learning, "choose", lambda _: Hardware("cpu", "no"))
    learning.main([*words, "--steps", "2"])
    found = learning_of(tmp_path / "writer")
    assert found is not None and [one.step for one in found.snapshots] == [0, 1, 2]
    assert "2 steps" in capsys.readouterr().out
    assert found.command.endswith("--steps 2") and found.commit == commit()
    with pytest.raises(SystemExit):
        learning.main([*words, "--steps", "0"])
    monkeypatch.setattr(learning, "learn", lambda *_: pytest.fail("minutes of training"))
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match="File exists"):
        learning.main([*words[:-1], str(tmp_path / "file")])
