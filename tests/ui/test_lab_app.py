"""The live lab behind its page: one training at a time, and nothing left of a visitor who goes."""

import inspect
import json
import re
import time
import uuid
import weakref
from contextlib import ExitStack
from itertools import islice

import gradio as gr
import httpx
import pytest
import torch
from gradio.blocks import convert_component_dict_to_list
from tiny import tiny_translator, write_tiny

from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.lab import training as training_of_the_lab
from transformer_core.lab.plans import Plan
from transformer_core.lab.toys import PASTED
from transformer_core.ui.app import LAUNCH, build_app
from transformer_core.ui.page import forget
from transformer_core.ui.tabs.lab import handlers
from transformer_core.ui.tabs.lab.settings import PAIRS, plan_of

SETTINGS = ["copy", 4, 3, "", 3_000, False]
MODEL = ["sinusoidal", "pre", 2, 1, 16, 16, 0.01, ["residual", "feed_forward", "causal_mask"]]

# one whose training lasts longer than a queue needs to tell of a new place, or a translation takes
LARGE = ["sinusoidal", "pre", 2, 4, 64, 64, 0.01, ["residual", "feed_forward", "causal_mask"]]


@pytest.fixture(scope="module")
def started():
    """Every training that the app starts, for as long as anybody holds it."""
    found = []

    class Watched(handlers.Training):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            found.append(weakref.ref(self))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(handlers, "Training", Watched)
        yield found


@pytest.fixture(scope="module")
def app(started, tmp_path_factory):
    torch.manual_seed(0)
    folder, tiny = tmp_path_factory.mktemp("checkpoints"), tiny_translator()
    write_tiny(folder / "translation", tiny)
    demo = build_app(Models(folder), fit_on_cpu)
    quiet = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_IS_E2E_TEST", "1")  # of who left all is kept a second, not an hour
        _, url, _ = demo.launch(**LAUNCH, **quiet)
        demo.address = url.rstrip("/") + "/gradio_api"
        yield demo
        demo.close()


def number_of(app, name: str) -> int:
    """Which of the app's events a handler of the lab is."""
    (number,) = (
        i
        for i, fn in app.fns.items()
        if fn.name == name and isinstance(getattr(fn.fn, "__self__", None), handlers.Lab)
    )
    return number


class Visitor:
    """A page of the app, as far as the server knows: a heartbeat, events, and their answers."""

    def __init__(self, app):
        self.app, self.session, self.messages = app, uuid.uuid4().hex, None
        self.stack = ExitStack()
        self.client = self.stack.enter_context(httpx.Client(timeout=60))
        address = f"{app.address}/heartbeat/{self.session}"
        self.stack.enter_context(self.client.stream("GET", address))

    def leave(self) -> None:
        """Close the page."""
        self.stack.close()

    def press(self, name: str, *data) -> str:
        """Trigger one of the events that train; its id."""
        body = {"data": data, "fn_index": number_of(self.app, name), "session_hash": self.session}
        return self.client.post(f"{self.app.address}/queue/join", json=body).json()["event_id"]

    def start(self, model=MODEL) -> str:
        return self.press("run", None, "CAB", *SETTINGS, *model, *model)

    def hears(self, kind: str) -> dict:
        """The next message of a kind; the first call opens the stream of all events."""
        if self.messages is None:
            address = f"{self.app.address}/queue/data?session_hash={self.session}"
            stream = self.stack.enter_context(self.client.stream("GET", address))
            lines = (line[6:] for line in stream.iter_lines() if line.startswith("data: "))
            self.messages = map(json.loads, lines)  # kept, for its end would close the stream
        return next(message for message in self.messages if message["msg"] == kind)


@pytest.fixture
def visit(app):
    """visit(): a new visitor, who leaves at the end of the test at the latest."""
    with ExitStack() as stack:

        def come() -> Visitor:
            visitor = Visitor(app)
            stack.callback(visitor.leave)
            return visitor

        yield come


