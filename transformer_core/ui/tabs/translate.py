"""An encoder reads English, a decoder writes German, and a search between them weighs hundreds of
sentences. Type, and see the translation appear; then ask why: which words it looked at, what else
it considered, and what happens when a word is forced or a head is switched off.
"""

import difflib
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import gradio as gr

from transformer_core.alignment import alignment_head, words_of
from transformer_core.checkpoint import Trained
from transformer_core.inference import translate
from transformer_core.results import Head, InputError
from transformer_core.trace import every_head
from transformer_core.translation import (
    MAX_CHARACTERS,
    Sentence,
    check_search,
    check_text,
    knock_out,
    translate_sentence,
)
from transformer_core.ui.events import PRIVATE, QUEUED, answers_errors
from transformer_core.ui.page import Page
from transformer_core.ui.views import (
    alignment_value,
    alignment_view,
    attention_value,
    attention_view,
    head_key,
    switches_value,
    switches_view,
    token_view,
    tokens_value,
    tree_value,
    tree_view,
)

TITLE = "Translate"
FIRST = "A man in a red shirt is riding a horse on the beach."
EXAMPLES = [
    FIRST,
    "Where is the nearest station?",
    "I love you.",
    "hello word",
    "he like math teacher",
    "what do you like",
    "Thank you. Nice to meet you! How are you?",
]
NOTHING = "There is nothing to look at yet: type an English sentence."
SURE = 0.8  # a piece with at least this probability counts as sure
N_RANKED = 5
# the address restores what was typed; it is the visitor's own browser that remembers
REMEMBER = """(text, beam) => {
    const url = new URL(location);
    url.searchParams.set('tab', 'translate');
    url.searchParams.set('text', text.slice(0, 1000));
    url.searchParams.set('beam', beam);
    history.replaceState(null, '', url);
}"""


@dataclass(frozen=True)
class Work:
    """One visitor's text: its sentences, the one looked at, and what was done to it."""

    sources: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    shown: int = 0
    beam_size: int = 4
    length_penalty: float = 1.0
    forced: tuple[int, ...] = ()
    off: tuple[Head, ...] = ()
    plain: Sentence | None = None  # the shown sentence as it is with nothing forced or off
    damage: dict[Head, float] | None = None  # what plain loses without each head, once measured
    sentence: Sentence | None = None  # as it is now

    @property
    def translated(self) -> Sentence:
        """The sentence on screen; InputError if there is none."""
        if self.sentence is None:
            raise InputError(NOTHING)
        return self.sentence


def begin(trained: Trained, text: str, beam_size: float, length_penalty: float) -> Work:
    """Translate a text and look at its first sentence."""
    check_search(beam_size, length_penalty)
    sources = check_text(trained, text)
    found = [translate_sentence(trained, s, beam_size, length_penalty) for s in sources]
    return Work(
        tuple(sources),
        tuple(sentence.text for sentence in found),
        beam_size=int(beam_size),
        length_penalty=length_penalty,
        plain=found[0],
        sentence=found[0],
    )


def again(trained: Trained, work: Work, **changes) -> Work:
    """Decode the shown sentence anew after a change of what is shown, forced or off."""
    if not work.sources:
        raise InputError(NOTHING)
    work = replace(work, **changes)
    settings = work.sources[work.shown], work.beam_size, work.length_penalty
    sentence = translate_sentence(trained, *settings, work.forced, work.off)
    if "shown" in changes:
        work = replace(work, plain=sentence, damage=None)
    texts = (*work.texts[: work.shown], sentence.text, *work.texts[work.shown + 1 :])
    return replace(work, sentence=sentence, texts=texts)


def confidence(sentence: Sentence) -> str:
    """The model's certainty, in words."""
    sure = sum(token.prob >= SURE for token in sentence.tokens)
    least = min(sentence.tokens, key=lambda token: token.log_prob)
    whole = f"Sure (at least {SURE:.0%}) of {sure} of {len(sentence.tokens)} pieces"
    if least.prob >= SURE:
        return f"{whole}."
    prob = f"{least.prob:.0%}" if least.prob >= 0.01 else "under 1%"
    return f"{whole}; least sure of “{least.text.replace('▁', '')}” ({prob})."


def word_diff(before: str, after: str) -> list[list[str]]:
    """[[" ", word], ["-", word], ["+", word], …] from one text to the other."""
    words = difflib.ndiff(before.split(), after.split())
    return [[line[0], line[2:]] for line in words if line[0] in " -+"]


def ranking(sentence: Sentence) -> list[list[str]]:
    """The n best as table rows."""
    return [[ranked.text, f"{ranked.score:.2f}"] for ranked in sentence.ranked[:N_RANKED]]


def switched(trained: Trained, work: Work) -> dict:
    """The value of the head switches."""
    now, plain = work.translated, work.plain
    summary = "Each square is a head; press one to switch it off."
    if work.damage:
        (site, head), worst = min(work.damage.items(), key=lambda item: item[1])
        summary = (
            "The number in each square is how much the log-probability of the translation changes "
            f"without that head. It needs {site}, head {head + 1} most ({worst:+.2f})."
        )
    if work.off:
        change = now.ranked[0].log_prob - plain.ranked[0].log_prob
        n_heads = len(trained.model.sites) * trained.model.config.n_heads
        summary = (
            f"{len(work.off)} of {n_heads} heads are off: the log-probability of the best "
            f"translation changes by {change:+.2f}"
            + (", and the text stays." if now.text == plain.text else ".")
        )
    diff = word_diff(plain.text, now.text) if work.off else []
    return switches_value(trained.model, work.off, work.damage, diff, summary)


