"""An encoder reads English, a decoder writes German, and a search weighs what it could say.

Type, and see the translation appear; then ask why: which words it looked at, what else it
considered, and what happens when a word is forced or a head is switched off. Every number comes
from a model of our own, written in plain tensor operations and trained by the scripts beside it.
"""

import functools
from collections.abc import Sequence

import gradio as gr

from transformer_core.explain.knock_out import knock_out_translation
from transformer_core.inference import translate
from transformer_core.model.heads import every_head
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import MAX_CHARACTERS
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.page import Page
from transformer_core.ui.slider import Slider
from transformer_core.ui.tabs.translate.work import (
    Measured,
    Work,
    again,
    begin,
    display,
    nothing,
    switched,
)
from transformer_core.ui.views.align import alignment_view
from transformer_core.ui.views.heads import attention_view
from transformer_core.ui.views.switches import head_key, switches_view
from transformer_core.ui.views.table import rows_value, table_view
from transformer_core.ui.views.tokens import token_view
from transformer_core.ui.views.tree import tree_view

TITLE = "Translate"
FIRST = "A man in a red shirt is riding a horse on the beach."
# the sentences of a student report, as it typed them
REPORT = (
    "he has pencil",
    "he like math teacher",
    "i love you",
    "hello word",
    "what do you like",
    "what can i say",
    "nice to meet you",
    "how are you",
    "thank you",
)
EXAMPLES = (FIRST, "Where is the nearest station?", "Thank you. How are you?", *REPORT)
REPORT_SAYS = (
    "The report's own model ended at a validation loss of 6.82, a perplexity of about 900, and its "
    "translations were mostly wrong."
)
# the address restores what was typed; it is the visitor's own browser that remembers
REMEMBER = """(text, beam) => {
    const url = new URL(location), fits = encodeURIComponent(text).length < 6000;
    fits ? url.searchParams.set('text', text) : url.searchParams.delete('text');
    url.searchParams.set('beam', beam);
    history.replaceState(null, '', url);
}"""


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    models = page.models
    if absent := models.absent("translation"):
        gr.Markdown(absent)
        return
    work = gr.State(Work(), time_to_live=3600)
    measured = gr.State(None, time_to_live=3600)
    with gr.Row():
        with gr.Column(min_width=300):
            english = gr.Textbox(FIRST, label="English", lines=3, max_lines=10, autofocus=True)
            with gr.Row():
                button = gr.Button("Translate", variant="primary", min_width=90)
                clear = gr.Button("Clear", min_width=70)
            gr.Examples(
                [[text] for text in EXAMPLES], english, label="Try", examples_per_page=len(EXAMPLES)
            )
            with gr.Accordion("Search", open=False):
                beam = Slider(1, 12, 4, step=1, label="Beam size", info="1 is greedy")
                penalty = Slider(
                    0, 2, 1, step=0.1, label="Length penalty", info="more favours longer sentences"
                )
            with gr.Accordion("A student report's nine sentences", open=False) as report_section:
                report = table_view("What this model makes of them", elem_id="report-sentences")
        with gr.Column(min_width=300):
            german = gr.Textbox(
                label="German",
                lines=3,
                max_lines=10,
                interactive=False,
                buttons=["copy"],
                elem_id="german",
            )
            sentences = gr.Radio([], label="Sentence", visible=False, elem_id="sentences")
            pieces = token_view("How sure it was", "Type something.", words=True, elem_id="pieces")
            ranked = gr.Dataframe(
                headers=["the best found", "log-prob. / length"],
                column_widths=["72%", "28%"],
                interactive=False,
                wrap=True,
                elem_id="ranked",
            )
    align = alignment_view("Which words belong together", elem_id="align")
    tree = tree_view("What the search considered", elem_id="tree")
    heads = attention_view("Attention", elem_id="translation-heads")
    switches = switches_view("Switch heads off", elem_id="switches")
    shown = [work, german, sentences, pieces, ranked, align, heads, tree, switches]

    def show(work: Work, measured: Measured | None = None) -> tuple:
        return display(models.translator, work, measured)

    @answers_errors
    def run(text, beam_size, length_penalty):
        return show(begin(models.translator, text, beam_size, length_penalty))

    @answers_errors
    def typed(work, text, beam_size, length_penalty):
        # while one types, an unfinished or empty text is no mistake to complain about
        if not isinstance(text, str) or not text.strip():
            return nothing(work)
        return run(text, beam_size, length_penalty)

    @answers_errors
    def pick_sentence(work, number):
        if not isinstance(number, int) or not 0 <= number < len(work.sources):
            raise InputError(f"There is no sentence {number!r}.")
        return show(again(models.translator, work, shown=number, forced=(), off=()))

    @answers_errors
    def pick_piece(work, event: gr.EventData):
        tokens, position = work.translated.tokens, event.position
        if not isinstance(position, int) or not 0 <= position < len(tokens):
            raise InputError(f"The translation has no piece {position!r}.")
        begun = [token.id for token in tokens[:position]]
        return force(work, [*begun, event.token])

    @answers_errors
    def pick_node(work, event: gr.EventData):
        return force(work, event.path)

    def force(work: Work, path: Sequence[int]) -> tuple:
        vocabulary = models.translator.model.config.vocab_size
        known = isinstance(path, list) and all(isinstance(i, int) for i in path)
        if not known or not all(0 <= i < vocabulary for i in path):
            raise InputError("That is not a beginning of a translation.")
        return show(again(models.translator, work, forced=tuple(path)))

    @answers_errors
    def toggle(work, measured, event: gr.EventData):
        model = models.translator.model
        heads = every_head(model.sites, model.config.n_heads)
        wanted = set(event.off) if isinstance(event.off, list) else set()
        off = tuple(head for head in heads if head_key(head) in wanted)
        return show(again(models.translator, work, off=off), measured)

    @answers_errors
    def try_each(work):
        plain = work.plain or work.translated
        return Measured(plain, knock_out_translation(models.translator, plain))

    @answers_errors
    def show_worth(work, measured):
        return switched(models.translator, work, measured)

    @functools.cache
    def translate_report():
        rows = [[text, translate(models.translator, text).text] for text in REPORT]
        return rows_value([["English", "German"], *rows], "report", REPORT_SAYS)

    @functools.cache
    def first_example():
        return show(begin(models.translator, FIRST, beam.value, penalty.value))

    @answers_errors
    def arrive(request: gr.Request):
        asked = request.query_params
        if text := asked.get("text", "")[:MAX_CHARACTERS]:
            size = asked.get("beam", "")
            size = int(size) if size.isdecimal() and 1 <= int(size) <= beam.maximum else beam.value
            if text == FIRST:  # which the box holds already: it will not change
                return text, size, *show(begin(models.translator, text, size, penalty.value))
            return text, size, *[gr.skip()] * len(shown)  # the change of the text translates it
        return gr.skip(), gr.skip(), *first_example()

    searching = [english, beam, penalty]
    quiet = {"show_progress": "hidden", "trigger_mode": "always_last", **QUEUED, **PRIVATE}
    gr.on([button.click, english.submit], run, searching, shown, **QUEUED, **PRIVATE)
    # change, not input: an example that is pressed and a text that is pasted count as typed too
    english.change(typed, [work, *searching], shown, **quiet)
    gr.on([beam.release, penalty.release], typed, [work, *searching], shown, **quiet)
    clear.click(lambda: ("", *nothing(None)), None, [english, *shown], **PRIVATE)
    sentences.input(pick_sentence, [work, sentences], shown, **QUEUED, **PRIVATE)
    pieces.branch(pick_piece, work, shown, **quiet)
    tree.force(pick_node, work, shown, **quiet)
    switches.toggle(toggle, [work, measured], shown, **quiet)
    # in two steps, for what was measured may be of a sentence that is no longer shown
    switches.knock(
        try_each, work, measured, show_progress_on=switches, **QUEUED, **PRIVATE
    ).success(show_worth, [work, measured], switches, **quiet)
    report_section.expand(translate_report, None, report, **QUEUED, **PRIVATE)
    gr.on(None, arrive, None, [english, beam, *shown], **QUEUED, **PRIVATE)
    gr.on([english.change, beam.release], None, [english, beam], None, js=REMEMBER, **PRIVATE)

    @answers_errors
    def translate_text(text: str, beam_size: int = 4) -> str:
        """Translate English into German, sentence by sentence."""
        return translate(models.translator, text, beam_size).text

    gr.api(translate_text, api_name="translate", **QUEUED)
