"""Calls of endpoints by name, as programs make them: what fits no endpoint is refused.

Gradio itself would fail on it, with a traceback in the log and an answer that says nothing.
"""

import inspect
import json
import re
from collections.abc import Callable

from gradio import Blocks
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CALL = re.compile(r"/gradio_api/call/(?P<named>v2/)?(?P<name>[^/]+)/?")
NOT_PARAMETERS = {"oauth_token"}  # gradio takes it out of the named arguments


class CheckCalls:
    """ASGI middleware: 404 for a name of no public endpoint, 422 for arguments that do not fit."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        call = CALL.fullmatch(scope["path"]) if is_post else None
        if call is None:
            await self.app(scope, receive, send)
            return
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        answer = refusal(scope["app"].get_blocks(), call["name"], body, named=bool(call["named"]))
        await (answer or self.app)(scope, replayed(body, receive), send)


def replayed(body: bytes, receive: Receive) -> Receive:
    """A receive that first repeats a body already read, then passes on whatever else arrives."""
    messages = iter([{"type": "http.request", "body": body}])

    async def receive_again() -> Message:
        return next(messages, None) or await receive()

    return receive_again


def refusal(blocks: Blocks, name: str, body: bytes, *, named: bool) -> JSONResponse | None:
    """What to answer instead of making the call; None if it can be made."""
    function = public_function(blocks, name)
    if function is None:
        return JSONResponse({"detail": f"There is no endpoint {name!r}."}, 404)
    problems = misfits(function, body, named=named)
    return JSONResponse({"detail": problems}, 422) if problems else None


def public_function(blocks: Blocks, name: str) -> Callable | None:
    """The function of an endpoint; those that only the page calls have no name here."""
    public = (fn for fn in blocks.fns.values() if fn.api_visibility == "public")
    return next((fn.fn for fn in public if fn.api_name == name), None)


def misfits(function: Callable, body: bytes, *, named: bool) -> list[dict]:
    """One entry, in FastAPI's format, for each argument that is missing or that no parameter takes.

    named: the body is an object of arguments; else it holds a list of them, and no default applies.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        return []  # FastAPI says what is wrong with it
    parameters = inspect.signature(function).parameters
    if named and isinstance(given, dict):
        required = [key for key, p in parameters.items() if p.default is p.empty]
        missing = [key for key in required if key not in given]
        foreign = sorted(given.keys() - parameters.keys() - NOT_PARAMETERS)
        place = ["body"]
    elif isinstance(given, dict) and isinstance(given.get("data"), list):
        n_given = len(given["data"])
        missing = list(parameters)[n_given:]
        foreign = list(range(len(parameters), n_given))
        place = ["body", "data"]
    else:
        return []  # again
    takes = "Its arguments are " + ", ".join(parameters) + "."
    return [
        *[entry("missing", [*place, key], f"{key} is missing. {takes}") for key in missing],
        *[entry("extra_forbidden", [*place, key], takes) for key in foreign],
    ]


def entry(kind: str, place: list, message: str) -> dict:
    """What FastAPI says of one mistake."""
    return {"type": kind, "loc": place, "msg": message}