def until(condition) -> None:
    """Wait for something to become true; a limit far off, since how long it takes says nothing."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < 60
        time.sleep(0.01)


def test_whoever_leaves_ends_the_training_and_leaves_nothing_behind(visit, app, started):
    visitor = visit()
    visitor.start(LARGE)
    for _ in range(3):
        assert visitor.hears("process_generating")["success"]
    training = started[-1]
    assert 0 < training().step < 3_000 and not training().ended
    kept = app.state_holder.session_data[visitor.session].state_data  # also of the other tabs
    assert training() in kept.values()
    visitor.leave()
    steps = [0]

    def over() -> bool:
        here = training()
        if here is not None:
            steps.append(here.step)
        return here is None or here.ended

    until(over)
    assert steps[-1] < 3_000  # it did not just come to its end
    until(lambda: training() is None and not any(kept.values()))


def test_what_a_visitor_has_outlives_a_broken_connection(visit, app, started, monkeypatch):
    monkeypatch.delenv("GRADIO_IS_E2E_TEST")  # then it is kept for an hour
    sweep, swept = app.state_holder.delete_all_expired_state, []

    def watched():
        begun = time.monotonic()
        sweep()
        swept.append(begun)

    monkeypatch.setattr(app.state_holder, "delete_all_expired_state", watched)
    visitor = visit()
    visitor.start()
    visitor.hears("process_generating")
    session = app.state_holder.session_data[visitor.session]
    visitor.leave()  # a phone that sleeps, as far as the server knows
    until(lambda: session.is_closed)
    left = time.monotonic()
    # gradio drops every second what has expired: what is kept a second would be dropped by now
    until(lambda: swept and swept[-1] > left + 2)
    assert started[-1]() in session.state_data.values() and not started[-1]().ended
    app.state_holder.delete_state(visitor.session)
    until(lambda: not any(ref() for ref in started))


def test_one_trains_the_others_are_told_their_place_and_may_leave(visit, app, started):
    first, second, third = visit(), visit(), visit()
    first.start(LARGE)
    first.hears("process_generating")
    event = second.start()
    assert second.hears("estimation")["rank"] == 0
    third.start()
    assert third.hears("estimation")["rank"] == 1
    until(lambda: sum(ref() is not None for ref in started) == 1)

    left = {"event_id": event, "fn_index": number_of(app, "run"), "session_hash": second.session}
    assert second.client.post(f"{app.address}/cancel", json=left).json() == {"success": True}
    until(lambda: third.hears("estimation")["rank"] == 0)
    first.leave()
    third.hears("process_generating")
    until(lambda: sum(ref() is not None for ref in started) == 1)
    third.leave()
    until(lambda: not any(ref() for ref in started))


def test_while_one_trains_another_is_answered(visit, app, started):
    visitor = visit()
    visitor.start(LARGE)
    visitor.hears("process_generating")
    call = f"{app.address}/call/translate"
    body = {"data": ["Speak to all of them.", 4]}
    event = httpx.post(call, json=body, timeout=60).json()["event_id"]
    assert "event: complete" in httpx.get(f"{call}/{event}", timeout=60).text
    training = started[-1]()
    step = training.step
    assert step < 3_000  # the answer has not waited for its end
    until(lambda: training.step > step)


def test_who_cannot_follow_is_sent_fewer_updates(visit, started):
    visitor = visit()
    visitor.start()
    visitor.hears("process_generating")
    training = started[-1]()
    before = training.pace
    visitor.press("lag", None)
    until(lambda: training.pace > before)


def test_the_usual_plan_is_what_the_page_offers(app):
    inputs = app.fns[number_of(app, "run")].inputs
    _, _, *values = (component.value for component in inputs)
    assert plan_of(*values) == Plan()


def test_pairs_that_are_not_learned_begin_no_new_training():
    plan = plan_of(*SETTINGS, *MODEL, *MODEL)
    task, length, letters, _, *rest = SETTINGS
    assert plan_of(task, length, letters, "a -> b", *rest, *MODEL, *MODEL) == plan
    own = (plan_of(PASTED, 4, 3, pairs, *rest, *MODEL, *MODEL) for pairs in ("a -> b", "a -> c"))
    assert len(set(own)) == 2


def handler(app, name: str):
    """One of the lab's event handlers; what it names by component comes in the outputs' order."""
    found = next(fn for fn in app.fns.values() if fn.name == name)

    def listed(answer):
        named = isinstance(answer, dict)
        return convert_component_dict_to_list(found.outputs, answer) if named else answer

    def handle(*asked):
        answer = found.fn(*asked)
        return (listed(one) for one in answer) if inspect.isgenerator(answer) else listed(answer)

    return handle


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"d_model": 33, "n_heads": 3}, "in pairs, not 33 .d_model is 33, 11 channels in each"),
        ({"positional_encoding": "rotary", "d_model": 33, "n_heads": 3}, "in pairs, not 11"),
        ({"n_heads": 5}, "not divisible by n_heads=5"),
    ],
)
def test_a_model_that_cannot_be_built_is_refused_where_it_would_be(app, changes, sentence):
    names = ("positional_encoding", "norm", "n_heads", "n_layers", "d_model")
    ours = [changes.get(name, value) for name, value in zip(names, MODEL, strict=False)]
    settings = *SETTINGS, *ours, *MODEL[len(ours) :], *MODEL
    assert re.search(sentence, handler(app, "show_code")("code", *settings)["refusal"])
    assert handler(app, "show_code")("race", *settings) == gr.skip()
    (begun,) = handler(app, "run")(None, "CAB", *settings)
    for _, said, stop, *views in (begun, handler(app, "one_step")(None, "CAB", *settings)):
        assert re.search(sentence, said.replace("\\", "")) and not stop.interactive
        assert all(value == gr.skip() for value in views)


def test_what_a_visitor_is_quoted_for_is_no_markdown(app):
    _, said, *_ = next(handler(app, "run")(None, "<[*`_", *SETTINGS, *MODEL, *MODEL))
    assert "\\<" in said and all(mark not in re.sub(r"\\.", "", said) for mark in "<>[]()*`_")


def test_an_input_of_ones_own_stays_until_another_task_or_size_is_chosen():
    *sliders, example, shown = handlers.new_task((), "copy", 4, 3, PAIRS)
    assert all(slider.interactive for slider in sliders) and set(example) <= set("ABC")
    left = handlers.new_task(shown, "copy", 4, 3, "a -> b")
    assert left == gr.skip()
    *_, other, shown = handlers.new_task(shown, "copy", 7, 12, PAIRS)
    assert len(other) > len(example)
    *sliders, _, own = handlers.new_task(shown, PASTED, 7, 3, PAIRS)
    assert not any(slider.interactive for slider in sliders)
    *_, first, _ = handlers.new_task(own, PASTED, 7, 3, "a -> b\nc -> d")
    assert first == "a"


def test_a_model_is_looked_at_before_anybody_trains_it(app, started):
    preview, earlier = handler(app, "preview"), len(started)
    curves, maps, output, *rival = preview(None, "CAB", *SETTINGS, *MODEL, *MODEL)
    assert curves["moments"] == [0] and "Press Start" in curves["hint"]
    assert [group["name"] for group in maps["groups"]] == ["cross", "encoder self", "decoder self"]
    assert maps["reads"] == ["C", "A", "B"] and output["written"]
    assert rival == [None, None]
    assert not any(ref() and not ref().ended for ref in started[earlier:])
    assert preview(None, "<b>", *SETTINGS, *MODEL, *MODEL)[1]["reads"]
    assert preview(None, "CAB", "fly", *SETTINGS[1:], *MODEL, *MODEL) == [None] * 5
    race = preview(None, "CAB", *SETTINGS[:-1], True, *MODEL, *MODEL)
    assert len(race[0]["series"]) == 2 and race[3]["groups"]


def test_an_untrained_model_reads_another_input_and_has_no_other_moment(app):
    decode = handler(app, "look_now")
    looked = decode(None, "ABC", *SETTINGS, *MODEL, *MODEL)
    assert looked[0]["hint"] and looked[1]["reads"] == ["A", "B", "C"]
    event = gr.EventData(None, {"step": 0})
    assert handler(app, "look_back")(None, "ABC", event) == gr.skip()


def test_an_input_that_cannot_be_read_takes_the_place_of_both_outputs_of_a_race(app):
    race = [*SETTINGS[:-1], True, *MODEL, *MODEL]
    training = handlers.Training(fit_on_cpu, plan_of(*race))
    training.advance()
    event = gr.EventData(None, {"step": None})
    for refused in (
        handler(app, "look_now")(None, "<b>", *race),
        handler(app, "look_now")(training, "<b>", *race),
        handler(app, "look_back")(training, "<b>", event),
    ):
        curves, maps, output, rival_maps, rival_output = refused
        assert curves == maps == rival_maps == gr.skip()
        assert "<" in output["refusal"] and output == rival_output
    forget(training)


def test_a_training_that_is_forgotten_while_one_looks_back_is_no_error(app, monkeypatch):
    training = handlers.Training(fit_on_cpu, plan_of(*SETTINGS, *MODEL, *MODEL))
    training.advance()
    checked = handlers.check_number

    def check_number(*asked):
        forget(training)  # as Reset does
        return checked(*asked)

    monkeypatch.setattr(handlers, "check_number", check_number)
    looked = handler(app, "look_back")(training, "CAB", gr.EventData(None, {"step": 0}))
    assert looked[1:] == [None] * 4


def test_what_is_decoded_while_it_learns_is_not_taken_back(app):
    running = handler(app, "run")(None, "CAB", *SETTINGS, *MODEL, *MODEL)
    training, *_ = next(running)
    read = [update[4]["reads"] for update in islice(running, 2)]
    looked = handler(app, "look_now")(training, "ABC")
    later = next(running)[4]["reads"]
    running.close()
    forget(training)
    assert read == [["C", "A", "B"]] * 2
    assert looked[1]["reads"] == later == ["A", "B", "C"]


def test_a_moment_that_is_held_is_looked_at_once_while_the_model_learns(app, monkeypatch):
    monkeypatch.setattr(training_of_the_lab, "PACE", 0)
    running = handler(app, "run")(None, "CAB", *SETTINGS, *MODEL, *MODEL)
    training, *_ = next(running)
    next(running)
    training.held = 0
    first, again = islice(running, 2)
    assert first[4] and again[4] == gr.skip() and again[3]["held"] == 0
    training.reads = "ABC"
    assert next(running)[4]["reads"] == ["A", "B", "C"]
    training.held = None
    assert [bool(update[4]["groups"]) for update in islice(running, 2)] == [True, True]


def test_a_training_that_is_on_show_stays_there_whatever_is_chosen(app):
    training = handlers.Training(fit_on_cpu, plan_of(*SETTINGS, *MODEL, *MODEL))
    training.advance()
    looks = handler(app, "preview")(training, "CAB", *SETTINGS, *MODEL, *MODEL)
    assert looks == gr.skip()
