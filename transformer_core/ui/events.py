"""What every event handler shares: how errors reach the visitor and how work is queued."""

import functools
import html
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeGuard, TypeVar

import gradio as gr
from gradio.events import Dependency, EventListenerMethod, set_cancel_events

from transformer_core.checkpoint import CheckpointError
from transformer_core.tasks.requests import InputError

# at most so many visitors compute at once, over all events: more would only slow each other down
QUEUED: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
MODEL: dict[str, Any] = {**QUEUED, **PRIVATE}
HIDDEN: dict[str, Any] = {"show_progress": "hidden", **PRIVATE}  # shows no sign of waiting
LATEST: dict[str, Any] = {"trigger_mode": "always_last", **HIDDEN}  # answers the last of several
QUIET: dict[str, Any] = {**LATEST, **QUEUED}
SECONDS_PER_UPDATE = 0.1  # of a stream
BUSY = "() => ({__type__: 'update', interactive: true})"
IDLE = "() => ({__type__: 'update', interactive: false})"

# what a listener of gradio's does with one value: views/place.js hears it
TELL = "(value) => { document.dispatchEvent(new CustomEvent('place:%s', { detail: %s })); }"

# finishes once no place is being entered: entering one changes several components in one answer,
# but the page applies the changes one by one, and fires each one's event before the next
ENTERED = """() => new Promise((done) => {
    const ready = () => done([]);
    document.dispatchEvent(new CustomEvent('place:wait', { detail: ready }));
})"""

T = TypeVar("T")
Values = dict[Any, Any]  # of the components that a handler answers with


def after_any(
    triggers: Sequence,
    handler: Callable,
    inputs: Any,
    outputs: Any,
    *,
    js: str = "() => {}",
    **how: Any,
) -> Dependency:
    """Wire one of several handlers of the same triggers; only the newest state needs an answer.

    js is for what the browser waits, such as ENTERED, before the handler is called.

    While a handler is busy, gradio's page queues its trigger and then reruns every handler of that
    trigger: two handlers that share one would restart each other for ever. So each handler follows
    an event of its own, which happens in the browser alone.
    """
    happened = gr.on(triggers, None, None, None, js=js, **PRIVATE)
    return happened.then(handler, inputs, outputs, **{"trigger_mode": "always_last", **how})


def ended_by(triggers: Sequence, running: Sequence[Dependency]) -> None:
    """Let triggers end events that are running, and do nothing else.

    Wire it before what the triggers ask: gradio's page calls the listeners of one event one after
    the other, and waits for each answer. A listener with cancels= would be two, one of them empty.
    """
    methods = [EventListenerMethod(one.__self__, one.event_name) for one in triggers]
    set_cancel_events(methods, list(running))


def paced(
    items: Iterable[T], seconds: Callable[[], float] = lambda: SECONDS_PER_UPDATE
) -> Iterator[T]:
    """Let through what a reader can follow, and always the last: every update costs the server.

    seconds: from one to the next, which may change on the way.
    """
    shown, pending = time.monotonic(), False
    for item in items:
        pending = time.monotonic() - shown < seconds()
        if not pending:
            yield item
            shown = time.monotonic()
    if pending:
        yield item


def answers_errors(handler: Callable) -> Callable:
    """Show a visitor's mistake as a sentence. Anything else is a bug, and is not hidden here."""
    if inspect.isgeneratorfunction(handler):

        @functools.wraps(handler)
        def wrapped(*arguments, **named):
            with sentences():
                yield from handler(*arguments, **named)
    else:

        @functools.wraps(handler)
        def wrapped(*arguments, **named):
            with sentences():
                return handler(*arguments, **named)

    return wrapped


def answering(event: gr.EventData, value: dict) -> dict:
    """A view's value as the answer to one of several presses: see `numbered` in shared.js."""
    return {**value, "press": event.press}


def is_count(sent: object, most: int) -> TypeGuard[int]:
    """Whether a view sent a whole number from 0 to most; it comes from the visitor's browser."""
    return isinstance(sent, int) and not isinstance(sent, bool) and 0 <= sent <= most


@contextmanager
def sentences() -> Iterator[None]:
    """Turn InputError and CheckpointError into gradio's error message."""
    try:
        yield
    except (InputError, CheckpointError) as error:
        # the message may quote the visitor, and gradio renders it as HTML
        raise gr.Error(html.escape(str(error)), print_exception=False) from error


def stoppable(stop: gr.Button, triggers: list, running, ends: Sequence = ()) -> None:
    """A button that ends an event and can be pressed only while the event runs.

    running follows an event of the page alone, as with `after_any`: of one press the page calls a
    listener only when the one before has ended, and this one would come with the end of the work.
    The triggers in ends end it, too.
    """
    # at once and in the page: an answer of the server could come after that of a short event
    gr.on(triggers, None, None, stop, js=BUSY, **PRIVATE)
    at_rest: dict[str, Any] = {
        "fn": lambda: gr.Button(interactive=False),
        "outputs": stop,
        **HIDDEN,
    }
    running.then(**at_rest)
    running.failure(**at_rest)  # what was refused has ended as well
    stop.click(cancels=running, **at_rest)
    for end in ends:
        end(None, None, stop, js=IDLE, cancels=running, **PRIVATE)
