"""What is shown of a look inside a model: the values of all its views."""

import time
from dataclasses import replace

from transformer_core.checkpoint import Trained
from transformer_core.inside import boxes
from transformer_core.inside.anatomy import Node
from transformer_core.inside.forward import Pass, Reading, read_ids, run
from transformer_core.inside.lens import agreement, guesses, logit_lens
from transformer_core.inside.stages import code, panels
from transformer_core.inside.which_line import line_that_made
from transformer_core.lab.training import Training
from transformer_core.model.models import EncoderClassifier
from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.tasks.requests import InputError
from transformer_core.ui.doors import LIVE_LAB, go_home, part_of, try_twins, watch_it_form
from transformer_core.ui.encodings import said_of
from transformer_core.ui.events import is_count
from transformer_core.ui.place import Place
from transformer_core.ui.tabs.inside.visit import LAB, Asked, Visit, first_choice, nodes_of
from transformer_core.ui.views.anatomy import anatomy_value
from transformer_core.ui.views.code import code_value
from transformer_core.ui.views.doors import doors_value
from transformer_core.ui.views.lens import lens_value
from transformer_core.ui.views.passage import passage_value
from transformer_core.ui.views.view import refused
from transformer_core.wording import amount, large

SEE = {
    "embedding": "A token is a row of a learned matrix. Equal tokens have equal rows here: nothing "
    "has told them apart yet.",
    "norm": "Every row is brought to mean 0 and variance 1 before each channel gets its learned "
    "gain and bias.",
    "attention": "From queries and keys to weights, and from weights to a mixture of values: the "
    "stages of one head, in order.",
    "feed-forward": "The same network at every token, which never looks at another one. In "
    "between, each unit answers to a pattern of its own.",
    "add": "Nothing is replaced: what a sublayer finds is added to what was there.",
    "final norm": "The last state is normalised once more before it is read.",
    "head": "The last state of each token, compared with what could be said.",
}
NO_TOKENS = (
    "A classifier predicts no tokens: what it would say after each layer stands in Sentiment, "
    "under Layers."
)


def overview(visit: Visit, nodes: dict[str, Node]) -> str:
    """The whole model in a sentence."""
    model = visit.trained.model
    read_by = " and ".join(
        f"{amount(length, 'token')} in the {stack}"
        for stack, length in visit.reading.lengths.items()
    )
    flops = sum(node.flops for node in nodes.values())
    tied = any(node.shared for node in nodes.values())
    return (
        f"{type(model).__name__}, {large(model.n_parameters)} parameters; for {read_by} it takes "
        f"{large(flops)} floating-point operations. The bar in a box is its share "
        f"of them{'; what is tied reuses the matrix of the first embedding' * tied}."
    )


def purpose(seen: Pass, node: Node) -> str:
    """What a part is there for."""
    if node.role == "head" and isinstance(seen.model, EncoderClassifier):
        return "The last state of [CLS], turned into a score for each class."
    if node.role == "positions":
        return said_of(seen.model.config.positional_encoding).inside
    return SEE[node.role]


def part_value(seen: Pass, visit: Visit, nodes: dict[str, Node], *, jump: bool = False) -> dict:
    """What passage.js and stages.js draw of the part that is open; jump brings it into sight, each
    time anew."""
    first, *_, last = nodes
    node = nodes[visit.key]
    config = seen.model.config
    heads = config.n_heads if node.role == "attention" else 0
    where = f"{node.stack}, layer {node.site.layer + 1}" if node.site else node.stack
    heading = f"{where}: {boxes.title(node, config)}"
    if heads:
        heading += f", head {visit.head + 1} of {heads}"
    found = panels(seen, node, visit.head)
    lines = [line_that_made(seen, node, panel.title) if panel.made else None for panel in found]
    see, head = purpose(seen, node), visit.head
    return passage_value(
        found,
        lines,
        heading,
        see,
        node.key,
        heads=heads,
        head=head,
        first=node.key == first,
        last=node.key == last,
        jump=time.monotonic() if jump else None,
    )


