import ast
import json
import re
from pathlib import Path

import pytest
from huggingface_hub import RepoCard
from shipped import CHECKPOINTS
from tiny import build
from tiny_study import write_writers

from train.readme import ablations, main, table, with_numbers
from transformer_core.checkpoint import save, weights_of
from transformer_core.model.models import DecoderLM

ROOT = Path(__file__).parents[2]
LONGEST = 60  # characters of a Space's description, where the Hub cuts it off
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readmes_numbers_are_those_of_the_checkpoints():
    assert with_numbers(README, CHECKPOINTS) == README


def scored(folder: Path, record: dict) -> Path:
    """A random model, and what was measured of it."""
    save(folder, build(DecoderLM))
    record = {**record, "weights": weights_of(folder)}
    (folder / "scores.json").write_text(json.dumps(record))
    return folder


def test_a_changed_score_changes_the_table(tmp_path):
    folder = scored(tmp_path / "shakespeare", {"scores": {"val_loss": 1.2345}})
    assert "1.234" in table(tmp_path) or "1.235" in table(tmp_path)
    save(folder, build(DecoderLM))
    assert table(tmp_path) == "", "of weights that others have replaced nothing is told"


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ((5, {"examples": "a1"}), (5, {"examples": "b2"}), True),
        ((5, {"examples": "a1"}), (6, {"examples": "a1"}), False),
        ((5, {"examples": "a1"}), (5, {}), False),
        ((5, {}), (6, {"examples": "a1"}), True),
    ],
)
def test_models_that_were_not_scored_on_the_same_are_told_apart(tmp_path, one, other, differ):
    """Older files have no digest: they are told by how many examples there were."""
    for name, (n, digest) in (("sentiment", one), ("sentiment_linear", other)):
        scored(tmp_path / name, {"scores": {"accuracy": 0.5, "n": n}, **digest})
    assert ("another test set" in table(tmp_path)) is differ


def test_a_readme_without_the_block_is_refused_in_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("# Nothing")
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    assert capsys.readouterr().err == "README.md has no block for scores\n"
    assert (tmp_path / "README.md").read_text() == "# Nothing"


def test_a_studys_table_comes_from_its_curves(tmp_path):
    folder = write_writers(tmp_path)
    written = ablations(tmp_path)
    change = "+0.410 ± 0.021 (+27.0\N{NO-BREAK SPACE}%)"
    row = r"\| 5 \| no positions \| worse, p [^|]+ \| "
    assert re.search(rf"{row}{re.escape(change)} \| 1\.930 ± 0\.030 \|", written)
    path = folder / "no_positions" / "metrics.csv"
    path.write_text(path.read_text().replace("1.9,", "1.8,").replace(",1.9\n", ",1.8\n"))
    assert re.search(r"\| no positions \|[^|]+\|[^|]+\| 1\.897 ± 0\.085 \|", ablations(tmp_path))
    path.unlink()
    assert "no positions" not in ablations(tmp_path)
    (folder / "full" / "metrics.csv").unlink()
    assert ablations(tmp_path) == "No study has been trained yet.\n"
    (folder / "study.json").write_text("{")
    assert ablations(tmp_path) == "No study has been trained yet.\n"


def test_a_space_runs_what_is_tested_here():
    space, workflow = RepoCard(README).data.to_dict(), ".github/workflows/tests.yml"
    assert space["title"] and len(space["short_description"]) <= LONGEST
    assert space["sdk"] == "gradio" and (ROOT / space["app_file"]).is_file()
    assert f"gradio=={space['sdk_version']}" in (ROOT / "requirements.txt").read_text().split()
    assert f'{{python: "{space["python_version"]}", ' in (ROOT / workflow).read_text()
    assert (ROOT / space["license_link"]).is_file()


def test_the_python_that_the_readme_shows_runs(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(from transformer_core.*?)```", README, re.DOTALL)
    exec(code, {})
    translated, verdict, written = capsys.readouterr().out.split("\n", 2)
    assert translated.strip()
    assert ast.literal_eval(verdict)["positive"] > 0.5
    assert len(written) == 200 + 1, "as many characters as were asked for, and print's own"


def named() -> set[Path]:
    """Every path of the README's tree, which is two levels deep."""
    found, folder = set(), ROOT
    for line in ("app.py" + README.split("```\napp.py")[1].split("```")[0]).splitlines():
        folder = folder if line.startswith(" ") else ROOT
        path = folder / line.split()[0]
        found.add(path)
        folder = folder if line.startswith(" ") else path
    return found


def test_every_file_the_readme_names_exists():
    assert [path for path in named() if not path.exists()] == []


def test_the_readme_leaves_out_no_room():
    core, train = ROOT / "transformer_core", ROOT / "train"
    rooms = {path.parent for folder in (core, train) for path in folder.glob("*/__init__.py")}
    rooms |= {path for path in core.glob("*.py") if path.name != "__init__.py"}
    assert len(rooms) > 12 and rooms - named() == set()
