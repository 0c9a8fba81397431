"""Whatever was found out about weights names the weights, and is found out anew after them."""

import json
from dataclasses import replace

import pytest
import shipped

from train import copy_task, refresh
from train.evaluate import exam_of
from train.running import card, card_training
from train.running.measured import MEASURED
from transformer_core.checkpoint import load_trained, save, weights_of
from transformer_core.files import write_atomically
from transformer_core.model.models import EncoderDecoder, Model
from transformer_core.published import CHECKPOINTS
from transformer_core.studies.trainings import completed
from transformer_core.tokenization import symbols

FOLDERS = [shipped.CHECKPOINTS / name for name in CHECKPOINTS]


PAIR = ("translation", "copy_task")  # of which the second needs no data
BLOCKS = "".join(f"<!-- {n}: made -->\n<!-- end of {n} -->\n" for n in ("scores", "ablations"))
FILES = ("scores.json", "test_set.json", *refresh.MEASURING)
FOUND = [path for folder in FOLDERS for name in FILES if (path := folder / name).exists()]


def test_what_is_measured_is_what_new_weights_retract():
    assert tuple(refresh.MEASURING) == MEASURED


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_published_stands_for_the_published_weights(path):
    assert refresh.is_current(path)


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.exists()], ids=lambda f: f.name)
def test_every_published_checkpoint_is_scored(folder):
    assert refresh.is_scored(folder, exam_of(CHECKPOINTS[folder.name].script))
    own = [name for name, (of, _) in refresh.MEASURING.items() if folder.name in of]
    assert all((folder / name).exists() for name in own)


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.exists()], ids=lambda f: f.name)
def test_every_card_says_what_the_files_beside_it_say(folder):
    prose = exam_of(CHECKPOINTS[folder.name].script).card_of(folder)
    told = card.model_card(load_trained(folder, Model), prose)
    assert (folder / "README.md").read_text() == told


def test_only_what_stands_for_other_weights_is_found_out_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(copy_task, "N_EVALUATED", 5)
    folder, config = tmp_path / "copy_task", replace(copy_task.MODEL, d_model=16, n_layers=1)
    save(folder, EncoderDecoder(config))
    write_atomically(folder / "tokenizer.json", symbols(copy_task.N_SYMBOLS).to_json())
    cards, model_card = [], card.model_card
    monkeypatch.setattr(card, "model_card", lambda *of: cards.append(of) or model_card(*of))
    assert [*refresh.refresh(tmp_path, None, everything=False)] == ["copy_task/scores.json"]
    assert refresh.is_current(folder / "scores.json") and (folder / "README.md").exists()
    assert len(cards) == 1
    assert [*refresh.refresh(tmp_path, None, everything=False)] == []
    assert len(cards) == 2, "a card is written from the files in any case"
    assert [*refresh.refresh(tmp_path, None, everything=True)] == ["copy_task/scores.json"]
    record = json.loads((folder / "scores.json").read_text())
    limited = {**record, "command": record["command"] + " --limit 3"}
    (folder / "scores.json").write_text(json.dumps(limited))
    assert [*refresh.refresh(tmp_path, None, everything=False)] == ["copy_task/scores.json"]
    save(folder, EncoderDecoder(config))
    assert not refresh.is_current(folder / "scores.json")
    assert [*refresh.refresh(tmp_path, None, everything=False)] == ["copy_task/scores.json"]


def test_scores_without_what_the_exam_finds_beside_them_are_computed_anew(tmp_path):
    folder = tmp_path / "copy_task"
    save(folder, EncoderDecoder(replace(copy_task.MODEL, d_model=16, n_layers=1)))
    record = {"scores": {}, "command": "", "weights": weights_of(folder)}
    (folder / "scores.json").write_text(json.dumps(record))
    assert refresh.is_scored(folder, copy_task.EXAM)
    exam = replace(copy_task.EXAM, beside=("test_set.json",))
    assert not refresh.is_scored(folder, exam)
    (folder / "test_set.json").write_text(json.dumps(record))
    assert refresh.is_scored(folder, exam)


def test_models_whose_data_are_there_are_refreshed_and_the_readme_says_so(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(copy_task, "N_EVALUATED", 5)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refresh, "CHECKPOINTS", {n: CHECKPOINTS[n] for n in PAIR})
    for name in PAIR:
        folder = tmp_path / "checkpoints" / name
        save(folder, EncoderDecoder(replace(copy_task.MODEL, d_model=16, n_layers=1)))
        write_atomically(folder / "tokenizer.json", symbols(copy_task.N_SYMBOLS).to_json())
    (tmp_path / "README.md").write_text(BLOCKS)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SystemExit, match=r"nothing has no test\*\.parquet"):
        refresh.main(["--data", "nothing"])
    assert capsys.readouterr().out.splitlines() == ["copy_task/scores.json", "README.md"]
    assert "[copy_task](checkpoints/copy_task)" in (tmp_path / "README.md").read_text()
    (tmp_path / "README.md").write_text("no blocks\n")
    with pytest.raises(SystemExit):
        refresh.main(["--data", "nothing"])
    missing, block = capsys.readouterr().err.splitlines()
    assert missing.startswith("translation: nothing has no test*.parquet")
    assert block == "README.md: README.md has no block for scores", "it hides nothing before it"


def test_models_in_another_folder_are_refreshed_and_the_readme_tells_of_the_published_ones(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(copy_task, "N_EVALUATED", 5)
    monkeypatch.chdir(tmp_path)
    written = []
    monkeypatch.setattr(refresh.readme, "write", lambda: written.append("README.md"))
    for where, tables in (("others", []), ("checkpoints", ["README.md"])):
        folder = tmp_path / where / "copy_task"
        save(folder, EncoderDecoder(replace(copy_task.MODEL, d_model=16, n_layers=1)))
        write_atomically(folder / "tokenizer.json", symbols(copy_task.N_SYMBOLS).to_json())
        refresh.main(["--checkpoints", str(tmp_path / where)])
        assert refresh.is_current(folder / "scores.json") and (folder / "README.md").exists()
        assert written == tables
        assert capsys.readouterr().out.splitlines() == ["copy_task/scores.json", *tables]
    with pytest.raises(SystemExit):
        refresh.main(["--checkpoints", "nowhere"])
    assert "--checkpoints nowhere holds none of translation, " in capsys.readouterr().err


def test_what_was_typed_for_teachers_is_said_once():
    told = dict.fromkeys(("processes", "threads", "precision", "device", "commit", "torch"), "")
    runs = [
        completed(
            {"command": name, "tokens": 1, "teachers": [{"command": one} for one in taught], **told}
        )
        for name, taught in (("first", "ab"), ("second", ["a", "first", "c"]), ("third", "bc"))
    ]
    said = [part for part in card_training.describe_commands(runs) if not part.startswith("Run")]
    assert said == [
        *("It learnt from", "```\na\nb\n```"),
        *("It learnt from runs that are named above, and from", "```\nc\n```"),
        "It learnt from runs that are named above.",
    ]
