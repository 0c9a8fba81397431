"""Visits to the app without a page or a server, and how much is kept of each."""

import asyncio
import functools
import gc
import sys
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import gradio as gr
from gradio.blocks import BlockFunction
from gradio.state_holder import SessionState
from torch import Tensor

# what all visits share: code, and the components of the page
CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, gr.blocks.Block)


class Visit:
    """One visitor: what stands on his page, and what the server keeps of him.

    A component is named by its element id, its label or, of a button, its words.
    """

    def __init__(self, demo: gr.Blocks) -> None:
        self.demo, self.session = demo, SessionState(demo)
        self.values = {number: getattr(b, "value", None) for number, b in demo.blocks.items()}

    @property
    def states(self) -> dict[int, object]:
        """The value of every gr.State that has one, by its number."""
        return self.session.state_data

    def find(self, name: str) -> gr.blocks.Block:
        """The first component of this name."""
        blocks = self.demo.blocks.values()
        return next(b for b in blocks if name in (b.elem_id, *said_by(b)))

    def enter(self, name: str, text: object) -> None:
        """A text is typed, a number is chosen."""
        self.values[self.find(name)._id] = text
        self.do(name, "change")

    def do(self, name: str, event: str, **data: object) -> None:
        """The server answers an event of a component."""
        one = self.find(name)
        if isinstance(one, gr.Tab):
            data["index"] = one.parent.children.index(one)
        self.answer(one._id, event, gr.EventData(one, data))

    def answer(self, number: int, event: str, data: gr.EventData | None = None) -> None:
        """All that follows from an event."""
        for function in self.demo.fns.values():
            if (number, event) in function.targets:
                self.run(function, data)

    def run(self, function: BlockFunction, data: gr.EventData | None = None) -> None:
        """One handler, then what comes after it and what follows from states that it changed."""
        changed = asyncio.run(self.call(function, data)) if function.fn else set()
        for other in self.demo.fns.values():
            if other.trigger_after == function._id and not other.trigger_only_on_failure:
                self.run(other, data)
        for number in changed:
            self.answer(number, "change")

    async def call(self, function: BlockFunction, data: gr.EventData | None) -> set[int]:
        """Every answer of one handler -> the numbers of the states that it changed."""
        given = [self.values[block._id] for block in function.inputs]
        ask = functools.partial(self.demo.process_api, function, given, self.session)
        answer = await ask(event_data=data)
        changed = set(answer["changed_state_ids"])
        self.take(function, answer["data"])
        while answer["is_generating"]:
            answer = await ask(event_data=data, iterator=answer["iterator"])
            changed |= set(answer["changed_state_ids"])
            if answer["is_generating"]:  # else it only says that there is no more
                self.take(function, answer["data"])
        return changed

    def take(self, function: BlockFunction, answer: list) -> None:
        """The values of an answer reach the page."""
        for block, value in zip(function.outputs, answer, strict=True):
            if not isinstance(value, dict) or value.get("__type__") != "update":
                self.values[block._id] = value
            elif "value" in value:
                self.values[block._id] = value["value"]


def said_by(block: gr.blocks.Block) -> list[str]:
    """The words by which a visitor knows a component."""
    words = (getattr(block, "label", None), isinstance(block, gr.Button) and block.value)
    return [word for word in words if isinstance(word, str)]


@dataclass
class Held:
    """Bytes in memory, every object counted once."""

    tensors: int = 0
    objects: int = 0

    @property
    def all(self) -> int:
        """Of tensors and of everything else."""
        return self.tensors + self.objects


def held(values: object, shared: object = None) -> Held:
    """What is reachable from some values, and not from what is shared with others."""
    seen: set[int] = set()
    reach(shared, seen)
    return reach(values, seen)


def reach(values: object, seen: set[int]) -> Held:
    """What is reachable and was not seen before; afterwards it was."""
    found, waiting = Held(), [values]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, CODE):
            continue
        seen.add(id(one))
        found.objects += sys.getsizeof(one)
        waiting += gc.get_referents(one)
        if isinstance(one, Tensor) and one.untyped_storage().data_ptr() not in seen:
            seen.add(one.untyped_storage().data_ptr())
            found.tensors += one.untyped_storage().nbytes()
    return found