def display(trained: Trained, work: Work) -> tuple:
    """Work -> every output of the tab, in the order of `shown` in build."""
    sentence = work.translated
    site, head, agreement = alignment_head(trained)
    chosen = f"Drawn from one head: {site}, head {head + 1}"
    if agreement is not None:
        chosen += (
            f", which looks most at the piece whose loss hurts most {agreement:.0%} of the time, "
            "more often than any other head"
        )
    n_considered = sum(len(step) for step in sentence.steps)
    labels = [(source[:60], number) for number, source in enumerate(work.sources)]
    return (
        work,
        " ".join(work.texts),
        gr.Radio(labels, value=work.shown, visible=len(labels) > 1),
        tokens_value(
            sentence.tokens,
            confidence(sentence) + (" The beginning is forced." if work.forced else ""),
            identity=f"{id(sentence)}",
            branches=True,
            noun="Piece",
            words=words_of(sentence.tokens),
        ),
        ranking(sentence),
        alignment_value(sentence, site, head, f"{chosen}."),
        attention_value(
            sentence,
            sorted(trained.model.sites, key=lambda site: site.kind),  # cross comes first
            "Rows are queries and sum to 1, columns are keys. A decoder row is named by the piece "
            "that was written there.",
            first=(site.layer, head),
        ),
        tree_value(
            sentence,
            trained.tokenizer,
            f"{len(sentence.steps)} steps considered {n_considered} pieces; solid ones were kept, "
            "dashed ones pruned, the thick path won. Press any to continue from it.",
        ),
        switched(trained, work),
    )


def nothing(work: Work) -> tuple:
    """The outputs while there is no text."""
    return Work(), "", gr.Radio([], visible=False), None, [], None, None, None, None


def build(page: Page) -> None:
    """Lay out the tab and wire it."""
    models = page.models
    if not models.has("translation"):
        gr.Markdown("There is no translator yet: `python -m train.translation` trains one.")
        return
    work = gr.State(Work(), time_to_live=3600)
    with gr.Row():
        with gr.Column(min_width=300):
            english = gr.Textbox(FIRST, label="English", lines=3, max_lines=10, autofocus=True)
            with gr.Row():
                button = gr.Button("Translate", variant="primary", min_width=90)
                clear = gr.Button("Clear", min_width=70)
            gr.Examples([[text] for text in EXAMPLES], english, label="Try")
            with gr.Accordion("Search", open=False):
                beam = gr.Slider(1, 12, 4, step=1, label="Beam size", info="1 is greedy")
                penalty = gr.Slider(
                    0, 2, 1, step=0.1, label="Length penalty", info="more favours longer sentences"
                )
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
                headers=["the best found", "score"],
                column_widths=["78%", "22%"],
                interactive=False,
                wrap=True,
                elem_id="ranked",
            )
    align = alignment_view("Which words belong together", elem_id="align")
    tree = tree_view("What the search considered", elem_id="tree")
    heads = attention_view("Attention", elem_id="translation-heads")
    switches = switches_view("Switch heads off", elem_id="switches")
    shown = [work, german, sentences, pieces, ranked, align, heads, tree, switches]

    def show(work: Work) -> tuple:
        return display(models.translator, work)

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
    def toggle(work, event: gr.EventData):
        model = models.translator.model
        heads = every_head(model.sites, model.config.n_heads)
        wanted = set(event.off) if isinstance(event.off, list) else set()
        off = tuple(head for head in heads if head_key(head) in wanted)
        return show(again(models.translator, work, off=off))

    @answers_errors
    def try_each(work):
        work = replace(work, damage=knock_out(models.translator, work.plain or work.translated))
        return work, switched(models.translator, work)

    @functools.cache
    def first_example():
        return show(begin(models.translator, FIRST, beam.value, penalty.value))

    @answers_errors
    def arrive(request: gr.Request):
        asked = request.query_params
        if text := asked.get("text", "")[:MAX_CHARACTERS]:
            size = asked.get("beam", "")
            size = int(size) if size.isdecimal() and 1 <= int(size) <= beam.maximum else beam.value
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
    pieces.branch(pick_piece, work, shown, **QUEUED, **PRIVATE)
    tree.force(pick_node, work, shown, **QUEUED, **PRIVATE)
    switches.toggle(toggle, work, shown, **quiet)
    switches.knock(try_each, work, [work, switches], **QUEUED, **PRIVATE)
    gr.on(None, arrive, None, [english, beam, *shown], **QUEUED, **PRIVATE)
    gr.on([english.change, beam.release], None, [english, beam], None, js=REMEMBER, **PRIVATE)

    @answers_errors
    def translate_text(text: str, beam_size: int = 4) -> str:
        """Translate English into German, sentence by sentence."""
        return translate(models.translator, text, beam_size).text

    gr.api(translate_text, api_name="translate", **QUEUED)
