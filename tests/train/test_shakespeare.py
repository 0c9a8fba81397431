"""Facts about train.shakespeare: what it reads, what it is judged by, and what teachers add."""

import json
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from tiny import TEXT, build
from torch.testing import assert_close

from train import cards, shakespeare
from train.loop import TrainConfig
from train.running.flags import read_flags
from train.running.locks import alone_in
from transformer_core.checkpoint import load
from transformer_core.model.models import DecoderLM
from transformer_core.studies.trainings import read_runs

SMALL = ["--d-model", "16", "--n-heads", "2", "--n-layers", "1", "--d-ff", "32", "--max-len", "16"]
SMALL += ["--steps", "2", "--batch-size", "4", "--precision", "no"]


@pytest.fixture
def common(tmp_path) -> list[str]:
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 4)
    return [*SMALL, "--data", str(path)]


@pytest.fixture
def teachers(tmp_path, common) -> list[Path]:
    """Two finished writers that differ."""
    folders = [tmp_path / "first", tmp_path / "second"]
    for seed, folder in enumerate(folders):
        shakespeare.main([*common, "--seed", str(seed), "--out", str(folder)])
    return folders


def test_the_last_tenth_is_never_learnt_and_a_trial_leaves_out_a_twentieth_more():
    ids = torch.arange(1_000)
    learnt, judged, start = shakespeare.parts(ids, "cpu")
    assert learnt.tolist() == list(range(900))
    assert judged[start:].tolist() == list(range(900, 1_000))
    learnt, judged, start = shakespeare.parts(ids, "trial")
    chosen_by = judged[start:].tolist()
    assert chosen_by == list(range(660, 710)), "it may see what stands before"
    assert sorted([*learnt.tolist(), *chosen_by]) == list(range(900))


def test_a_training_keeps_its_last_weights_and_a_trial_its_best():
    assert shakespeare.PRESETS["cpu"][1].keep_last
    assert not shakespeare.PRESETS["trial"][1].keep_last


def test_an_answer_stands_beside_the_character_that_it_is_about():
    ids = torch.randint(5, (200,), generator=torch.Generator().manual_seed(0))
    batch_of = shakespeare.batches(ids, 8, TrainConfig(batch_size=16), F.one_hot(ids[1:]))
    windows, answers = batch_of(3)
    assert windows.shape == (16, 9) and answers.shape == (16, 8, 5)
    assert torch.equal(answers.argmax(-1), windows[:, 1:])


def test_of_the_loss_a_half_is_the_teachers():
    model = build(DecoderLM, max_len=8).eval()
    windows = torch.randint(1, 17, (3, 9))
    plain, n = shakespeare.loss_of(model, (windows,))
    sure = F.one_hot(windows[:, 1:], model.config.vocab_size)
    assert_close(shakespeare.loss_of(model, (windows, sure))[0], plain)
    unsure = torch.full_like(sure, 1 / model.config.vocab_size, dtype=torch.float)
    theirs = -model(windows[:, :-1]).log_softmax(-1).mean(-1).sum()
    taught, of = shakespeare.loss_of(model, (windows, unsure))
    assert_close(taught, (plain + theirs) / 2)
    assert n == of == 24


def test_what_is_learnt_of_several_teachers_is_their_mean(common, teachers, tmp_path, monkeypatch):
    out = tmp_path / "taught"
    words = [*common, "--out", str(out), "--teachers", *map(str, teachers)]
    options = read_flags(
        "shakespeare",
        shakespeare.PRESETS,
        "",
        words,
        fixed=("vocab_size",),
        one_file=True,
        teachers="some",
    )
    ids = shakespeare.encode(options.held_tokenizer(), TEXT)
    models = [load(folder, DecoderLM) for folder in teachers]
    said = [shakespeare.predictions(model, ids, 1).softmax(-1) for model in models]
    assert not torch.allclose(*said), "they were meant to differ"
    found = shakespeare.answers_of(models, options.precision, ids)
    assert len(found) == len(ids) - 1
    assert_close(found.float(), (said[0] + said[1]) / 2, atol=1e-3, rtol=0)
    shakespeare.main(words)
    (run,) = read_runs(out)
    taught = [read_runs(folder)[-1] for folder in teachers]
    typed = [one["command"] for one in taught]
    assert "--teachers" in run["command"]
    assert run["teachers"] == [{key: one[key] for key in ("command", "minutes")} for one in taught]
    card = (out / "README.md").read_text()
    assert "Run 1 kept the weights of the last step" in card and "Run 1 learnt half" in card
    assert "The text that `--data` of the runs below names, in one split" in card
    assert "Shakespeare" not in card.split("## Data")[1].split("## Scores")[0]
    scores = json.loads((out / "scores.json").read_text())["scores"]
    with monkeypatch.context() as patch:
        patch.setattr(cards.shakespeare, "PLAYS", scores)
        assert "Tiny Shakespeare, about" in shakespeare.EXAM.card_of(out).data
    assert "It learnt from\n\n```\n" + "\n".join(typed) in card
    assert f"It learnt from 2 more runs ({sum(one['minutes'] for one in taught)} minutes)" in card
    shakespeare.main([*common, "--init", str(out), "--out", str(out), "--no-keep-last"])
    card = (out / "README.md").read_text()
    assert "Run 1 kept the weights of the last step" in card
    assert "Run 2 kept the weights that were best on it" in card
    assert "was decided with that loss of the one before in view" in card
    other = out / "other.txt"
    other.write_text(TEXT + "3 < 4")
    with pytest.raises(SystemExit, match="vocabulary lacks 3: 3 < 4"):
        shakespeare.main([*common, "--data", str(other), "--init", str(out), "--out", str(out)])


