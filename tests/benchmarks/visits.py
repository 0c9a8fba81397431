"""Memory that visits take, by what is kept, and the time to compute anew what is not kept.

Every visitor translates a sentence, has a review judged, has a story written and looks inside the
translator, each with a text of his own.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import gradio as gr
import torch

from tests.visits import Visit, held
from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.model.trace import Trace
from transformer_core.studies.records import read_study
from transformer_core.studies.twins import attention, twins
from transformer_core.tasks.translation import teacher_forced, translate_sentence
from transformer_core.ui.app import build_app

COLOURS = ("red", "blue", "green", "yellow", "black")
ANIMALS = ("horse", "dog", "camel", "bicycle")
KB = 1_000


def sentence(number: int) -> str:
    """One of a hundred sentences of some fifteen words."""
    animal = ANIMALS[number // 5 % 4]
    men = f"{number % 100 + 2} men in {COLOURS[number % 5]} shirts"
    return f"{men} are riding a {animal} along the beach at night."


def resident() -> int:
    """Bytes of this process that are in memory."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmRSS:")[1].split()[0])


def pay_visit(demo: gr.Blocks, number: int) -> Visit:
    """One visitor, who does something in each of four tabs."""
    visit = Visit(demo)
    visit.enter("english", sentence(number))
    visit.enter("review", f"Visitor {number} found the plot thin, but the actors are wonderful.")
    visit.enter("prompt", f"ROMEO:\nShe is the {COLOURS[number % 5]} sun")
    visit.do("Write", "click")
    story = visit.values[visit.find("story")._id]["id"]
    for have in (0, 100, 200, 300):
        visit.do("story", "more", id=story, have=have, n=100)
    visit.do("story", "look", id=story, position=None)
    visit.enter("inside-text", sentence(number))
    visit.do("Look inside", "click")
    visit.values.clear()  # they are in the browser
    return visit


def kilobytes(visits: list[Visit], models: Models) -> dict[str, tuple[float, float]]:
    """Of a visit on average: name -> kB of tensors, kB of other objects.

    The states one by one; then what gradio remembers of the page and of what is drawn there.
    """
    found, shared = {}, list(models.loaded.values())
    for number in sorted({number for visit in visits for number in visit.states}):
        values = [visit.states.get(number) for visit in visits]
        name = type(values[-1]).__module__.split(".ui.tabs.")[-1]
        if name != "builtins":
            found[f"{name}.{type(values[-1]).__name__}"] = held(values, shared)
    found["all states"] = held([visit.states for visit in visits], shared)
    found["the page"] = held([visit.session.config_values for visit in visits], shared)
    n = len(visits) * KB
    return {name: (each.tensors / n, each.objects / n) for name, each in found.items()}


def milliseconds(run: Callable[[], object], rounds: int = 9) -> float:
    """The median after a first round that warms up."""
    taken = []
    for _ in range(rounds + 1):
        started = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken[1:])


def recomputed(models: Models) -> dict[str, tuple[float, float]]:
    """What is computed anew -> ms that it takes, ms that it took to find it at first."""
    trained, text = models.translator, sentence(7)
    found = translate_sentence(trained, text)
    src, written = list(found.src_ids), [token.id for token in found.tokens]
    study = read_study(models.folder / "ablations" / "translation")
    asked = "Two young men are playing football in the park."
    all_twins = list(twins(models, study, asked))
    return {
        "a translation's attention, after its search": (
            milliseconds(lambda: teacher_forced(trained, text, src, written, Trace())),
            milliseconds(lambda: translate_sentence(trained, text)),
        ),
        f"the attention of {len(all_twins)} twins, after they were asked": (
            milliseconds(lambda: [attention(models, twin) for twin in all_twins]),
            milliseconds(lambda: list(twins(models, study, asked)), rounds=3),
        ),
    }


def main() -> None:
    """Print what is kept, and how long it takes to compute the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=100)
    flags = parser.parse_args()
    torch.set_num_threads(1)
    models = Models("checkpoints")
    demo = build_app(models, fit_on_cpu)
    pay_visit(demo, 0)  # loads the models
    before = resident()
    visits = [pay_visit(demo, number) for number in range(flags.visits)]
    each = (resident() - before) / len(visits) / KB
    print(f"{len(visits)} visits; the process grows by {each:,.0f} kB for each; of these")
    print(f"{'kB':42}{'tensors':>9}{'others':>9}")
    for name, (tensors, others) in kilobytes(visits, models).items():
        print(f"{name:42}{tensors:9,.0f}{others:9,.0f}")
    for name, (again, first) in recomputed(models).items():
        print(f"{name}: {again:.0f} ms of {first:.0f} ms, ratio {again / first:.2f}")


if __name__ == "__main__":
    main()
