"""The guided tour: fifteen stops across the tabs, each with a question before one looks."""

from dataclasses import asdict, dataclass
from typing import Literal

import gradio as gr

from transformer_core.ui.doors import see_inside
from transformer_core.ui.place import Place
from transformer_core.ui.tabs.ablations.answers import TEXTS
from transformer_core.ui.tabs.inside.layout import EXAMPLES
from transformer_core.ui.views.view import view


@dataclass(frozen=True)
class Stop:
    """One question, and where its answer can be seen."""

    place: Place  # with the text that the question needs: the tab may hold a visitor's own
    target: str  # the view to look at, as a CSS selector
    question: str
    answers: tuple[str, ...]
    right: int  # place of the right answer
    because: str  # shown after any answer: why, and what to try
    by: Literal["press", "point", "move"]  # how it is tried
    on: str  # what is pressed, pointed at or moved then, as a CSS selector


STOPS = (
    Stop(
        Place("translate"),
        "#translate-flow",
        "The decoder writes German piece by piece. How does it find the English word to translate "
        "next?",
        (
            "It goes through the English words from left to right",
            "It looks at all English words anew for every piece",
            "The encoder hands it one word after the other",
        ),
        1,
        "Cross-attention weighs all source pieces at every step, so German word order is free. "
        "Point at a German word: what it was made from lights up. Play writes it all once more.",
        "point",
        "#translate-flow .flow-out, #german .piece",
    ),
    Stop(
        Place("translate", "alternatives", settings={"beam": 4}),
        "#tree",
        "The search has beam size 4. How many beginnings of a translation go on after each step?",
        ("The best one", "The four best", "All that are likely enough"),
        1,
        "All continuations of the four are weighed, and the best four of those are kept: thick "
        "stems. Press a thin end to see what the search gave up.",
        "press",
        "#tree .tree-node.cut",
    ),
    Stop(
        Place("translate", "switch-off"),
        "#switches",
        "Switch a single head of the translator off. What does that do to the translation, mostly?",
        ("Little or nothing", "It breaks off", "It turns into other words"),
        0,
        "Most heads can be spared, one at a time; a few cannot (Michel et al. 2019). Press “Try "
        "each head”, then switch off the one that is needed most.",
        "press",
        "#switches [data-do=toggle]",
    ),
    Stop(
        Place("translate", "heads", head=(1, 1, 6)),
        "#translation-heads",
        "One head, in the decoder's first layer, is needed more than any other. What does it look "
        "at?",
        (
            "The English of the word that comes next",
            "All English words alike",
            "The English of the word just written",
        ),
        2,
        "It tells the decoder how far it has come: in its map the strong squares mostly lie one "
        "row late. Other heads, higher up, align. What each looks at, and what is lost without "
        "it, was measured on sentences that training never saw. Press another head.",
        "press",
        "#translation-heads [data-do=head]",
    ),
    Stop(
        Place("sentiment", "trial"),
        "#trial",
        "One word gets most of [CLS]'s attention. Does deleting that word change the answer most?",
        ("Yes: attention is importance", "Often another word does", "Deleting never matters"),
        1,
        "Attention says where a layer looks, not what the answer rests on (Jain and Wallace 2019). "
        "Several explanations of this verdict are on trial: press one to see the words that it "
        "names, and the curves show which holds.",
        "press",
        "#trial [data-do=method]",
    ),
    Stop(
        Place("generate", "next-character"),
        "#bars",
        "Each character is drawn from a distribution. What is left of chance at temperature 0?",
        (
            "Nothing: always the most probable",
            "All characters become equally likely",
            "Half of it",
        ),
        0,
        "Dividing log-probabilities by a small temperature leaves all the mass to the largest. "
        "Move the sliders and watch the distribution before and after the cuts.",
        "move",
        ".duo:has(#bars) input",
    ),
    Stop(
        Place("generate", "heads"),
        "#heads",
        "A language model reads a finished text. Which characters can no position look at?",
        ("Those far back", "Those that follow it", "Spaces and line ends"),
        1,
        "The causal mask hides the future: the upper right of every map is empty, whichever head "
        "you press. It is what lets one pass learn from all positions at once.",
        "press",
        "#heads [data-do=head]",
    ),
    Stop(
        Place("generate", "learning"),
        "#learning",
        "Before its first step of training the decoder repeats one character endlessly. After how "
        "many steps, of 4,096 characters each, are most of its words real words of the plays?",
        ("About 20", "About 200", "About 20,000"),
        1,
        "Letters come first, then pairs of them, then words: each level of the loss is what plain "
        "counting would reach. The dice are the same at every step: move the slider, and watch how "
        "the first words change.",
        "move",
        "#learning .learning-slider",
    ),
    Stop(
        # no example: of those the answer is there at once
        Place("positions", "shuffle", "A boy sees a girl."),
        "#orders",
        "Five translators differ in how they are told where a word stands; one is told nothing. "
        "“A boy sees a girl” becomes “A girl sees a boy”: who notices?",
        ("All five", "All but that one", "Those that add a vector to each word"),
        1,
        "Attention by itself sees a bag of words: without positions no vector changes, and every "
        "order has the same answer. Swap the two, drag others, then try all orders.",
        "press",
        "#orders :is([data-do=swap], [data-do=shuffle], .orders-tile)",
    ),
    Stop(
        Place("positions", "longer"),
        "#longer",
        "Five writers were trained on 128 characters at a time and now read 384. Which of them "
        "still guesses what comes next as well as ever?",
        (
            "The one that adds waves to its vectors",
            "The one that turns queries and keys",
            "The one that lowers scores with the distance",
        ),
        2,
        "To ALiBi what is far is only fainter. Two others are led astray by waves or distances "
        "they never met, a learned table simply ends, and the writer without positions loses its "
        "way, too. Move the slider to where each of them gives up.",
        "move",
        "#longer .longer-slider",
    ),
    Stop(
        Place("ablations", "", TEXTS["copy_task"], "copy_task"),
        "#ablation-curves",
        "Without positions attention cannot tell a word from the same letters shuffled. Can such a "
        "model learn to copy a word?",
        (
            "Yes: it still sees every letter",
            "Hardly: it does not see their order",
            "Yes, with more time",
        ),
        1,
        "A word is a bag of letters then, and a bag has no first letter. Point at the line of “no "
        "positions”, and at those of the four ways to tell where a letter stands.",
        "point",
        "#ablation-curves :is(.variants-list button, .variants-chart)",
    ),
    Stop(
        Place("inside", "", EXAMPLES["translation"], "translation", settings={"written": ""}),
        "#inside-model",
        "In one layer of the translator's encoder: where are most of the parameters?",
        ("In attention", "In the feed-forward network", "In the norms"),
        1,
        "With d_ff four times d_model the feed-forward network has eight d_model² of them, "
        "attention's four projections four. Press a part to see its numbers and its code, and a "
        "number to see what it is made of.",
        "press",
        "#inside-model [data-key]",
    ),
    Stop(
        # the part that is open at first, whatever was pressed at the stop before
        see_inside("translation", EXAMPLES["translation"])[1],
        "#inside-part",
        "“A man in a red shirt …”: one word of the translation takes nearly all of what it needs "
        "from one English word. What decides how much it takes from each?",
        (
            "How near the other word stands",
            "A table of words that belong together",
            "How well two rows of numbers fit",
        ),
        2,
        "The word's query is multiplied with the key of every English word, number by number; the "
        "sums become shares of a whole. Press Play: the columns appear as they are computed.",
        "press",
        "#inside-part [data-do=play]",
    ),
    Stop(
        Place(
            "inside", "logit-lens", EXAMPLES["translation"], "translation", settings={"written": ""}
        ),
        "#inside-lens",
        "The output head normally reads the last layer. What if it read an earlier one?",
        (
            "It would say nothing sensible before the last",
            "Its guess would take shape layer by layer",
            "It would know the answer before the first layer",
        ),
        1,
        "That is the logit lens: every layer adds to the same stream, and the head can be applied "
        "to each state of it. Follow a row from its first guess to the last.",
        "point",
        "#inside-lens td",
    ),
    Stop(
        Place("lab", "the-model"),
        ".lab-parts",
        "Train a model to copy without the causal mask, so that it may look ahead. What happens?",
        (
            "It learns nothing",
            "It copies just as well",
            "Its loss is fine long before it can write unaided",
        ),
        2,
        "It reads the next symbol off its own input instead of learning to write it. Switch the "
        "mask off here, start the training, and compare its curve of symbols with that of exact "
        "outputs.",
        "press",
        "#lab-start",
    ),
)


def tour_view(**component) -> gr.HTML:
    """The whole tour, which the browser leads."""
    body = (
        '<button type="button" data-do="start" class="tour-start">'
        "Tour</button>"
        '<div class="tour-card" role="dialog" aria-label="Guided tour" hidden></div>'
    )
    return view(
        "tour",
        "",
        body,
        (),
        value={"stops": [stop_value(stop) for stop in STOPS]},
        padding=False,
        **component,
    )


def stop_value(stop: Stop) -> dict:
    """A stop as tour.js reads it: the addresses of its place, and of its tab alone."""
    tab = Place(stop.place.tab).query
    return {**asdict(stop), "place": {"tab": tab, "whole": stop.place.query}}
