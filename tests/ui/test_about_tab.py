"""The page about the models says what their files say."""

import json

import gradio as gr
import pytest

from train.loop import fit_on_cpu
from transformer_core.published import CHECKPOINTS, Models
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.about import about
from transformer_core.ui.tabs.about.cards import entries

CARD = """---
license: mit
---

# A writer

## Model

`DecoderLM`, 4,757,248 parameters (9.53 MB in float16). The rest is in [config.json](config.json).

## Scores

| what is measured | value |
|---|---:|
| validation loss, nats per character (a signature) | 1.4300 |
| the same in bits | 2.0631 |
| share guessed right | 0.9054 |
| characters | 111,540 |

## Training

Two runs.

Run 1, on a CPU:

```
python -m train.shakespeare --steps 1
```

## What it cannot do

It knows letters.
"""


@pytest.fixture
def models(tmp_path):
    """A folder with a card of a writer that was trained in two runs."""
    folder = tmp_path / "shakespeare"
    folder.mkdir()
    (folder / "README.md").write_text(CARD)
    (folder / "config.json").write_text("{}")
    (folder / "metrics.csv").write_text(
        "run,seed,step,tokens,seconds,split,metric,value\n1,0,0,0,0.0,validation,loss,4.2\n"
    )
    runs = [(50.0, "2 cores of a CPU"), (2.5, "A GPU"), (0.0, "where a mean was taken")]
    written = [
        {"command": f"python -m train.shakespeare --seed {n}", "minutes": minutes, "device": device}
        for n, (minutes, device) in enumerate(runs)
    ]
    first = {key: written[0][key] for key in ("command", "minutes")}
    others = [{"command": "another", "minutes": 6.0}, {"command": "untimed", "minutes": None}]
    written[1]["teachers"] = [first, *others]
    (folder / "run.json").write_text(json.dumps(written))
    return Models(tmp_path)


def tab(models) -> gr.Blocks:
    """The tab alone."""
    with gr.Blocks() as demo, gr.Tab("About") as opened:
        about.build(Page(models, opened, gr.State(), fit_on_cpu, gr.State()))
    return demo


def said(models) -> str:
    """All that it shows, whichever section is open."""
    return " ".join(str(getattr(block, "value", "")) for block in tab(models).blocks.values())


def test_a_row_is_what_the_card_and_the_runs_say(models):
    row = next(entry.row for entry in entries(models) if entry.name == "shakespeare")
    measured = "validation loss, nats per character, 111,540 characters"
    assert row == [
        "Shakespeare",
        "DecoderLM",
        "4,757,248",
        "1.43\N{NO-BREAK SPACE}nats",
        measured,
        "58.5",
        "CPU, A GPU",
    ]


def test_every_published_model_has_a_row_and_a_missing_one_its_command(models):
    found = {entry.name: entry for entry in entries(models)}
    assert list(found) == list(CHECKPOINTS)
    for name, published in CHECKPOINTS.items():
        assert f"python -m {published.command}" in said(models) or name == "shakespeare"
        assert len(found[name].row) == len(about.HEAD)
    assert "python -m train.translation" in " ".join(found["translation"].row)


def test_totals_are_counted_and_every_part_of_the_card_is_shown(models):
    text = said(models)
    assert f"1 of {len(CHECKPOINTS)} models are here: 4.76 million parameters" in text
    assert "1.0 hours" in text
    for part in (
        "2.06\N{NO-BREAK SPACE}bits",
        "90.5\N{NO-BREAK SPACE}%",
        "Two runs.",
        "It knows letters.",
        "`config.json`",
    ):
        assert part in text


def test_commands_are_folded_away_and_what_was_recorded_is_drawn(models):
    blocks = tab(models).blocks.values()
    texts = (block.value for block in blocks if isinstance(block, gr.Markdown))
    (text,) = (text for text in texts if "<details>" in text)
    before, _, folded = text.partition("<details>")
    assert "--steps 1" in folded and "--steps 1" not in before
    assert "Two runs." not in text
    (plot,) = (block for block in blocks if isinstance(block, gr.Plot))
    (entry,) = (entry for entry in entries(models) if entry.runs)
    assert plot.elem_id == "shakespeare-curves" and entry.name == "shakespeare"
    assert about.learnt(entry.runs).data[-1].y == (4.2,)


def test_a_damaged_record_of_the_losses_is_named_in_the_card(models):
    (models.folder / "shakespeare" / "metrics.csv").write_text("run\n1\n")
    assert "metrics.csv has no column" in said(models)
    assert not any(isinstance(block, gr.Plot) for block in tab(models).blocks.values())
