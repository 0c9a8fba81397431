import json
from pathlib import Path

import pytest

from train.readme import table, with_scores

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readmes_scores_are_those_of_the_checkpoints():
    assert with_scores(README, ROOT / "checkpoints") == README


def test_a_changed_score_changes_the_table(tmp_path):
    folder = tmp_path / "shakespeare"
    folder.mkdir()
    (folder / "scores.json").write_text(json.dumps({"scores": {"val_loss": 1.2345}}))
    assert "1.234" in table(tmp_path) or "1.235" in table(tmp_path)


def test_a_readme_without_the_block_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no block"):
        with_scores("# Nothing", tmp_path)


@pytest.mark.parametrize("name", ["title", "sdk: gradio", "app_file: app.py", "license: mit"])
def test_the_space_finds_its_card(name):
    assert README.startswith("---\n") and name in README.split("---")[1]


def test_every_file_the_readme_names_exists():
    tree = README.split("```\napp.py")[1].split("```")[0]
    folder = ROOT
    for line in ("app.py" + tree).splitlines():
        name = line.split()[0]
        folder = ROOT if not line.startswith(" ") else folder
        assert (folder / name).exists(), name
        folder = ROOT / name if name.endswith("/") and not line.startswith(" ") else folder
