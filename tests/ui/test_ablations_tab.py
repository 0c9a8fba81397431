"""The tab shows what the files say, and says what they lack."""

import gradio as gr
import numpy as np
import pytest
from tiny_study import write_writers
from visits import Visit

from train.loop import fit_on_cpu
from transformer_core.published import Models
from transformer_core.studies.curves import Line
from transformer_core.studies.twins import attention
from transformer_core.ui.app import build_app
from transformer_core.ui.page import Page
from transformer_core.ui.tabs.ablations import ablations
from transformer_core.ui.tabs.ablations.answers import TEXTS, Answers, notes
from transformer_core.ui.tabs.ablations.files import Studies
from transformer_core.ui.tabs.ablations.layout import lay_out
from transformer_core.ui.tabs.ablations.questions import Focus, Questions
from transformer_core.ui.tabs.ablations.twins import Twins
from transformer_core.ui.views.variants import points
from transformer_core.ui.views.view import View

CHOSEN = ("shakespeare", "loss", "full")
DRAWN = ("shakespeare", "loss", "validation", "steps", [], 0.0)


@pytest.fixture
def folder(tmp_path):
    return write_writers(tmp_path)


@pytest.fixture
def here(folder):
    """The components of the tab."""
    with gr.Blocks():
        return lay_out(["shakespeare"])


@pytest.fixture
def answers(folder, here):
    return Answers(Studies(folder.parent), Models(folder.parents[1]), here)


@pytest.fixture
def twins(folder, here):
    return Twins(Studies(folder.parent), Models(folder.parents[1]), here)


def blank() -> tuple:
    """What `arrive` is told if nothing was brought along, and nothing asked."""
    return None, "", 1, ("", ""), Questions()


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


def test_a_deleted_file_is_named_and_its_variant_disappears(answers, folder):
    assert "gelu" in texts(answers.draw_results(*CHOSEN))
    path = folder / "gelu" / "metrics.csv"
    path.unlink()
    chosen = answers.choose("shakespeare", "", Questions(), *DRAWN[2:])
    assert f"{path} is missing." in chosen[answers.here.problems]
    assert "gelu" not in dict(chosen[answers.here.baseline].choices)
    assert "gelu" not in titles(chosen[answers.here.curves])
    assert "gelu" not in texts(answers.draw_results(*CHOSEN))
    assert "gelu" not in titles(answers.draw_curves(*DRAWN))


def test_a_changed_file_changes_the_table_and_the_verdict(answers, folder):
    value, _ = answers.draw_results(*CHOSEN)
    assert (value["rows"][1][1], value["rows"][1][4]) == ("gelu", "1.310 ± 0.010")
    assert value["rows"][1][2].startswith("better, p = ")
    path = folder / "gelu" / "metrics.csv"
    path.write_text(path.read_text().replace("validation,loss,1.3\n", "validation,loss,1.0\n"))
    value, _ = answers.draw_results(*CHOSEN)
    assert (value["rows"][1][1], value["rows"][1][4]) == ("gelu", "1.210 ± 0.182")
    assert value["rows"][1][2].startswith("not certain, p = ")
    assert value["rows"][value["bold"] + 1][1] == "full"
    assert r"\toprule" in value["tex"] and value["csv"][0][0] == "name"


def test_the_method_of_the_test_stands_below_the_table_and_in_the_paper(answers):
    value, said = answers.draw_results(*CHOSEN)
    assert value["summary"].endswith("over 3 seeds; lower is better.")
    assert "Welch" in said and "Welch" in value["tex"] and "Welch" not in value["summary"]
    assert "Report one" in notes("translation") and "Report one" not in said


def test_a_broken_study_is_a_sentence_and_no_blank_page(answers, folder):
    for path in folder.glob("*/metrics.csv"):
        path.write_text("nonsense")
    chosen = answers.choose("shakespeare", "", Questions(), *DRAWN[2:])
    assert chosen[answers.here.curves] is None
    assert chosen[answers.here.problems].count("has no column") == 5
    with pytest.raises(gr.Error, match="nothing to compare"):
        answers.draw_results(*CHOSEN)
    assert answers.draw_curves(*DRAWN) is None


