"""Remove one part of a Transformer, train what is left, and see what that part was for.

Every variant is trained with several seeds, and every number here is computed from the files that
the training wrote; the variants themselves can be tried on your own text. The models are small
enough for minutes on one core: the sizes of the student reports need a GPU
(`python -m train.ablations … --preset gpu`).
"""

import functools
import html
from collections.abc import Iterator
from pathlib import Path

import gradio as gr

from transformer_core.model.trace import Site
from transformer_core.studies.findings import seeds_of, size, verdict
from transformer_core.studies.records import AXES, Study, learning_lines, position_lines, read_study
from transformer_core.studies.statistics import (
    PUBLISHED,
    TEST,
    Comparison,
    compare,
    difference,
    lower_is_better,
)
from transformer_core.studies.twins import Twin, sites_of, twins
from transformer_core.tasks.requests import InputError
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.page import Page
from transformer_core.ui.slider import Slider
from transformer_core.ui.views.plot import plot_view
from transformer_core.ui.views.table import results_value, rows_value, table_view
from transformer_core.ui.views.twins import twins_value, twins_view

TITLE = "Ablations"
NOTHING = (
    "There is no ablation study yet: `python -m train.ablations copy_task` trains one, and "
    "`--help` names the others."
)
TEXTS = {
    "translation": "Two young men are playing football in the park.",
    "shakespeare": "ROMEO:\nBut soft, what light",
    "sentiment": "A wonderful cast, but the story is dull and far too long.",
    "copy_task": "ADAPTATIONSPOSSIBLE",
}
SEE = {
    "curves": "**What to see.** A thick line is the mean over seeds, its band one standard "
    "deviation, the faint lines single seeds. Where two bands keep apart, their order is hardly an "
    "accident; the test is under Results. Press a name to see it alone, again to see all; point "
    "at the figure to compare all at one place. Targets are what has a loss: characters, pieces, "
    "letters or reviews. The training's loss contains dropout and label smoothing. The axis leaves "
    "out the first twentieth, when losses are high; press twice on the figure to see all.",
    "longer": "**What to see.** Every model was trained on texts up to the dashed line and reads "
    "on beyond it. Where a curve climbs, its positions mean nothing to the model there. Learned "
    "positions end at the line: there is no vector for what lies beyond.",
}


