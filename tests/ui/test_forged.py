"""What a page sends is not believed: whatever it is, the answer is an answer or a sentence."""

import gradio as gr
import pytest
from visits import Visit

from transformer_core.ui.tabs.generate.desk import Desk

FORGED = [None, True, "1", "<b>", -1, 10**6, 1.5, [], [[]], ["x", None], {}, {"0": 1}]
HEADS = {"off": ["decoder-self:0:1"], "press": 1}
CELL = {"part": "decoder:0:self:attention", "cell": ["softmax", 0, 0, 0], "press": 1}
# the events of the views that carry something, as their scripts tell them
PRESSES = {
    ("german", "branch"): {"position": 0, "token": 7},
    ("translate-flow", "force"): {"position": 0, "token": 7},
    ("tree", "force"): {"path": [7, 8]},
    ("switches", "toggle"): HEADS,
    ("sentiment-flow", "attend"): {"places": [0, 2]},
    ("words", "edit"): {"edits": {"0": None}, "press": 1},
    ("words", "suggest"): {"word": 0, "press": 1},
    ("review-switches", "toggle"): HEADS,
    ("errors", "press"): {"row": 0},
    ("story", "more"): {"id": "", "have": 0, "n": 10},
    ("story", "stop"): {"id": "", "shown": 1},
    ("story", "look"): {"id": "", "position": 1},
    ("next", "branch"): {"id": "", "position": 1, "token": 7},
    ("garden", "take"): {"id": "", "position": 1, "ids": [7]},
    ("garden", "warm"): {"temperature": 1.0, "press": 1},
    ("story-switches", "toggle"): HEADS,
    ("inside-model", "pick"): {"key": "decoder:0:self:attention"},
    ("inside-part", "switch"): {"head": 1},
    ("inside-stages", "switch"): {"head": 1},
    ("inside-part", "unfold"): CELL,
    ("inside-stages", "unfold"): CELL,
    ("inside-number", "unfold"): CELL,
    ("lab-curves", "scrub"): {"step": 0},
    ("orders", "order"): {"order": [1, 0, 2, 3, 4], "press": 1},
    ("orders", "answers"): {"order": [1, 0, 2, 3, 4], "press": 1},
    ("longer", "read"): {"n": 10, "press": 1},
    ("distance", "meet"): {"query": 1, "key": 0, "head": 0, "press": 1},
    ("place", "visit"): {
        "query": "?tab=generate",
        "tab": "translate",
        "new": False,
        "first": False,
    },
    ("place", "look"): {"tab": "sentiment"},
}


# what may be anything: it is handed back, or compared with what there is and passed over
UNCHECKED = {"press", "id", "part", "off", "places", "edits", "have"}
UNCHECKED_OF_PLACES = {"query", "tab", "new", "first"}


@pytest.fixture
def visit(demo):
    """A visitor who has something in front of him in every tab."""
    visit = Visit(demo)
    visit.enter("english", "Speak to all of them.")
    visit.enter("review", "Speak, you are all resolved rather to die than to famish.")
    visit.enter("prompt", "All:\nSpeak")
    visit.do("Write", "click")
    visit.do("story", "more", id=story(visit)["id"], have=0, n=60)
    visit.enter("inside-text", "Speak to all of them.")
    visit.do("Look inside", "click")
    visit.do("inside-model", "pick", key="decoder:0:self:attention")
    visit.do("Step", "click")  # a training, whose moments can be gone back to
    visit.enter("longer-text", "Speak to all of them.")
    return visit


def story(visit) -> dict:
    return visit.values[visit.find("story")._id]


def sent(visit, press) -> dict:
    """What a page would send: of the text that is there by now, of whose characters some are no
    alternatives to others."""
    data = dict(PRESSES[press])
    if "id" in data:
        data["id"] = story(visit)["id"]
    if press == ("next", "branch"):
        (desk,) = (state for state in visit.states.values() if isinstance(state, Desk))
        ((token, *_), *_) = desk.story.branch.tokens[data["position"]].alternatives
        data["token"] = token
    return data


def test_every_event_that_carries_something_is_tried(demo):
    carrying = set()
    for one in demo.fns.values():
        handler = getattr(one.fn, "func", one.fn)  # of a partial
        if gr.EventData in getattr(handler, "__annotations__", {}).values():
            carrying |= {(demo.blocks[block].elem_id, event) for block, event in one.targets}
    assert carrying == {*PRESSES, (None, "select")}, "which section is open: see test_followers"


@pytest.mark.parametrize(
    ("press", "field"), [(press, field) for press, fields in PRESSES.items() for field in fields]
)
def test_a_forged_press_is_answered_or_refused_in_a_sentence(visit, press, field):
    refused = 0
    visit.do(*press, **sent(visit, press))  # answered, so that nothing else refuses what is forged
    for forged in FORGED:
        try:
            visit.do(*press, **{**sent(visit, press), field: forged})
        except gr.Error as error:
            assert str(error), forged
            refused += 1
    # else it might not be read at all
    unchecked = UNCHECKED | UNCHECKED_OF_PLACES if press[0] == "place" else UNCHECKED
    assert refused or field in unchecked, "whatever is sent is believed"