def test_a_run_is_resumed_with_the_teachers_that_it_began_with(common, teachers, tmp_path):
    out = tmp_path / "out"
    words = [*common, "--out", str(out), "--no-exam", "--resume"]
    shakespeare.main([*words[:-1], "--teachers", str(teachers[0])])
    with pytest.raises(SystemExit, match="--resume cannot change the --teachers"):
        shakespeare.main([*words, "--teachers", str(teachers[1])])
    for named in (["--teachers", str(teachers[0])], []):
        shakespeare.main([*words, *named])
        (run,) = read_runs(out)
        assert len(run["teachers"]) == 1


def test_teachers_are_asked_when_nothing_can_refuse_the_run(
    common, teachers, tmp_path, monkeypatch
):
    out, text = tmp_path / "out", tmp_path / "text.txt"
    words = [*common, "--no-exam", "--teachers", str(teachers[0]), "--out", str(out)]
    shakespeare.main(words)
    monkeypatch.setattr(shakespeare, "mean_answer", lambda *_: pytest.fail("they were asked"))
    other = [*words[:-1], str(tmp_path / "other")]
    with pytest.raises(SystemExit, match="is another model: d_ff"):
        shakespeare.main([*other, "--init", str(teachers[1]), "--d-ff", "16"])
    with alone_in(out), pytest.raises(SystemExit, match="Another training is under way"):
        shakespeare.main([*words, "--overwrite"])
    with pytest.raises(pytest.fail.Exception, match="they were asked"):
        shakespeare.main([*words, "--resume"])
    text.write_text(text.read_text() + "And more of it.")
    with pytest.raises(SystemExit, match="its first batch would be another"):
        shakespeare.main([*words, "--resume"])
    text.write_text(TEXT[:8])
    with pytest.raises(SystemExit, match="7 characters to learn from"):
        shakespeare.main(other)


def test_teachers_that_cannot_teach_are_refused_in_a_sentence(common, teachers, tmp_path, capsys):
    words = [*common, "--out", str(tmp_path / "out"), "--teachers", *map(str, teachers)]
    with pytest.raises(SystemExit, match="first has read what a trial is judged by"):
        shakespeare.main([*words, "--preset", "trial"])
    with pytest.raises(SystemExit, match="first has read what a trial is judged by"):
        shakespeare.main([*words[:-3], "--init", str(teachers[0]), "--preset", "trial"])
    with pytest.raises(SystemExit):
        shakespeare.main([*words, "--out", str(teachers[0]), "--overwrite"])
    assert "is also --out" in capsys.readouterr().err
    (teachers[1] / "tokenizer.json").write_text("{}")
    with pytest.raises(SystemExit, match="second has another vocabulary"):
        shakespeare.main(words)
    (teachers[0] / "config.json").write_text("{}")
    with pytest.raises(SystemExit, match="--teachers are of no use here"):
        shakespeare.main(words[:-1])


def test_a_trial_may_teach_a_trial(common, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    trial = [*common, "--preset", "trial", "--out"]
    shakespeare.main([*trial, str(first)])
    shakespeare.main([*trial, str(second), "--teachers", str(first)])
    assert [run["preset"] for run in read_runs(second)] == ["trial"]
    assert not (second / "scores.json").exists(), "nothing is scored on the last tenth by it"