def build(page: Page) -> None:
    """Lay out the tab and wire it; nothing is drawn before it is opened."""
    models = page.models
    folder = models.folder / "ablations"
    names = [path.parent.name for path in sorted(folder.glob("*/study.json"))]
    if not names:
        gr.Markdown(NOTHING)
        return

    @functools.lru_cache(maxsize=16)
    def unchanged(name: str, stamp: tuple) -> Study:
        return read_study(folder / name)

    def study_of(name: str) -> Study:
        """A study as its files are now; they are read anew only if one of them changed."""
        if name not in names:
            raise InputError(f"There is no study {name!r}.")
        return unchanged(name, stamp_of(folder / name))

    with gr.Row():
        study = gr.Radio([(n.replace("_", " "), n) for n in names], value=names[0], label="Study")
        metric = gr.Dropdown([], label="Measured", min_width=160)
        baseline = gr.Dropdown([], label="Baseline", min_width=160)
    problems = gr.Markdown(elem_id="ablation-problems")
    with gr.Tabs():
        with gr.Tab("Curves"):
            with gr.Row():
                split = gr.Radio(["validation", "train"], value="validation", label="Data")
                axis = gr.Radio(AXES, value="steps", label="Over")
                logs = gr.CheckboxGroup(["x", "y"], label="Logarithmic")
                weight = Slider(0, 0.95, 0, step=0.05, label="Smoothing")
            curves = plot_view("Learning curves", SEE["curves"], "ablation-curves")
        with gr.Tab("Results"):
            results = table_view("Where they end", ("csv", "tex"), elem_id="ablation-results")
            verdicts = gr.Markdown(elem_id="ablation-verdicts")
        with gr.Tab("Differences"):
            with gr.Row():
                one = gr.Dropdown([], label="This", min_width=160)
                other = gr.Dropdown([], label="And that", min_width=160)
            differences = table_view("How they were configured", elem_id="ablation-differences")
        with gr.Tab("Longer texts", visible=False) as longer_tab:
            longer = plot_view("Longer texts than any seen", SEE["longer"], "ablation-longer")
        with gr.Tab("Twins"):
            text = gr.Textbox(label="One text for all of them", lines=2, max_lines=4)
            with gr.Row():
                ask = gr.Button("Ask every variant", variant="primary", min_width=140)
                stop = gr.Button("Stop", min_width=70)
                site = gr.Dropdown([], label="Attention of", scale=3, min_width=260)
                head = gr.Dropdown([], label="Head", min_width=90)
            found = gr.State([], time_to_live=3600)
            cards = twins_view("What each makes of it", elem_id="ablation-twins")

    @answers_errors
    def choose(name, *settings):
        chosen = study_of(name)
        variants = [(variant.title, key) for key, variant in chosen.variants.items()]
        first = variants[0][1] if variants else None
        second = variants[1][1] if len(variants) > 1 else first
        sites = [str(site) for site in sites_of(chosen)]
        metric = next(iter(chosen.metrics), None)
        return (
            # in the same answer as all that is chosen with it: whoever opens a study wants to see
            draw_curves(name, metric, *settings) if metric else None,
            told(chosen),
            gr.Dropdown(
                [(known.replace("_", " "), known) for known in chosen.metrics], value=metric
            ),
            gr.Dropdown(variants, value=first),
            gr.Dropdown(variants, value=first),
            gr.Dropdown(variants, value=second),
            TEXTS.get(name, ""),
            gr.Dropdown(
                sites, value=next((s for s in sites if "cross" in s), *sites[:1] or [None])
            ),
            gr.Dropdown(heads_of(chosen), value=1),
            gr.Tab(visible=bool(position_lines(chosen))),
            [],
            None,
        )

    @answers_errors
    def arrive(name, metric, *settings):
        if metric is None:  # the first visit
            return choose(name, *settings)
        now = draw_curves(name, metric, *settings), told(study_of(name))
        return *now, *[gr.skip()] * (len(arranged) - 2)

    @answers_errors
    def draw_curves(name, metric, split, axis, logs, weight):
        from transformer_core.ui.figures.curves import curves

        chosen = study_of(name)
        measured = metric if (split != "train" or metric == "loss") else "loss"
        log_x, log_y = "x" in logs, "y" in logs
        lines = learning_lines(chosen, split, measured, axis, weight, log_x=log_x, log_y=log_y)
        x = f"targets ({chosen.unit})" if axis == "targets" else axis
        y = f"{split} {measured}".replace("_", " ")
        if measured == "loss":
            y += f", nats per {chosen.unit.removesuffix('s')}"
        return curves(lines, x, y, log_x=log_x, log_y=log_y)

    @answers_errors
    def draw_results(name, metric, baseline):
        chosen = study_of(name)
        check(chosen, metric, baseline)
        compared = compare(chosen, metric, baseline)
        direction = "lower" if lower_is_better(metric) else "higher"
        summary = (
            f"Validation {metric.replace('_', ' ')} at the end of the same number of steps, mean ± "
            f"standard deviation over {seeds_of(compared)}; {direction} is better. {TEST}"
        )
        return results_value(compared, metric, baseline, summary), spoken(
            chosen, metric, compared, baseline
        )

    @answers_errors
    def draw_differences(name, one, other):
        chosen = study_of(name)
        pair = [chosen.variants.get(key) for key in (one, other)]
        if None in pair:
            raise InputError("Choose two variants of the study.")
        rows = difference(*pair)
        summary = "Everything in which the two differ." if rows else "They do not differ."
        head = ["", *(variant.title for variant in pair)]
        return rows_value([head, *map(list, rows)], "difference", summary)

    @answers_errors
    def draw_longer(name):
        from transformer_core.ui.figures.curves import longer_texts

        chosen = study_of(name)
        lines = position_lines(chosen)
        trained = chosen.variants[chosen.names[0]].record["model"]["max_len"] if lines else 0
        return longer_texts(lines, trained) if lines else None

    @answers_errors
    def run_twins(name, text, site, head) -> Iterator[tuple]:
        done: list[Twin] = []
        for twin in twins(models, study_of(name), text):
            done = [*done, twin]
            yield done, show_twins(name, done, site, head)
        if not done:
            raise InputError("No variant of this study has weights yet.")

    def show_twins(name, done, site, head):
        sites = {str(known): known for known in sites_of(study_of(name))}
        chosen: Site | None = sites.get(site)
        summary = f"{len(done)} variants have read the text" + (
            f"; below each of them {chosen}, head {head}." if chosen else "."
        )
        return twins_value(done, chosen, int(head or 1) - 1, summary) if done else None

    drawing = {"trigger_mode": "always_last", "show_progress": "hidden", **QUEUED, **PRIVATE}
    choices = [problems, metric, baseline, one, other, text, site, head, longer_tab, found, cards]
    arranged, settings = [curves, *choices], [split, axis, logs, weight]
    sections = [
        (draw_results, [study, metric, baseline], [results, verdicts]),
        (draw_differences, [study, one, other], [differences]),
    ]
    for event in (
        page.opened.select(arrive, [study, metric, *settings], arranged, **drawing),
        study.input(choose, [study, *settings], arranged, **drawing),
    ):
        for draw, inputs, outputs in [*sections, (draw_longer, [study], [longer])]:
            event.success(draw, inputs, outputs, **drawing)
    sections.append((draw_curves, [study, metric, *settings], [curves]))
    for draw, inputs, outputs in sections:
        gr.on([box.input for box in inputs[1:]], draw, inputs, outputs, **drawing)
    asking = gr.on(
        [ask.click, text.submit],
        run_twins,
        [study, text, site, head],
        [found, cards],
        **QUEUED,
        **PRIVATE,
    )
    gr.on([stop.click, study.input], None, cancels=[asking], **PRIVATE)
    gr.on(
        [site.input, head.input],
        answers_errors(show_twins),
        [study, found, site, head],
        cards,
        **drawing,
    )