def test_names_from_files_are_escaped(answers, folder):
    (folder / "gelu").rename(folder / "<img src=x>")
    plan = folder / "study.json"
    plan.write_text(plan.read_text().replace('"gelu"', '"<img src=x>"'))
    (folder / "<img src=x>" / "variant.json").unlink()
    chosen = answers.choose("shakespeare", "", Questions(), *DRAWN[2:])
    assert "<img" not in chosen[answers.here.problems]


def test_the_band_of_a_share_ends_where_there_can_be_no_share():
    x, mean, none = np.arange(2.0), np.array([0.1, 0.9]), np.zeros((1, 2))
    wide = Line("a", 0, x, mean, mean, mean - 0.3, mean + 0.3, x, none)
    assert points(wide, percent=True)["low"] == [0, 0.6]
    assert points(wide, percent=True)["high"] == [0.4, 1]
    assert points(wide, percent=False)["high"] == [0.4, 1.2]


def test_coming_back_to_the_tab_keeps_what_was_chosen(answers, here, folder):
    first = answers.arrive(None, None, None, *blank(), *DRAWN[2:])
    assert (first[here.study], first[here.metric].value) == ("shakespeare", "loss")
    assert first[here.text] and here.question not in first
    (folder / "gelu" / "metrics.csv").unlink()
    again = answers.arrive("shakespeare", "shakespeare", "loss", *blank(), *DRAWN[2:])
    anew = {here.study, here.problems, here.curves, here.redraw}
    assert set(again) == anew, "all else stays"
    assert "is missing" in again[here.problems] and "gelu" not in titles(again[here.curves])


def test_a_text_that_is_brought_is_asked_once_with_the_nearest_head(answers, here):
    brought, questions = ("Speak", "decoder:5:self:attention", 9), Questions()
    arrived = answers.arrive("shakespeare", None, None, *brought, ("", ""), questions, *DRAWN[2:])
    site, head = arrived[here.site].value, arrived[here.head].value
    assert (arrived[here.text], site, head) == ("Speak", "decoder layer 2 self-attention", 4)
    assert (arrived[here.part], arrived[here.part_head]) == ("decoder:1:self:attention", 4)
    assert arrived[here.question][:2] == ("shakespeare", "Speak")
    assert questions.focus == (site, head)
    asked = arrived[here.asked]
    assert asked == ("shakespeare", "Speak")  # whatever becomes of it
    again = answers.arrive(
        "shakespeare", "shakespeare", "loss", *brought, asked, questions, *DRAWN[2:]
    )
    assert here.question not in again and here.asked not in again


def test_a_text_that_was_typed_stays_with_another_study_that_reads_it(answers, here):
    for text in ("Speak", "speak " * 20, "日", "", TEXTS["translation"]):
        chosen = answers.choose("shakespeare", text, Questions(), *DRAWN[2:])
        kept = "Speak" if text == "Speak" else TEXTS["shakespeare"]
        assert chosen[here.text] == kept and here.question not in chosen
        assert chosen[here.asked] == ("shakespeare", kept), "coming back does not ask it"


def test_the_example_of_another_study_was_not_brought(answers, here):
    left = (TEXTS["translation"], "", 1, ("", ""), Questions())
    arrived = answers.arrive("shakespeare", "translation", "loss", *left, *DRAWN[2:])
    assert here.question not in arrived and arrived[here.text] == TEXTS["shakespeare"]


def test_another_study_leaves_what_was_asked_of_the_one_before(answers, here):
    questions = Questions()
    left = questions.ask("copy_task", "CAB", Focus())
    first, second = (
        answers.choose("shakespeare", "", questions, *DRAWN[2:])[here.redraw] for _ in range(2)
    )
    assert first != second, "which the open section follows"
    assert not questions.begin(left) and not questions.open


@pytest.mark.parametrize(
    ("handler", "arguments"),
    [
        ("choose", ("../secret", "", Questions(), *DRAWN[2:])),
        ("draw_curves", ("nothing", *DRAWN[1:])),
        ("draw_results", ("shakespeare", "loss", "nobody")),
        ("draw_results", ("shakespeare", None, "full")),
        ("draw_differences", ("shakespeare", "full", None)),
    ],
)
def test_choices_that_do_not_exist_are_refused(answers, handler, arguments):
    with pytest.raises(gr.Error):
        getattr(answers, handler)(*arguments)


