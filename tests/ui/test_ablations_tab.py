"""The tab shows what the files say, and says what they lack."""

import gradio as gr
import numpy as np
import pytest
from tiny_study import write_writers

from train.loop import fit_on_cpu
from transformer_core.published import Models
from transformer_core.studies.curves import Line
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.ablations import ablations
from transformer_core.ui.views.variants import points
from transformer_core.ui.views.view import View

CHOSEN = ("shakespeare", "loss", "full")
DRAWN = ("shakespeare", "loss", "validation", "steps", [], 0.0)
BLANK = (None, "", 1, ("", ""))  # nothing was brought along, and nothing asked


@pytest.fixture
def folder(tmp_path):
    return write_writers(tmp_path)


@pytest.fixture
def handlers(folder):
    """The tab's event handlers by name."""
    with gr.Blocks() as demo, gr.Tab("Ablations") as opened:
        ablations.build(Page(Models(folder.parents[1]), opened, gr.State(), fit_on_cpu, gr.State()))
    return {event.name: event.fn for event in demo.fns.values()}


def titles(value) -> list[str]:
    """The variants that a figure is about, in its order."""
    return [line["title"] for line in value["lines"]]


def texts(value) -> str:
    return " ".join(map(str, value if isinstance(value, tuple) else (value,)))


def test_without_any_study_the_tab_says_how_to_train_one(tmp_path):
    with gr.Blocks() as demo, gr.Tab("Ablations") as opened:
        ablations.build(Page(Models(tmp_path), opened, gr.State(), fit_on_cpu, gr.State()))
    said = [str(block.value) for block in demo.blocks.values() if hasattr(block, "value")]
    assert any("python -m train.ablations" in text for text in said)


def test_a_deleted_file_is_named_and_its_variant_disappears(handlers, folder):
    assert "gelu" in texts(handlers["draw_results"](*CHOSEN))
    path = folder / "gelu" / "metrics.csv"
    path.unlink()
    drawn, problems, _, baseline, *_ = handlers["choose"]("shakespeare", *DRAWN[2:])
    assert f"{path} is missing." in problems
    assert "gelu" not in dict(baseline.choices)
    assert "gelu" not in titles(drawn)
    assert "gelu" not in texts(handlers["draw_results"](*CHOSEN))
    assert "gelu" not in titles(handlers["draw_curves"](*DRAWN))


def test_a_changed_file_changes_the_table_and_the_verdict(handlers, folder):
    value, said = handlers["draw_results"](*CHOSEN)
    assert value["rows"][1][1:3] == ["gelu", "1.310 ± 0.010"]
    assert "**no positions**: the loss rises by 0.410 ± 0.021" in said
    path = folder / "gelu" / "metrics.csv"
    path.write_text(path.read_text().replace("validation,loss,1.3\n", "validation,loss,1.0\n"))
    value, _ = handlers["draw_results"](*CHOSEN)
    assert value["rows"][1][1] == "gelu" and value["rows"][1][2] == "1.210 ± 0.182"
    assert value["rows"][value["bold"] + 1][1] == "full"
    assert r"\toprule" in value["tex"] and value["csv"][0][0] == "name"


def test_a_broken_study_is_a_sentence_and_no_blank_page(handlers, folder):
    for path in folder.glob("*/metrics.csv"):
        path.write_text("nonsense")
    drawn, problems, *_ = handlers["choose"]("shakespeare", *DRAWN[2:])
    assert drawn is None and problems.count("has no column") == 5
    with pytest.raises(gr.Error, match="nothing to compare"):
        handlers["draw_results"](*CHOSEN)
    assert handlers["draw_curves"](*DRAWN) is None


def test_names_from_files_are_escaped(handlers, folder):
    (folder / "gelu").rename(folder / "<img src=x>")
    plan = folder / "study.json"
    plan.write_text(plan.read_text().replace('"gelu"', '"<img src=x>"'))
    (folder / "<img src=x>" / "variant.json").unlink()
    assert "<img" not in handlers["choose"]("shakespeare", *DRAWN[2:])[1]


