"""What is kept of a visit: ids, settings and what is drawn, nothing that can be computed anew."""

import pytest
import torch
from tiny import tiny_translator
from torch.testing import assert_close
from visits import Visit, held

from transformer_core.model.trace import Site
from transformer_core.ui.tabs.translate.work import Changes, again, begin, looked_at

MOST = 500_000  # bytes: 200 characters of a story, each with what else could stand there, take half


def translate(visit):
    """Several sentences, another one of them, a forced beginning, a head that is off."""
    visit.enter("english", "Speak to all of them. You are resolved to die rather than to famish.")
    visit.values[visit.find("sentences")._id] = 1
    visit.do("sentences", "input")
    visit.do("tree", "force", path=[7, 8])
    visit.do("switches", "toggle", off=["decoder-cross:0:1"], press=1)
    visit.do("switches", "knock")


def classify(visit):
    """A review, and what each head is worth."""
    visit.enter("review", "Speak, you are all resolved rather to die than to famish.")
    visit.do("Layers", "select")
    visit.do("review-switches", "toggle", off=["encoder-self:0:1"], press=1)
    visit.do("review-switches", "knock")


def write(visit):
    """A text of two hundred characters, and a look at what it had in mind."""
    visit.enter("prompt", "All:\nSpeak")
    visit.values[visit.find("Length")._id] = 200
    visit.do("Write", "click")
    for have in (0, 100, 200):
        shown = visit.values[visit.find("story")._id]
        visit.do("story", "more", id=shown["id"], have=have, n=100)
    visit.do("story", "look", id=shown["id"], position=50)
    visit.do("Switch off", "select")
    visit.do("story-switches", "toggle", off=["decoder-self:0:1"], press=1)
    visit.do("story-switches", "knock")


def look_inside(visit):
    """A model is opened, and another part of it."""
    visit.enter("inside-text", "Speak to all of them.")
    visit.do("Look inside", "click")
    visit.do("inside-model", "pick", key="encoder:0:self:attention")


def ask_twins(visit):
    """One text through every variant of a study."""
    visit.do("Ablations", "select")
    visit.values[visit.find("A text for the twins, alike but for one part")._id] = "All:\nSpeak"
    visit.do("Ask every variant", "click")


@pytest.mark.parametrize("act", [translate, classify, write, look_inside, ask_twins])
def test_what_is_kept_of_a_visit_is_small_and_has_no_tensors(demo, models, act):
    visit = Visit(demo)
    act(visit)
    found = held(visit.states, models)
    assert visit.states and found.tensors == 0
    assert found.objects < MOST


def test_what_is_not_kept_of_a_translation_is_computed_anew():
    trained = tiny_translator()
    text, off = "Speak to all of them.", ((Site("decoder", 1, "cross"), 2),)
    for changes in (Changes(), Changes(forced=(7, 8)), Changes(off=off)):
        work, sentence = again(trained, begin(trained, text, 2, 1.0)[0], changes=changes)
        seen = looked_at(trained, work)
        assert [token.id for token in seen.tokens] == [token.id for token in work.now.tokens]
        assert seen.log_prob == pytest.approx(work.now.log_prob, abs=1e-4)
        for site in trained.model.sites:
            assert_close(seen.view(site).weights, sentence.view(site).weights)
        for site, mask in sentence.trace.head_mask.items():
            assert torch.equal(seen.trace.head_mask[site], mask)


def test_tensors_are_counted_once_with_all_that_they_hold():
    numbers = torch.zeros(1_000)
    assert held({"a": [numbers[:3], (numbers[3:],)]}).tensors == 4_000
    assert held({"a": numbers}, shared=[numbers]).tensors == 0