def lines_of(visit: Visit) -> dict:
    """The code of the part that is open."""
    node = nodes_of(visit.trained, visit.reading)[visit.key]
    title = boxes.title(node, visit.trained.model.config).capitalize()
    return code_value([replace(code(run(visit.trained, visit.reading), node), title=title)])


def through_the_lens(visit: Visit) -> dict:
    """The logit lens of a model that predicts tokens; of another one, why there is none."""
    if isinstance(visit.trained.model, EncoderClassifier):
        return refused(NO_TOKENS)
    seen = run(visit.trained, visit.reading)
    lens = logit_lens(seen)
    read = "final norm and output head" if seen.model.config.norm == "pre" else "output head"
    summary = (
        f"Each column: what the model would say if it stopped there and its {read} read the stream "
        "as it is; the last is its own answer, and what agrees is underlined. Point at a cell for "
        "its five best."
    )
    return lens_value(guesses(seen, lens), agreement(lens).tolist(), summary)


def open_model(trained: Trained, reading: Reading, asked: Asked, said: str = "") -> tuple:
    """Open a model: the visit, its drawing, the part that is open, and which of its numbers is
    open: none.

    A part or a head that the model does not have is ignored.
    """
    nodes = nodes_of(trained, reading)
    if asked.part not in nodes or asked.head > trained.model.config.n_heads:
        asked = Asked(asked.name, asked.text, asked.written)
    visit = Visit(trained, reading, asked, asked.part or first_choice(nodes), asked.head - 1)
    seen = run(trained, reading)
    stacks = boxes.drawn_stacks(seen, list(nodes.values()))
    return (
        visit,
        anatomy_value(stacks, visit.key, said + overview(visit, nodes)),
        part_value(seen, visit, nodes),
        closed(visit),
    )


def look_at_learner(asked: Asked, training: Training | None) -> tuple:
    """The same for a model of the live lab, as it is at the moment that its visitor looks at."""
    number = list(LAB).index(asked.name)
    if training is None or number >= len(training.learners):
        raise InputError(LAB[asked.name])
    text = training.check(asked.text)
    step, trained = training.snapshot(training.learners[number])
    if training.taught(trained, text) is None:
        raise InputError("This model's numbers have grown beyond what can be computed.")
    said = f"{training.names[number]} of your Live lab, at step {step:,}. "
    reading = read_ids(trained, training.ids(text), at_least=training.toy.room)
    return open_model(trained, reading, asked, said)


def open_node(visit: Visit | None, *, jump: bool, **changes) -> tuple:
    """Another part or head of the model that is open: the visit, the part, and which of its numbers
    is open: none."""
    if visit is None:
        raise InputError("There is nothing open yet: press Look inside first.")
    visit = replace(visit, **changes)
    nodes = nodes_of(visit.trained, visit.reading)
    if not isinstance(visit.key, str) or visit.key not in nodes:
        raise InputError("The model has no such part.")
    heads = visit.trained.model.config.n_heads
    if not is_count(visit.head, heads - 1):
        raise InputError(f"The model has heads 1 to {heads} and no other.")
    visit = replace(visit, asked=visit.asked._replace(part=visit.key, head=visit.head + 1))
    seen = run(visit.trained, visit.reading)
    return visit, part_value(seen, visit, nodes, jump=jump), closed(visit, pressed=True)


def closed(visit: Visit | None, *, pressed: bool = False) -> dict | None:
    """What the view of one number is given where none is open; pressed: its part or head was."""
    if visit is None:
        return None
    return {"part": visit.key, "of": [visit.asked.name, visit.asked.text], "pressed": pressed}


def doors_of(models: Models, asked: Asked, sites: list[Site]) -> dict:
    """Where a text can be taken from here, with the head that is open if somebody chose it.

    sites are those of the model.
    """
    site = next((one for one in sites if part_of(one) == asked.part), None)
    doors = [(f"Open in {LIVE_LAB}", Place("lab"))] if asked.name in LAB else []
    if asked.name not in LAB and (asked.text or "").strip():  # an empty text would replace another
        doors += go_home(asked.name, asked.text, sites, site, asked.head)
        doors += try_twins(models, asked.name, asked.text, asked.part, asked.head)
    if asked.name == "translation":
        doors.append(watch_it_form())
    return doors_value(doors, asked.kept)