def test_the_band_of_a_share_ends_where_there_can_be_no_share():
    x, mean, none = np.arange(2.0), np.array([0.1, 0.9]), np.zeros((1, 2))
    wide = Line("a", 0, x, mean, mean, mean - 0.3, mean + 0.3, x, none)
    assert points(wide, percent=True)["low"] == [0, 0.6]
    assert points(wide, percent=True)["high"] == [0.4, 1]
    assert points(wide, percent=False)["high"] == [0.4, 1.2]


def test_coming_back_to_the_tab_keeps_what_was_chosen(handlers, folder):
    study, _, _, metric, *_ = handlers["arrive"](None, None, None, *BLANK, *DRAWN[2:])
    assert (study, metric.value) == ("shakespeare", "loss")
    (folder / "gelu" / "metrics.csv").unlink()
    study, drawn, problems, *others = handlers["arrive"](
        "shakespeare", "shakespeare", "loss", *BLANK, *DRAWN[2:]
    )
    assert study == "shakespeare" and "is missing" in problems and "gelu" not in titles(drawn)
    *kept, question, asked = others
    assert all(other == gr.skip() for other in kept) and question is None and asked == ("", "")


def test_a_text_that_is_brought_is_asked_once_with_the_nearest_head(handlers):
    brought = ("Speak", "decoder:5:self:attention", 9, ("", ""))
    arrived = handlers["arrive"]("shakespeare", None, None, *brought, *DRAWN[2:])
    _, _, *choices, question, asked = arrived
    *_, text, site, head, _, part, kept = choices
    assert (text, site.value, head.value) == ("Speak", "decoder layer 2 self-attention", 4)
    assert (part, kept) == ("decoder:1:self:attention", 4)
    assert question == ("shakespeare", text, site.value, head.value)
    assert asked == ("shakespeare", text)  # whatever becomes of it
    known = (*brought[:3], asked)
    again = handlers["arrive"]("shakespeare", "shakespeare", "loss", *known, *DRAWN[2:])
    assert again[-2:] == (None, asked)
    example = handlers["arrive"](None, None, None, *BLANK, *DRAWN[2:])
    assert example[-2] is None


@pytest.mark.parametrize(
    ("handler", "arguments"),
    [
        ("choose", ("../secret", *DRAWN[2:])),
        ("draw_curves", ("nothing", *DRAWN[1:])),
        ("draw_results", ("shakespeare", "loss", "nobody")),
        ("draw_results", ("shakespeare", None, "full")),
        ("draw_differences", ("shakespeare", "full", None)),
    ],
)
def test_choices_that_do_not_exist_are_refused(handlers, handler, arguments):
    with pytest.raises(gr.Error):
        handlers[handler](*arguments)


def test_differences_and_longer_texts_are_drawn(handlers):
    value = handlers["draw_differences"]("shakespeare", "full", "no_positions")
    assert value["rows"][1] == ["positional_encoding", "sinusoidal", "none"]
    longer = handlers["draw_longer"]("shakespeare")
    assert titles(longer) == ["full", "no positions", "learned"]
    assert longer["mark"] == [16, "trained up to 16"]


def test_twins_appear_one_after_the_other_and_are_redrawn_without_asking_again(handlers):
    asked_for = ("shakespeare", "All:\nSpeak", "decoder layer 1 self-attention", 1)
    steps = list(handlers["run_twins"](*asked_for))
    assert [len(found) for found, *_ in steps] == [1, 2, 3, 4, 5]
    found, value, _, part, head = steps[-1]
    assert (part, head) == ("decoder:0:self:attention", 1)
    assert "5 variants have read the text" in value["summary"]
    other = "Speak", "decoder layer 2 self-attention", 2
    redrawn, _, *kept = handlers["show_head"]("shakespeare", found, *other)
    assert kept == ["decoder:1:self:attention", 2]
    assert redrawn["cards"][0]["weights"] != value["cards"][0]["weights"]
    assert "layer 2 self-attention, head 2" in redrawn["summary"]
    late = handlers["catch_up"]("shakespeare", found, *other, part, head)
    assert list(late[2:]) == kept and late[0] == redrawn, "it was chosen while they answered"
    asked = [handlers["catch_up"]("shakespeare", done, *other, *kept) for done in (found, [])]
    asked.append(handlers["catch_up"]("shakespeare", [], *other, "", 1))
    assert asked == [gr.skip()] * 3
    with pytest.raises(gr.Error, match="Type a text"):
        list(handlers["run_twins"]("shakespeare", " ", None, 1))


