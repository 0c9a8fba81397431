"""What a visitor did to a translation is kept step by step, and an address says it."""

from types import SimpleNamespace

import gradio as gr
import pytest
import torch
from tiny import tiny_translator

from transformer_core.model.heads import every_head
from transformer_core.ui.tabs.translate.handlers import Handlers
from transformer_core.ui.tabs.translate.layout import lay_out
from transformer_core.ui.tabs.translate.shown import german
from transformer_core.ui.tabs.translate.work import Changes, Work, again, arrived, begin
from transformer_core.ui.views.switches import head_key

TEXT = "Speak, speak. You are all resolved."
SEARCH = (2, 1.0)


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    return tiny_translator()


@pytest.fixture
def work(trained):
    return begin(trained, TEXT, *SEARCH)[0]


@pytest.fixture
def typed(trained, tmp_path):
    """typed(work, place, forced, off, text) -> the work that is shown, and what is kept of it."""
    with gr.Blocks():
        parts = lay_out()
    models = SimpleNamespace(translator=trained, folder=tmp_path)
    handlers = Handlers(models, parts)

    def answer(work, place, forced, off, text=TEXT):
        new, *kept = handlers.typed(work, text, *SEARCH, place, forced, off)[:4]
        assert kept == list(new.kept.values())
        return new

    return answer


def head_of(trained, number):
    return list(every_head(trained.model.sites, trained.model.config.n_heads))[number]


def test_steps_are_kept_and_one_that_is_taken_back_is_none(trained, work):
    head = head_of(trained, 2)
    forced, _ = again(trained, work, forced=(7,))
    both, _ = again(trained, forced, off=(head,))
    assert both.past == (Changes(), Changes((7,))) and both.before == Changes((7,))
    back, _ = again(trained, both, off=())
    assert (back.changes, back.past) == (Changes((7,)), (Changes(),))
    best, _ = again(trained, both, forced=(), off=())
    assert (best.changes, best.past) == (Changes(), ())


def test_another_sentence_begins_without_steps(trained, work):
    forced, _ = again(trained, work, forced=(7,))
    other, _ = again(trained, forced, shown=1, forced=())
    assert other.past == () and other.kept == {"sentence": 2, "forced": "", "off": ""}


def test_undo_and_the_best_are_addresses_of_the_same_sentence(trained, work):
    assert german(work)["undo"] == german(work)["best"] == ""
    other, _ = again(trained, work, shown=1)
    forced, _ = again(trained, other, forced=(7,))
    longer, _ = again(trained, forced, forced=(7, 9))
    assert german(longer)["undo"] == "tab=translate&sentence=2&forced=7&off="
    assert german(longer)["best"] == "tab=translate&sentence=2&forced=&off="


def test_an_address_does_what_a_visitor_did(trained, work):
    head = head_of(trained, 3)
    by_hand, _ = again(trained, again(trained, work, shown=1, forced=(7, 9))[0], off=(head,))
    there, _ = arrived(trained, work, *by_hand.kept.values())
    assert there.kept == by_hand.kept and there.now == by_hand.now


@pytest.mark.parametrize(
    "said", [(9, "", ""), (1, "4096", ""), (1, ".".join(["7"] * 101), ""), (1, "", "x-y:9:9")]
)
def test_what_an_address_says_wrongly_is_as_if_it_had_not_been_said(trained, work, said):
    there, _ = arrived(trained, work, *said)
    assert there.kept == Work().kept


def test_a_new_text_begins_without_what_was_done_to_the_last(trained, work, typed):
    forced, _ = again(trained, work, forced=(7,))
    other = typed(forced, *forced.kept.values(), "Hear me speak.")
    assert other.kept == Work().kept and other.sources == ("Hear me speak.",)


def test_what_an_address_sets_with_a_text_or_without_is_done(trained, work, typed):
    fresh = typed(Work(), 2, "7", "")
    assert fresh.forced == (7,) and fresh.shown == 1 and fresh.sources == work.sources
    forced, _ = again(trained, work, forced=(7,))
    off = head_key(head_of(trained, 2))
    there = typed(forced, 1, "7", off)
    assert there.past == (Changes(), Changes((7,))) and there.kept["off"] == off
    undone = typed(there, 1, "7", "")
    assert (undone.changes, undone.past) == (Changes((7,)), (Changes(),))
