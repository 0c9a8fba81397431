"""A visitor's texts: what is written does not depend on how it is asked for."""

from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import gradio as gr
import pytest
import torch
from tiny import tiny_writer

from transformer_core.decoding.sampling import Sampling
from transformer_core.explain.knock_out import text_without
from transformer_core.model.heads import every_head
from transformer_core.tasks.generation import look, read
from transformer_core.tasks.requests import InputError
from transformer_core.ui.head_switches import head_key
from transformer_core.ui.tabs.generate import looking
from transformer_core.ui.tabs.generate.desk import Desk
from transformer_core.ui.tabs.generate.shown import growth
from transformer_core.ui.tabs.generate.story import (
    Story,
    begun,
    cut,
    forked,
    grow,
    wanting,
)
from transformer_core.ui.tabs.generate.switches import LENGTH, NOTHING, measured, switched
from transformer_core.ui.tabs.generate.writing import Writing
from transformer_core.ui.views.switches import INVITATION


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    return tiny_writer()


def grown(trained, *sizes: int) -> Story:
    """A text of 24 more characters, asked for in steps of so many tokens in all."""
    story = wanting(begun(trained, Story(), "All:\n"), 24)
    for size in sizes:
        story = grow(trained, story, size, Sampling(0.8), 1)
    return story


def test_a_text_is_the_same_in_whatever_steps_it_is_asked_for(trained):
    whole = grown(trained, 1_000)
    goal = whole.branch.goal
    assert len(whole.branch.tokens) == goal
    steps = grown(trained, goal - 20, goal - 20, goal - 7, goal)
    assert steps.branch.text == whole.branch.text


def test_a_text_that_is_stopped_keeps_what_was_shown_and_grows_no_more(trained):
    story = grown(trained, 1_000)
    branch, n = story.branch, len(story.branch.tokens)
    stopped = cut(story, branch.identity, n - 5)
    assert stopped.branch.tokens == branch.tokens[: n - 5]
    assert grow(trained, stopped, 1_000, Sampling(), 1) == stopped
    continued = grow(trained, wanting(stopped, 5), 1_000, Sampling(0.8), 1)
    assert continued.branch.text == branch.text


def test_a_text_that_was_stopped_before_the_page_showed_it_is_its_prompt(trained):
    story = grown(trained, 1_000)
    assert cut(story, "another", 3).branch.text == "All:\n"
    assert cut(story, story.branch.identity, 3).branch.text == "All:\n"


def test_only_what_the_page_lacks_is_sent(trained):
    story = grown(trained, 1_000)
    branch, whole, rest = story.branch, growth(story), growth(story, 9)
    assert whole["lines"].endswith(rest["lines"])
    assert rest["lines"].count("\n") == len(branch.tokens) - 9
    assert (rest["id"], rest["first"], rest["goal"]) == (whole["id"], 9, branch.goal)


def test_a_branch_says_where_it_comes_from_and_the_first_text_stays(trained):
    story = grown(trained, 1_000)
    old = story.branch
    story = branched(story, 8)
    assert story.branch.title.startswith("Branch 2 from 1 at 9")
    assert story.branch.text[:8] == old.text[:8] and story.branch.text != old.text[:9]
    assert replace(story, shown=0).branch == old and old.title == ""


def test_a_text_grows_up_to_its_limit_and_then_says_so(trained, monkeypatch):
    monkeypatch.setattr("transformer_core.ui.tabs.generate.story.MAX_TEXT", 40)
    # what the model itself has written is no prompt, and may be longer than one
    monkeypatch.setattr("transformer_core.tasks.generation.MAX_PROMPT", 20)
    story = grow(trained, wanting(begun(trained, Story(), "All:\n"), 100), 1_000, Sampling(), 1)
    assert len(story.branch.tokens) == story.branch.goal == 40
    with pytest.raises(InputError, match="The text has 40 characters"):
        wanting(story, 1)
    assert wanting(story, 0) == story
    with pytest.raises(InputError, match="The prompt has 40 characters; at most 39"):
        begun(trained, story, "A" * 40)


def test_the_oldest_texts_make_room_for_what_is_long(trained, monkeypatch):
    monkeypatch.setattr("transformer_core.ui.tabs.generate.story.MAX_TEXTS", 60)
    story = Story()
    for length in (20, 20, 30, 70):
        story = begun(trained, story, "A" * length)
    assert [branch.number for branch in story.branches] == [4]
    assert [b.number for b in begun(trained, story, "All").branches] == [5]


def test_the_oldest_of_the_others_makes_room_for_a_text_that_goes_on(trained, monkeypatch):
    monkeypatch.setattr("transformer_core.ui.tabs.generate.story.MAX_TEXTS", 60)
    story = Story()
    for _ in range(3):
        story = begun(trained, story, "A" * 15)
    longer = wanting(Story(story.branches, 0), 25)
    assert [branch.number for branch in longer.branches] == [1, 3]
    assert longer.branch.number == 1 and longer.branch.goal == 40


def branched(story: Story, position: int) -> Story:
    """The story with a branch at a position of the text on screen."""
    branch = story.branch
    taken = branch.tokens[position].id
    option = next(o for o in branch.tokens[position].alternatives if o[0] != taken)
    return story.added(forked(branch, position, option, story.next_number))


def test_a_branch_leads_back_to_what_it_came_from_and_to_the_first_of_all(trained):
    first = grown(trained, 1_000)
    assert (growth(first)["undo"], growth(first)["best"]) == ("", "")
    other = wanting(begun(trained, first, "Another:\n"), 0)
    twice = branched(branched(replace(other, shown=0), 8), 6)
    assert [branch.number for branch in twice.branches] == [1, 2, 3, 4]
    assert (growth(twice)["undo"], growth(twice)["best"]) == (
        "tab=generate&branch=3",
        "tab=generate&branch=1",
    )
    assert twice.with_number(3).branch == twice.branches[2] and twice.with_number(7) is None
    forgotten = Story(twice.branches[1:], 2)  # whose first text made room for others
    assert growth(forgotten)["best"] == "tab=generate&branch=3"


