"""train.evaluate: one line of JSON, computed anew, or one sentence that says why not."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import shipped
import torch
import torch.nn.functional as F
from tiny import TEXT, build
from torch.testing import assert_close

from train import evaluate, shakespeare
from train.copy_task import MODEL, accuracy
from train.data import hub, sequences
from train.running.scores import digest_of_all
from train.shakespeare import split, validation_loss
from transformer_core import checkpoint
from transformer_core.decoding.search import Hypothesis
from transformer_core.files import write_atomically
from transformer_core.model.models import DecoderLM, EncoderDecoder
from transformer_core.published import CHECKPOINTS
from transformer_core.tokenization import Tokenizer, symbols, train_characters

ROOT = Path(__file__).parents[2]


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "input.txt"
    path.write_text(TEXT * 6)
    return path


def save(folder: Path, model, tokenizer: Tokenizer) -> Path:
    checkpoint.save(folder, model, dtype=torch.float32)
    write_atomically(folder / "tokenizer.json", tokenizer.to_json())
    return folder


@pytest.fixture
def writer(tmp_path) -> Path:
    tokenizer = train_characters(TEXT)
    model = build(DecoderLM, vocab_size=tokenizer.vocab_size, max_len=16)
    return save(tmp_path / "writer", model, tokenizer)


@pytest.fixture
def copier(tmp_path) -> Path:
    model = EncoderDecoder(replace(MODEL, d_model=16, n_layers=1, d_ff=16))
    return save(tmp_path / "copier", model, symbols(20))


def scores(capsys, *arguments: object) -> dict:
    """What --json prints, which must be one line and nothing else."""
    evaluate.main([*map(str, arguments), "--json"])
    (line,) = capsys.readouterr().out.splitlines()
    return json.loads(line)


def refusal(capsys, *arguments: object) -> str:
    """What is said on stderr when there is no score; nothing is printed, the exit code is 2."""
    with pytest.raises(SystemExit) as end:
        evaluate.main([*map(str, arguments), "--json"])
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err.splitlines()[-1]


def test_shakespeare_prints_its_contract(capsys, writer, text):
    found = scores(capsys, "shakespeare", "--checkpoint", writer, "--data", text)
    held_out = text.read_text()[split(text.read_text()) :]
    assert found.keys() >= {"val_loss", "n_chars"}
    assert found["n_chars"] == len(held_out)
    assert 0 < found["val_loss"] < 100


def test_copy_prints_its_contract(capsys, copier):
    found = scores(capsys, "copy", "--checkpoint", copier, "--limit", 50)
    assert found.keys() == {"exact_match", "token_accuracy", "n"}
    assert found["n"] == 50
    assert 0 <= found["exact_match"] <= found["token_accuracy"] <= 1


def test_the_command_line_prints_one_line_of_json(writer, text):
    words = ["shakespeare", "--checkpoint", writer, "--data", text.parent, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "train.evaluate", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["n_chars"] > 0


def test_without_json_the_scores_are_there_to_read(capsys, writer, text):
    evaluate.main(["shakespeare", "--checkpoint", str(writer), "--data", str(text)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["val_loss", "bits_per_character", "n_chars"]


def test_a_score_is_computed_and_not_read(capsys, writer, text):
    words = ["shakespeare", "--checkpoint", writer, "--data", text]
    first = scores(capsys, *words, "--write")
    record = writer / "scores.json"
    record.write_text(record.read_text().replace(str(first["val_loss"]), "0.5"))
    assert scores(capsys, *words) == first
    other = build(DecoderLM, vocab_size=first_vocabulary(writer), max_len=16)
    checkpoint.save(writer, other, dtype=torch.float32)
    assert scores(capsys, *words)["val_loss"] != first["val_loss"]


def first_vocabulary(folder: Path) -> int:
    return checkpoint.load_trained(folder).tokenizer.vocab_size


def test_writing_keeps_scores_with_their_origin(capsys, writer, text):
    words = ["shakespeare", "--checkpoint", writer, "--data", text, "--limit", 20]
    found = scores(capsys, *words, "--write")
    record = json.loads((writer / "scores.json").read_text())
    assert record["scores"] == found
    words = map(str, [*words[:5], "--limit", "20"])
    assert record["command"] == " ".join(["python -m train.evaluate", *words])
    assert record["weights"] == json.loads((writer / "config.json").read_text())["weights"]
    card = (writer / "README.md").read_text()
    assert card.startswith("---\n") and "license: mit" in card
    assert f"{found['val_loss']:.4f}" in card and record["command"] in card


def test_scores_have_the_digest_of_what_was_scored_whatever_scored_it(writer, text, tmp_path):
    def digest(folder: Path, *limit: str) -> str:
        words = ["shakespeare", "--checkpoint", folder, "--data", text, *limit, "--write"]
        evaluate.main([*map(str, words)])
        return json.loads((folder / "scores.json").read_text())["examples"]

    tokenizer = train_characters(TEXT + "3 < 4")
    model = build(DecoderLM, vocab_size=tokenizer.vocab_size, max_len=8)
    other, first = save(tmp_path / "other", model, tokenizer), digest(writer)
    assert re.fullmatch("[0-9a-f]{12}", first) and digest(other) == first
    assert digest(writer, "--limit", "20") != first
    text.write_text(text.read_text().replace("famish", "vanish"))
    assert digest(writer) != first


def test_a_label_a_reference_and_the_name_of_a_set_are_part_of_what_is_scored():
    some, pairs = hub.Reviews(["a", "b"], [0, 1]), hub.Pairs(["a"], ["b"], [""])
    assert digest_of_all(some) != digest_of_all(hub.Reviews(["a", "b"], [1, 1]))
    assert digest_of_all({"one": pairs}) != digest_of_all({"one": hub.Pairs(["a"], ["c"], [""])})
    assert digest_of_all({"one": pairs}) != digest_of_all({"two": pairs})


def test_nothing_is_written_unless_asked(capsys, writer, text):
    before = sorted(writer.iterdir())
    scores(capsys, "shakespeare", "--checkpoint", writer, "--data", text)
    assert sorted(writer.iterdir()) == before


@pytest.mark.parametrize("folder", CHECKPOINTS)
def test_the_table_of_checkpoints_names_what_makes_and_scores_them(folder):
    published, path = CHECKPOINTS[folder], shipped.CHECKPOINTS / folder
    exam = evaluate.exam_of(published.script)
    assert exam.task == published.task
    assert json.loads((path / "config.json").read_text())["model"] == published.model.__name__


def test_a_missing_checkpoint_is_a_sentence(capsys, tmp_path, text, monkeypatch):
    words = ["shakespeare", "--checkpoint", tmp_path / "none", "--data", text]
    assert refusal(capsys, *words).endswith("none does not exist"), "it may be mistyped"
    monkeypatch.chdir(tmp_path)
    sentence = refusal(capsys, "shakespeare", "--data", text)
    assert "shakespeare does not exist; python -m train.shakespeare trains it" in sentence


def test_a_damaged_checkpoint_is_a_sentence(capsys, writer, text):
    (shard,) = writer.glob("*.safetensors")
    shard.write_bytes(shard.read_bytes()[:-1])
    assert shard.name in refusal(capsys, "shakespeare", "--checkpoint", writer, "--data", text)


@pytest.mark.parametrize(
    ("task", "kinds"),
    [
        ("translation", "EncoderDecoder"),
        ("copy", "EncoderDecoder"),
        ("reviews", "MaskedLM"),
        ("sentiment", "EncoderClassifier or LSTMClassifier or LinearClassifier"),
    ],
)
def test_the_checkpoint_of_another_task_is_a_sentence(capsys, writer, text, task, kinds):
    said = refusal(capsys, task, "--checkpoint", writer, "--data", text)
    assert f"writer holds DecoderLM; the task {task} is for {kinds}" in said


@pytest.mark.parametrize("characters", ["", "a"])
def test_a_text_that_cannot_be_split_is_a_sentence(capsys, writer, text, characters):
    text.write_text(characters)
    said = refusal(capsys, "shakespeare", "--checkpoint", writer, "--data", text)
    assert f"{len(characters)} characters are too few: at least 2" in said


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_a_sentence(capsys, copier, limit):
    assert "must be at least 1" in refusal(capsys, "copy", "--checkpoint", copier, "--limit", limit)


def test_missing_data_are_a_sentence(capsys, writer, tmp_path):
    words = ["shakespeare", "--checkpoint", writer, "--data"]
    assert "nowhere does not exist" in refusal(capsys, *words, tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "input.txt" in refusal(capsys, *words, tmp_path / "empty")


@pytest.mark.parametrize("name", ["ragged.tsv", "torn.parquet"])
def test_damaged_data_are_a_sentence(name, tmp_path):
    (tmp_path / name).write_text("en\tde\nyes\tja\none\tmore\tthan\tthat\n")
    with pytest.raises(ValueError, match=r"ragged\.tsv: .*line 3|Parquet magic"):
        hub.translation(tmp_path / name, "test")


def test_scoring_is_in_float32(writer, text, monkeypatch):
    dtypes = set()
    forward = DecoderLM.forward

    def spy(self, *arguments, **options):
        logits = forward(self, *arguments, **options)
        dtypes.add((logits.dtype, torch.is_autocast_enabled("cpu")))
        return logits

    monkeypatch.setattr(DecoderLM, "forward", spy)
    evaluate.evaluate(shakespeare.EXAM, writer, text)
    assert dtypes == {(torch.float32, False)}


@pytest.mark.parametrize("length", [30, 31, 47, 200])
def test_each_held_out_character_is_predicted_once_from_half_a_window(length):
    ids, start, window = torch.arange(length), 25, 16
    predicted = []
    for tokens, n_new in sequences.sliding_windows(ids, start, window, window // 2):
        assert len(tokens) <= window + 1
        assert torch.equal(tokens, torch.arange(int(tokens[0]), int(tokens[-1]) + 1))
        assert len(tokens) - n_new >= window // 2, "the first of them sees half a window"
        predicted += tokens[-n_new:].tolist()
    assert predicted == list(range(start, length))


def test_the_validation_loss_is_the_sum_of_its_characters():
    model = build(DecoderLM, max_len=8).eval()
    ids = torch.randint(1, 17, (40,))
    total = torch.zeros(())
    for first in range(21, 40, 4):
        for place in range(first, min(first + 4, 40)):  # four at a time share the oldest context
            context = ids[max(0, min(first + 4, 40) - 9) : place]
            total += F.cross_entropy(model(context[None])[0, -1], ids[place])
    found = validation_loss(model, ids, 21, batch_size=3)
    assert_close(found, total.item() / 19, rtol=1e-5, atol=0.0)


def test_a_perfect_and_a_hopeless_copier_get_what_they_deserve(monkeypatch):
    rows = sequences.copy_sequences(50, n_symbols=5, length=6, seed=0)

    def written(tokens, ended=True):
        return Hypothesis(tuple(tokens), ended=ended)

    def judged(write) -> dict[str, float]:
        monkeypatch.setattr(
            "transformer_core.tasks.batches.translate_ids",
            lambda model, sources, beam_size, at_least: [write(source) for source in sources],
        )
        return accuracy(None, rows)

    assert judged(lambda source: written(source[:-1])) == {
        "exact_match": 1.0,
        "token_accuracy": 1.0,
    }
    unfinished = judged(lambda source: written(source[:-1], ended=False))
    assert unfinished["exact_match"] == 0, "a copy that never ends is none"
    endless = judged(lambda source: written([*source[:-1], 9], ended=False))
    assert endless["exact_match"] == 0 and 0 < endless["token_accuracy"] < 1
    silent = judged(lambda source: written([]))
    assert silent == {"exact_match": 0.0, "token_accuracy": 0.0}
