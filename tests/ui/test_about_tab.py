"""The page about the models says what their files say."""

import json

import gradio as gr
import pytest
from tiny import build

from train.evaluate import exam_of
from train.loop import fit_on_cpu
from transformer_core.checkpoint import save, weights_of
from transformer_core.model.models import DecoderLM, EncoderDecoder
from transformer_core.published import CHECKPOINTS, Models
from transformer_core.studies.records import COLUMNS
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.about import about
from transformer_core.ui.tabs.about.cards import COUNTED, READ_AS, entries
from transformer_core.wording import large

CARD = """---
license: mit
model-index:
- name: shakespeare
  results:
  - task: {type: text-generation}
    dataset: {name: plays, type: plays}
    metrics:
    - {type: val_loss, value: 1.43, name: "validation loss, nats per character (a|signature)"}
    - {type: bits_per_character, value: 2.0631, name: the same in bits}
    - {type: accuracy, value: 0.9054, name: share guessed right}
---

# A writer

## Model

A decoder. The rest is in [config.json](config.json).

## Scores

| what is measured | value |
|---|---:|
| a table of its own | 1.2345 |

Computed on a Sunday.

## Training

Two runs.

Run 1, on a CPU:

```
python -m train.shakespeare --steps 1
```

## What it cannot do

It knows letters.
"""
SCORES = {
    "val_loss": 1.4299,
    "bits_per_character": 2.0631,
    "accuracy": 0.9054,
    "n_chars": 111_540,
    "of_no_card": 0.5,
}


@pytest.fixture
def models(tmp_path):
    """A folder with a card of a writer that was trained in two runs."""
    folder = tmp_path / "shakespeare"
    folder.mkdir()
    (folder / "README.md").write_text(CARD)
    save(folder, build(DecoderLM))
    record = {"scores": SCORES, "weights": weights_of(folder)}
    (folder / "scores.json").write_text(json.dumps(record))
    (folder / "metrics.csv").write_text(",".join(COLUMNS) + "\n1,0,0,0,0.0,validation,loss,4.2\n")
    runs = [
        (50.0, "2 cores of a CPU"),
        (2.5, "2 cores of a CPU, then A GPU"),
        (0.0, "where a mean was taken"),
    ]
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


def test_a_row_is_what_the_scores_the_config_and_the_runs_say(models):
    row = next(entry.row for entry in entries(models) if entry.name == "shakespeare")
    measured = "validation loss, nats per character, 111,540 characters"
    assert row == [
        "Shakespeare",
        "DecoderLM",
        f"{build(DecoderLM).n_parameters:,}",
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
    size = large(build(DecoderLM).n_parameters)
    assert f"1 of {len(CHECKPOINTS)} models is here: {size} parameters" in text
    assert "1.0 hours" in text
    for part in (
        "2.06\N{NO-BREAK SPACE}bits",
        "90.5\N{NO-BREAK SPACE}%",
        "Two runs.",
        "It knows letters.",
        "`config.json`",
    ):
        assert part in text


def test_scores_are_shown_with_their_units_by_the_names_that_the_card_gives_them(models):
    (entry,) = (entry for entry in entries(models) if entry.scores)
    shown = [
        "validation loss, nats per character (a\\|signature) | 1.43 nats",
        "the same in bits | 2.06 bits",
        "share guessed right | 90.5 %",
        "characters | 111,540",
        "of_no_card | 0.5000",
    ]
    table, below = entry.sections["Scores"].replace("\N{NO-BREAK SPACE}", " ").split("\n\n")
    assert table.splitlines()[2:] == [f"| {row} |" for row in shown]
    assert below == "Computed on a Sunday."


def test_what_is_read_of_scores_is_what_their_exams_call_them(tmp_path):
    save(tmp_path / "copy_task", build(EncoderDecoder))  # of whose sizes its card speaks
    for name, published in CHECKPOINTS.items():
        called = exam_of(published.script).card_of(tmp_path / name).scores
        forms = [[begin for begin in READ_AS if score.startswith(begin)] for score in called]
        counts = [what for what, found in zip(called.values(), forms, strict=True) if not found]
        assert counts == [COUNTED[published.task]]
        assert max(map(len, forms)) == 1


@pytest.mark.parametrize(
    "file, content",
    [
        ("README.md", "---\n- [\n---\n## Model\n"),
        ("README.md", "---\n- a list\n---\n"),
        ("scores.json", "[]"),
        ("config.json", "{}"),
        ("config.json", '{"model": "GPT", "weights": {}}'),
        ("config.json", '{"model": "DecoderLM", "weights": {"config.json": ""}}'),
        ("run.json", "{"),
        ("run.json", '{"a": 1}'),
        ("run.json", '["x"]'),
        ("run.json", "[{}]"),
        ("run.json", '[{"command": "a", "minutes": "12", "device": "CPU"}]'),
        ("run.json", '[{"command": "a", "minutes": 1, "device": "", "teachers": [{}]}]'),
    ],
)
def test_a_damaged_file_is_named_in_the_row(models, file, content):
    (models.folder / "shakespeare" / file).write_text(content)
    row = next(entry.row for entry in entries(models) if entry.name == "shakespeare")
    assert file in row[4] and "not been scored" not in row[4]
    missing = {"config.json": [1, 2, 3, 5, 6], "scores.json": [3], "run.json": [5, 6]}
    assert [i for i, cell in enumerate(row) if not cell] == missing.get(file, [])
    text = said(models)
    assert file in text and ("It knows letters." in text) == (file != "README.md")


@pytest.mark.parametrize("scores", [1, {"val_loss": None}, {"val_loss": "low"}])
def test_scores_that_are_no_numbers_are_named_in_the_row(models, scores):
    path = models.folder / "shakespeare" / "scores.json"
    path.write_text(json.dumps({"scores": scores, "weights": weights_of(path.parent)}))
    row = next(entry.row for entry in entries(models) if entry.name == "shakespeare")
    assert "scores.json holds no scores" in row[4]


@pytest.mark.parametrize("others", [True, False])
def test_a_model_that_was_not_scored_yet_says_so(models, others):
    """Or whose scores are those of other weights."""
    folder = models.folder / "shakespeare"
    if others:
        save(folder, build(DecoderLM))
    else:
        (folder / "scores.json").unlink()
    row = next(entry.row for entry in entries(models) if entry.name == "shakespeare")
    assert row[4] == "It has not been scored yet." and row[1] == "DecoderLM"
    assert "a table of its own" not in said(models)


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


@pytest.mark.parametrize("card", [None, "---\n- [\n---\n"])
def test_without_a_card_that_can_be_read_scores_and_curves_are_shown(models, card):
    path = models.folder / "shakespeare" / "README.md"
    path.unlink() if card is None else path.write_text(card)
    blocks = tab(models).blocks.values()
    assert "| val_loss | 1.43\N{NO-BREAK SPACE}nats |" in said(models)
    assert "not been scored" not in said(models)
    (plot,) = (block for block in blocks if isinstance(block, gr.Plot))
    assert plot.elem_id == "shakespeare-curves"


def test_a_damaged_record_of_the_losses_is_named_in_the_card(models):
    (models.folder / "shakespeare" / "metrics.csv").write_text("run\n1\n")
    assert "metrics.csv has no column" in said(models)
    assert not any(isinstance(block, gr.Plot) for block in tab(models).blocks.values())