def test_a_branch_is_pressed_by_its_number_and_one_that_made_room_is_not_there(trained, models):
    desk, story = Desk(), Story()
    for prompt in ("All:", "Speak:", "hear me:"):
        story = begun(trained, story, prompt)
    laid(desk, story)
    writing = Writing(models, (), lambda: story)
    _, radio, _, number, _ = writing.show(desk, 2)
    assert desk.story.branch.text == "Speak:" and radio.value == number == 2
    laid(desk, Story(desk.story.branches[1:], 0))  # the first has made room meanwhile
    writing.show(desk, 3)
    assert desk.story.branch.text == "hear me:"
    for gone in (1, None):
        assert writing.show(desk, gone) == gr.skip()
    assert desk.story.branch.text == "hear me:"


def test_an_empty_visit_has_no_text_to_continue():
    with pytest.raises(InputError, match="press Write"):
        wanting(Story(), 10)


def laid(desk, story):
    """The story, once it lies there."""
    assert desk.put(story, desk.turn())
    return story


def test_a_text_whose_beginning_was_cancelled_is_not_laid_there(trained):
    desk = Desk()
    first = laid(desk, grown(trained))
    began = desk.turn()
    stopped = laid(desk, first.grown(first.branch))  # while the next one is read
    assert not desk.put(wanting(begun(trained, first, "Another:\n"), 24), began)
    assert desk.story is stopped


def test_what_was_on_its_way_when_another_text_was_begun_is_dropped(trained):
    desk = Desk()
    first = laid(desk, grown(trained))
    late = grow(trained, first, 1_000, Sampling(0.8), 1)  # computed while the next is begun
    second = laid(desk, wanting(begun(trained, desk.story, "Another:\n"), 24))
    assert not desk.replace(first, late)
    assert desk.story is second and len(desk.story.branches) == 2
    more = grow(trained, second, 1_000, Sampling(0.8), 1)
    assert desk.replace(second, more) and desk.story is more


def test_every_visitor_begins_with_an_empty_desk(trained):
    desk = Desk()
    laid(desk, grown(trained))
    assert deepcopy(desk).story == Story()


PLACE = 12


@pytest.fixture
def desk(trained):
    """A text of 28 characters on a desk, looked at behind the twelfth."""
    desk = Desk()
    laid(desk, grown(trained, 1_000))
    desk.position = PLACE
    return desk


def switches_of(trained, desk):
    seen = look(trained, desk.story.branch.ids, desk.position)
    return switched(trained, desk.story, seen, Sampling(0.8), 1, desk.off, desk.measured)


def test_a_place_is_looked_at_once_for_all_that_is_shown_of_it(trained, monkeypatch):
    asked = []
    monkeypatch.setattr(looking, "look", lambda *of: asked.append(of) or look(*of))
    one = looking.Looking(SimpleNamespace(language_model=trained), controls=None, deeper=None)
    story = grown(trained, 1_000)
    first = one.seen(story, PLACE)
    assert one.seen(story, PLACE) is first and one.seen(story, None) is not first
    assert [at for *_, at in asked] == [PLACE, len(story.branch.ids)]


def test_heads_are_worth_what_the_text_before_the_place_loses_without_them(trained, desk):
    assert switches_of(trained, desk)["summary"] == INVITATION
    desk.measured = measured(trained, desk.story, look(trained, desk.story.branch.ids, PLACE))
    value = switches_of(trained, desk)
    heads = every_head(trained.model)
    assert list(value["damage"]) == [head_key(head) for head in heads]
    text = desk.story.branch.text[:PLACE]
    before = sum(token.log_prob for token in read(trained, text)[1:])
    for head in heads:
        after = sum(token.log_prob for token in read(trained, text, [head])[1:])
        assert value["damage"][head_key(head)] == pytest.approx(after - before, abs=1e-3)
        ids = desk.story.branch.ids[:PLACE]
        assert text_without(trained.model, ids, (head,)) == pytest.approx(after - before, abs=1e-3)
    assert "the last 11 characters changes without that head" in value["summary"]
    desk.position = PLACE + 1
    assert switches_of(trained, desk)["damage"] is None  # that is another text


def test_without_heads_the_text_goes_on_from_the_same_place_with_the_same_dice(trained, desk):
    assert switches_of(trained, desk)["texts"] == []
    desk.off = tuple(every_head(trained.model))
    value = switches_of(trained, desk)
    (_, whole), (_, without) = value["texts"]
    assert len(whole) == len(without) == LENGTH and whole != without
    rest = grow(
        trained,
        wanting(cut(desk.story, desk.story.branch.identity, PLACE), LENGTH),
        1_000,
        Sampling(0.8),
        1,
    )
    assert rest.branch.text[PLACE:] == whole
    assert value["summary"].startswith(f"{len(desk.off)} of {len(desk.off)} heads are off")


def test_before_the_first_prediction_there_is_nothing_to_lose(desk):
    trained = tiny_writer(positional_encoding="rotary")
    desk.position, desk.off = 1, tuple(every_head(trained.model))
    value = switches_of(trained, desk)
    assert value["summary"] == NOTHING and len(value["off"]) == len(desk.off)
    with pytest.raises(InputError, match="Nothing was predicted"):
        measured(trained, desk.story, look(trained, desk.story.branch.ids, 1))
    desk.position = 2
    assert "of the last character changes by" in switches_of(trained, desk)["summary"]
