"""What the README, the makefile and the table of models tell one to type can be typed."""

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest

from transformer_core.published import CHECKPOINTS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TYPED = [
    *re.findall(r"python -m (train\.\w+ [^`\n]+)", README),
    *(
        f"train.{name} {words}"
        for name, words in re.findall(r'train-(\w+) ARGS="(.+?)"', README + MAKEFILE)
    ),
    *(published.command for published in CHECKPOINTS.values()),
]
MADE = re.findall(r"(?:^|`)make ([\w-]+)", README, re.MULTILINE)


class Parsed(BaseException):
    """Ends a command as soon as its flags are read: nothing catches it."""


@pytest.mark.parametrize("typed", sorted(set(TYPED)))
def test_a_command_has_the_flags_that_are_told_of(typed, monkeypatch, capsys):
    script, *words = shlex.split(typed)
    parse = argparse.ArgumentParser.parse_args

    def parse_and_end(self, *given):
        parse(self, *given)
        raise Parsed

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_end)
    with pytest.raises((Parsed, SystemExit)) as end:
        importlib.import_module(script).main(words)
    if isinstance(end.value, SystemExit):
        assert end.value.code == 0 and "--help" in words, capsys.readouterr().err


def test_every_command_that_is_named_exists():
    named = {*re.findall(r"python -m (train\.\w+)", README), *(typed.split()[0] for typed in TYPED)}
    assert {"train.ablations", "train.evaluate", "train.readme", "train.sentiment"} <= named
    assert all(callable(importlib.import_module(script).main) for script in named)


@pytest.mark.parametrize("target", sorted(set(MADE)))
def test_what_is_told_to_be_made_can_be_made(target):
    targets = re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE)
    script = ROOT / "train" / f"{target.removeprefix('train-')}.py"
    assert target in targets or (target.startswith("train-") and script.is_file())