def test_only_a_text_that_was_brought_along_is_asked_on_arrival(handlers):
    question = "shakespeare", "All:", "decoder layer 1 self-attention", 1
    assert list(handlers["run_brought"](None)) == [gr.skip()]
    assert len(list(handlers["run_brought"](question))) == 5


def test_learned_positions_end_where_the_training_did(handlers):
    longer = handlers["draw_longer"]("shakespeare")
    ends = {line["title"]: max(line["x"]) for line in longer["lines"]}
    assert ends == {"full": 32, "no positions": 32, "learned": 16}


def test_the_baseline_comes_first_and_then_what_differs_from_it_most(handlers):
    drawn = handlers["draw_curves"](*DRAWN)
    assert titles(drawn) == ["full", "no positions", "gelu", "one head", "learned"]
    assert drawn["shown"] == 4 and drawn["lines"][1]["ends"] == "1.930 ± 0.030"
    assert drawn["lines"][1]["mean"][-1] == pytest.approx(1.93)


def test_the_finding_is_computed_from_the_files(handlers, folder):
    assert handlers["draw_curves"](*DRAWN)["finding"] == (
        "1 of 4 changes makes **full** (loss 1.520) worse beyond the spread of seeds, most of all "
        "**no positions** (1.930). **gelu** (1.310) is better."
    )
    path = folder / "gelu" / "metrics.csv"
    path.write_text(path.read_text().replace("validation,loss,1.3", "validation,loss,1.6"))
    found = handlers["draw_curves"](*DRAWN)["finding"]
    assert found.startswith("2 of 4 changes make") and "**gelu** (1.610)" in found


def test_without_the_whole_model_all_the_rest_is_shown(handlers, folder):
    path = folder / "full" / "metrics.csv"
    path.write_text("nonsense")
    study, drawn, problems, metric, baseline, *_ = handlers["arrive"](
        None, None, None, *BLANK, *DRAWN[2:]
    )
    assert (study, metric.value, baseline.value) == ("shakespeare", "loss", "no_positions")
    assert f"{path} has no column" in problems
    assert sorted(titles(drawn)) == ["gelu", "learned", "no positions", "one head"]
    assert "**full** is missing" in drawn["finding"]
    assert "learned" in titles(handlers["draw_longer"](study))
    value, said = handlers["draw_results"](study, "loss", "no_positions")
    assert len(value["rows"]) == 5 and "**learned**" in said
    asked = ("shakespeare", "All:", "decoder layer 1 self-attention", 1)
    assert len(list(handlers["run_twins"](*asked))) == 4


def test_a_baseline_without_the_metric_is_named(handlers, folder):
    path = folder / "full" / "metrics.csv"
    more = path.read_text().replace("validation,loss", "validation,accuracy").split("\n", 1)[1]
    with (folder / "gelu" / "metrics.csv").open("a") as file:
        file.write(more)
    assert (
        "has no accuracy" in handlers["draw_curves"](*DRAWN[:1], "accuracy", *DRAWN[2:])["finding"]
    )
    with pytest.raises(gr.Error, match="full has no accuracy"):
        handlers["draw_results"]("shakespeare", "accuracy", "full")


@pytest.mark.parametrize(
    "settings", [("train", "steps", [], 0.0), ("validation", "seconds", ["x", "y"], 0.9)]
)
def test_every_setting_of_the_axes_can_be_sent(handlers, settings):
    value = View().postprocess(handlers["draw_curves"]("shakespeare", "loss", *settings))
    assert value["x"] == settings[1] and value["y"].startswith(settings[0])
