"""CONTRIBUTING.md speaks of what there is, and what it promises happens."""

import importlib
import re
from pathlib import Path

import pytest
import torch
from looked import looked
from test_architecture import FLOORS
from tiny import TINY, build
from torch.nn.functional import one_hot

from train.copy_task import PRESETS
from train.running.flags import read_flags
from transformer_core.inside.stages import panels
from transformer_core.model.models import DecoderLM, EncoderClassifier
from transformer_core.model.positions import POSITIONAL_ENCODINGS, PositionalEncoding
from transformer_core.ui.encodings import said_of
from transformer_core.ui.tabs.inside.shown import purpose
from transformer_core.ui.tabs.positions.drawings import draw_all, draw_figure

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([^`\n]+)`", GUIDE.replace("```", ""))))
COMMANDS = [name for name in NAMED if " -m " in name]
TARGETS = [name for name in NAMED if name.startswith("make ")]
FILES = [name for name in NAMED if name not in COMMANDS and re.search(r"/|\.py$", name)]
WORDS = [name for name in NAMED if name not in [*COMMANDS, *TARGETS, *FILES]]
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("transformer_core", "train", "assets/views")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js")
)


@pytest.mark.parametrize("name", FILES)
def test_every_file_exists(name):
    name = name.replace("<task>", "copy_task")
    assert (ROOT / name).exists() or (ROOT / "transformer_core" / name).exists()


def test_what_is_said_to_be_in_a_file_is_there():
    said = re.findall(r"`(\w+)` in `([\w/]+\.py)`", GUIDE)
    assert len(said) >= 2
    for word, name in said:
        assert word in (ROOT / "transformer_core" / name).read_text(encoding="utf-8"), (word, name)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_of_make_exists(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{name.removeprefix('make ')}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exists(name):
    module = name.replace("<task>", "copy_task").removeprefix("python -m ")
    assert callable(importlib.import_module(module).main)


@pytest.mark.parametrize("name", WORDS)
def test_every_other_word_is_one_of_the_code(name):
    assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", CODE)


def test_the_floors_are_those_that_the_imports_are_held_to():
    told = re.findall(r"^floor \d   (.+)$", GUIDE, re.MULTILINE)
    rooms = [set(line.replace("transformer_core.", "").split()) for line in reversed(told)]
    assert rooms == [*map(set, FLOORS), {"app.py"}]


class Parity(PositionalEncoding):
    """Odd positions are told from even ones."""

    def embed(self, x, start=0):
        return x + one_hot(torch.arange(start, start + x.size(1)) % 2, x.size(2))


def test_an_encoding_that_is_added_is_in_the_model_the_flags_and_the_tab(monkeypatch, tmp_path):
    monkeypatch.setitem(POSITIONAL_ENCODINGS, "parity", Parity)
    model = build(EncoderClassifier, positional_encoding="parity")
    tokens = torch.tensor([[1, 7, 8, 9, 10]])
    assert not torch.allclose(model(tokens), model(tokens[:, [0, 2, 1, 3, 4]]))
    assert torch.allclose(model(tokens), model(tokens[:, [0, 3, 2, 1, 4]]), atol=1e-6)

    flags = ["--positional-encoding", "parity", "--out", str(tmp_path)]
    options = read_flags("copy_task", PRESETS, "", flags)
    assert options.model.positional_encoding == "parity"

    drawn = draw_figure("parity", TINY.d_model, 24, 4)
    assert drawn["says"] == "Odd positions are told from even ones." and drawn["table"]
    (value,) = draw_all(TINY.d_model, 24, 4)
    assert value["cards"][-1]["name"] == "parity" and value["cards"][-1]["table"]

    seen, nodes = looked(DecoderLM, positional_encoding="parity")
    node = nodes["decoder:positions"]
    assert purpose(seen, node) == drawn["says"]
    assert said_of("parity").does == "Odd positions are told from even ones"
    assert [panel.title for panel in panels(seen, node)] == ["added", "residual stream"]