def test_differences_and_longer_texts_are_drawn(answers):
    value = answers.draw_differences("shakespeare", "full", "no_positions")
    assert value["rows"][1] == ["positional_encoding", "sinusoidal", "none"]
    longer = answers.draw_longer("shakespeare")
    assert titles(longer) == ["full", "no positions", "learned"]
    assert longer["mark"] == [16, "trained up to 16"]
    assert longer["on"] == len(longer["lines"]), "all are on"


def asked_of(twins, questions, text="All:\nSpeak", layer=1, head=1):
    """Ask the twins a question."""
    site = f"decoder layer {layer} self-attention"
    return twins.ask("shakespeare", text, site, head, questions)[twins.here.question]


def test_twins_appear_one_after_the_other_and_are_redrawn_without_asking_again(twins, here):
    questions = Questions()
    question = asked_of(twins, questions)
    assert questions.open
    steps = list(twins.run(question, questions))
    assert [len(step[here.found]) for step in steps] == [1, 2, 3, 4, 5] and not questions.open
    last = steps[-1]
    assert (last[here.part], last[here.part_head]) == ("decoder:0:self:attention", 1)
    said = "5 variants have read the text; below those that have it, decoder layer 1"
    assert said in last[here.cards]["summary"]
    assert list(twins.run(question, questions)) == [gr.skip()], "it is answered once"
    other = "Speak", "decoder layer 2 self-attention", 2
    redrawn = twins.show_head("shakespeare", last[here.found], *other, questions)
    assert (redrawn[here.part], redrawn[here.part_head]) == ("decoder:1:self:attention", 2)
    before, after = (step[here.cards]["cards"][0] for step in (last, redrawn))
    assert before["weights"] != after["weights"]
    assert "layer 2 self-attention, head 2" in redrawn[here.cards]["summary"]


def test_a_head_that_is_chosen_while_twins_answer_is_shown_with_the_next_one(twins, here):
    questions = Questions()
    steps = twins.run(asked_of(twins, questions), questions)
    found = next(steps)[here.found]
    other = "All:", "decoder layer 2 self-attention", 2, questions
    assert twins.show_head("shakespeare", found, *other) == gr.skip()
    assert "layer 2 self-attention, head 2" in next(steps)[here.cards]["summary"]
    *_, fifth = [next(steps) for _ in range(3)]
    assert len(fifth[here.found]) == 5
    other = "All:", "decoder layer 1 self-attention", 3, questions
    assert twins.show_head("shakespeare", found, *other) == gr.skip()
    (last,) = steps
    assert "layer 1 self-attention, head 3" in last[here.cards]["summary"]
    assert not questions.open and len(last[here.cards]["cards"]) == 5


def test_the_newest_question_ends_those_before_and_is_answered_itself(twins, here):
    questions = Questions()
    first = twins.run(asked_of(twins, questions), questions)
    next(first)
    newest = asked_of(twins, questions, "Speak, speak")
    assert list(first) == [] and questions.open
    steps = list(twins.run(newest, questions))
    assert len(steps) == 5 and not questions.open
    dropped = asked_of(twins, questions)
    questions.drop()  # Stop
    assert list(twins.run(dropped, questions)) == [gr.skip()] and not questions.open


def test_a_card_that_was_computed_meanwhile_is_not_shown(twins, monkeypatch):
    questions = Questions()
    running = twins.run(asked_of(twins, questions), questions)
    next(running)

    def slow(*arguments):
        questions.drop()  # another study is chosen
        return attention(*arguments)

    monkeypatch.setattr("transformer_core.ui.tabs.ablations.twins.attention", slow)
    assert list(running) == []


def test_what_another_study_has_replaced_is_not_shown(twins, here, monkeypatch):
    questions = Questions()
    *_, last = twins.run(asked_of(twins, questions), questions)
    shown = twins.shown
    monkeypatch.setattr(
        type(twins), "shown", lambda *arguments: (questions.drop(), shown(*arguments[1:]))[1]
    )
    other = "All:", "decoder layer 2 self-attention", 2, questions
    assert twins.show_head("shakespeare", last[here.found], *other) == gr.skip()