def stamp_of(folder: Path) -> tuple:
    """What changes when a file of a study does."""
    files = [folder / "study.json", *folder.glob("*/*.json"), *folder.glob("*/*.csv")]
    return tuple(
        (str(path), path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted(files)
        if path.exists()
    )


def told(study: Study) -> str:
    """What is missing or broken, as markdown."""
    return "\n".join(f"- {html.escape(sentence)}" for sentence in study.problems)


def heads_of(study: Study) -> list[int]:
    """Numbers of the whole model's heads, from 1."""
    whole = study.variants.get(study.names[0]) if study.names else None
    return list(range(1, whole.record["model"]["n_heads"] + 1)) if whole else [1]


def check(study: Study, metric: str, baseline: str) -> None:
    """InputError unless the study has this metric and this variant."""
    if baseline not in study.variants or metric not in study.metrics:
        raise InputError(
            "This study has nothing to compare yet."
            if not study.variants
            else "Choose a metric and a baseline."
        )


def spoken(study: Study, metric: str, compared: list[Comparison], baseline: str) -> str:
    """A sentence for every variant, and what the report published, as markdown."""
    base = next(one for one in compared if one.name == baseline)
    lines = [
        f"- **{html.escape(one.title)}**: {verdict(one, base, metric)}{size(one, base)}"
        for one in compared
    ]
    return "\n".join([*lines, "", PUBLISHED.get(study.name, "")])
