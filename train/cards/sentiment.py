"""The prose of the classifiers' model cards, which no file holds, and which card gets which."""

from dataclasses import replace
from pathlib import Path

from train.data import films, hub, short_sentences
from train.data.labelled_reviews import REPORT_PRESETS
from train.running.card import NAMED, Card, is_usual
from train.running.records import flag, preset_of, runs_of
from train.running.verdicts import N_BINS

CARD = Card(
    title="A classifier that reads the sentiment of film reviews from [CLS]",
    summary=(
        "An encoder Transformer, written from scratch in plain PyTorch, that says whether a film "
        "review is positive or negative, from the hidden state of its first token."
    ),
    pipeline="text-classification",
    language=("en",),
    dataset=hub.IMDB,
    data=(
        f"The 25,000 labelled training reviews of {hub.IMDB_IN_WORDS} without those that also "
        f"stand in the test set; one in {films.HELD_OUT} validates, chooses the weights of runs "
        "that keep the best, and calibrates the confidence. Whole reviews and excerpts of one to "
        "three sentences are learnt."
    ),
    limits=(
        "It knows two answers and no doubt in between: a text that is no film review gets a label "
        "too. It takes irony at its word, and names of actors for praise."
    ),
    licence=(
        "The code is under the MIT licence. The reviews belong to their authors: the weights are "
        "for research and teaching."
    ),
    licence_id="other",
    scores={
        "accuracy": "share of the test reviews with the right label",
        "loss": "nats per review",
        "ece": f"expected calibration error, {N_BINS} bins",
        "accuracy_first_sentence": "the same share when only the first sentence is read",
        "ece_first_sentence": "expected calibration error when only the first sentence is read",
        **{
            f"accuracy_{kind}": f"share of {len(short_sentences.of_kind(kind))} short sentences "
            f"of our own with the right label: {kind}"
            for kind in short_sentences.KINDS
        },
        "n": "reviews",
    },
    scored_on={f"accuracy_{kind}": "short sentences of our own" for kind in short_sentences.KINDS},
)
UNDER_THE_REPORTS_PROTOCOL = replace(
    CARD,
    title="The classifier of a student report, trained under its protocol",
    data=(
        f"All labelled reviews of {hub.IMDB_IN_WORDS}, each text once: eight tenths are learnt "
        "from scratch, one tenth validates, chooses the weights and calibrates the confidence, one "
        "tests."
    ),
    scored_on=dict.fromkeys(CARD.scores, f"{hub.IMDB}, a tenth of all labelled reviews")
    | CARD.scored_on,
)
CARDS = {
    "linear": replace(
        CARD,
        title="A linear classifier of film reviews, the Transformer's rival",
        summary=(
            "A weight for every piece and every pair of neighbouring pieces that a review has, "
            "added up: it begins as naive Bayes and learns on from there (Wang and Manning 2012)."
        ),
        data=CARD.data.replace(
            " Whole reviews and excerpts of one to three sentences are learnt.", ""
        ),
    ),
    "report": UNDER_THE_REPORTS_PROTOCOL,
    "lstm": replace(
        UNDER_THE_REPORTS_PROTOCOL,
        title="An LSTM that reads the sentiment of film reviews, the Transformer's rival",
        summary=(
            "One LSTM over a review's tokens, the mean of whose states says whether the review is "
            "positive or negative."
        ),
    ),
}
PRETRAINED = (
    " It starts from a masked language model of the same and of the unlabelled reviews "
    "(`train.reviews`)."
)
OWN_PRETRAINED = " It starts from the model that `--init` names."
BY_SENTENCES = (
    " At last it learns single sentences, those of the unlabelled reviews too, each with the "
    "verdict on the whole review: the label, or where there is none what classifiers before it say."
)
OWN = "film reviews of one's own"
TESTED, TESTED_BY_REPORT = {"n": 25_000}, {"n": 4_958}  # reviews of the data set


def card_of(folder: Path) -> Card:
    """The prose that holds for a checkpoint."""
    preset, runs = preset_of(folder), runs_of(folder)
    card = CARDS.get(preset, CARD)
    usual = is_usual(folder, TESTED_BY_REPORT if preset in REPORT_PRESETS else TESTED)
    if not usual:
        data = card.data.replace("25,000 ", "").replace(hub.IMDB_IN_WORDS, NAMED)
        card = replace(card, dataset=OWN, data=data, scored_on=CARD.scored_on)
    first = next(iter(runs), {"command": ""})  # later runs go on from a classifier
    begun = (PRETRAINED if usual else OWN_PRETRAINED) * (flag(first, "init") is not None)
    by_sentences = any(one["preset"] == "sentences" for one in runs)
    return replace(card, data=card.data + begun + BY_SENTENCES * by_sentences)
