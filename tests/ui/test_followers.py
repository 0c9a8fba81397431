"""Only the open section is drawn."""

import gradio as gr
import pytest
from visits import Visit

from transformer_core.ui.followers import Follower, Followers, open_section, while_open
from transformer_core.ui.layout import section, sections


def test_the_open_section_is_drawn_and_the_others_wait():
    outputs = {"a": [gr.HTML()], "b": [gr.HTML(), gr.HTML()]}
    draws = {"a": lambda x: [x], "b": lambda x: [x + 1, x + 2]}
    followers = Followers({name: Follower(outputs[name], draws[name]) for name in outputs})
    skip = gr.skip()
    assert followers.outputs == [*outputs["a"], *outputs["b"]]
    assert followers.draw("a", 1) == [1, skip, skip]
    assert followers.draw("b", 1) == [skip, 2, 3]
    assert followers.draw("another", 1) == [skip, skip, skip]


def test_a_section_reads_its_own_states_beside_what_all_read():
    one, two, other = gr.State(1), gr.State(2), gr.State(3)
    followers = Followers(
        {
            "a": Follower([gr.HTML()], lambda *read: [read], [one, two]),
            "b": Follower([gr.HTML()], lambda *read: [read]),
            "c": Follower([gr.HTML()], lambda *read: [read], [other]),
        }
    )
    assert followers.own == [one, two, other]
    shown = {name: followers.draw(name, "text", 1, 2, 3) for name in "abc"}
    skip = gr.skip()
    assert shown["a"] == [("text", 1, 2), skip, skip]
    assert shown["b"] == [skip, ("text",), skip]
    assert shown["c"] == [skip, skip, ("text", 3)]


def test_what_one_section_asks_is_answered_while_that_is_open():
    answer = while_open("a", lambda *values: values)
    assert answer("a", 1, 2) == (1, 2) and answer("b", 1, 2) == gr.skip()


def row_of(*titles, followed=()):
    """A page of one row of sections with these titles, and which of them is open."""
    with gr.Blocks() as demo:
        with sections() as row:
            for title in titles:
                with section(title):
                    gr.Markdown("what it holds")
        return demo, open_section(row, followed)


def test_the_first_section_is_open_and_each_says_its_own_id():
    demo, shown = row_of("Next character", "Heads")
    assert shown.value == "next-character"
    visit = Visit(demo)
    for title, name in (("Heads", "heads"), ("Next character", "next-character")):
        visit.do(title, "select")
        assert visit.states[shown._id] == name


@pytest.mark.parametrize("data", [{}, {"index": 2}, {"index": "1"}, {"index": -1}])
def test_a_section_that_is_not_there_is_not_opened(data):
    demo, shown = row_of("One", "Two")
    (select,) = demo.fns.values()
    assert select.fn(gr.EventData(None, data)) == gr.skip()
    assert shown.value == "one"


def test_a_row_of_sections_holds_nothing_else():
    with gr.Blocks():
        with sections() as row:
            with section("One"):
                gr.Markdown("one")
            gr.State(None)
        with pytest.raises(ValueError, match="no section"):
            open_section(row)


def test_a_section_that_the_row_lacks_is_not_waited_for():
    row_of("Heads", "Switch off", followed=["switch-off"])
    with pytest.raises(ValueError, match="lacks turn-off"):
        row_of("Heads", "Switch off", followed=["heads", "turn-off"])