def test_a_text_that_no_twin_can_read_is_refused_and_the_question_is_over(twins):
    questions = Questions()
    with pytest.raises(gr.Error, match="Type a text"):
        list(twins.run(asked_of(twins, questions, " "), questions))
    assert not questions.open
    assert list(twins.run(None, questions)) == [gr.skip()]


def test_learned_positions_end_where_the_training_did(answers):
    longer = answers.draw_longer("shakespeare")
    ends = {line["title"]: max(line["x"]) for line in longer["lines"]}
    assert ends == {"full": 32, "no positions": 32, "learned": 16}


def test_the_baseline_comes_first_and_then_what_differs_from_it_most(answers):
    drawn = answers.draw_curves(*DRAWN)
    assert titles(drawn) == ["full", "no positions", "gelu", "one head", "learned"]
    assert drawn["on"] == 4 and drawn["lines"][1]["ends"] == "1.930 ± 0.030"
    assert drawn["lines"][1]["mean"][-1] == pytest.approx(1.93)


def test_the_finding_is_computed_from_the_files(answers, folder):
    assert answers.draw_curves(*DRAWN)["finding"] == (
        "The whole model, **full**, ends at a loss of 1.520. 1 of 4 changes makes it clearly "
        "worse: **no positions** (1.930). **gelu** (1.310) is clearly better."
    )
    path = folder / "gelu" / "metrics.csv"
    path.write_text(path.read_text().replace("validation,loss,1.3", "validation,loss,1.6"))
    found = answers.draw_curves(*DRAWN)["finding"]
    assert "2 of 4 changes make it clearly worse" in found and "**gelu** (1.610)" in found


def test_without_the_whole_model_all_the_rest_is_shown(answers, twins, folder):
    path = folder / "full" / "metrics.csv"
    path.write_text("nonsense")
    here = answers.here
    found = answers.arrive(None, None, None, *blank(), *DRAWN[2:])
    assert found[here.study] == "shakespeare" and found[here.metric].value == "loss"
    assert found[here.baseline].value == "no_positions"
    assert f"{path} has no column" in found[here.problems]
    drawn = found[here.curves]
    assert sorted(titles(drawn)) == ["gelu", "learned", "no positions", "one head"]
    assert "**full** is missing" in drawn["finding"]
    assert "learned" in titles(answers.draw_longer("shakespeare"))
    value, _ = answers.draw_results("shakespeare", "loss", "no_positions")
    assert len(value["rows"]) == 5 and "learned" in texts(value)
    questions = Questions()
    assert len(list(twins.run(asked_of(twins, questions), questions))) == 4


def test_a_baseline_without_the_metric_is_named(answers, folder):
    path = folder / "full" / "metrics.csv"
    more = path.read_text().replace("validation,loss", "validation,accuracy").split("\n", 1)[1]
    with (folder / "gelu" / "metrics.csv").open("a") as file:
        file.write(more)
    assert "has no accuracy" in answers.draw_curves(*DRAWN[:1], "accuracy", *DRAWN[2:])["finding"]
    with pytest.raises(gr.Error, match="full has no accuracy"):
        answers.draw_results("shakespeare", "accuracy", "full")


@pytest.mark.parametrize(
    "settings", [("train", "steps", [], 0.0), ("validation", "seconds", ["x", "y"], 0.9)]
)
def test_every_setting_of_the_axes_can_be_sent(answers, settings):
    value = View().postprocess(answers.draw_curves("shakespeare", "loss", *settings))
    assert value["x"] == settings[1] and value["y"].startswith(settings[0])


def test_only_the_open_section_is_drawn_and_another_when_it_is_opened(folder):
    visit = Visit(build_app(Models(folder.parents[1]), fit_on_cpu))

    def drawn() -> list[bool]:
        names = ("ablation-results", "ablation-differences", "ablation-longer")
        return [bool(visit.values[visit.find(name)._id]) for name in names]

    visit.do("Differences", "select")
    assert drawn() == [False, False, False], "no study is open yet"
    visit.do("Ablations", "select")
    assert drawn() == [False, True, False]
    visit.do("Longer texts", "select")
    assert drawn() == [False, True, True]
    visit.do("Results", "select")
    assert drawn() == [True, True, True]
