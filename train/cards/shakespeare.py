"""The prose of the writers' model cards, which no file holds, and which card gets which."""

from dataclasses import replace
from pathlib import Path

from train.running.card import Card, is_usual
from train.running.records import flag, runs_of

PLAYS = {"n_chars": 111_540}  # of the last tenth of Tiny Shakespeare
SPLIT = (
    ", in its usual split: the first nine tenths train, the score is of the last tenth; no "
    "character of it was trained on."
)
CARD = Card(
    title="A decoder that writes Shakespeare",
    summary=(
        "A character-level language model: a decoder-only Transformer, written from scratch in "
        "plain PyTorch, that continues a text one character at a time."
    ),
    pipeline="text-generation",
    language=("en",),
    dataset="karpathy/tiny_shakespeare",
    data="Tiny Shakespeare, about a million characters from the plays" + SPLIT,
    limits=(
        "It knows letters, not facts: it writes the sound of the plays without their sense, "
        "invents words and speakers, and forgets what lies further back than its context. It knows "
        "only the characters of its text, follows no instructions, and says what the plays might "
        "say, insults included."
    ),
    licence=(
        "The code and the weights are under the MIT licence; the text of the plays is in the "
        "public domain."
    ),
    scores={
        "val_loss": "validation loss, that of the last tenth, nats per character",
        "bits_per_character": "the same in bits",
        "n_chars": "characters",
    },
)
OWN = replace(
    CARD,
    title="A decoder that writes on, character by character",
    language=(),
    dataset="a text of one's own",
    data="The text that `--data` of the runs below names" + SPLIT.replace("its usual", "one"),
    limits=(
        "It knows letters, not facts: it writes the sound of its text without the sense, invents "
        "words, and forgets what lies further back than its context. It knows only the characters "
        "of its text and follows no instructions."
    ),
    licence="The code is under the MIT licence. What was learnt from has a licence of its own.",
    licence_id="other",
)
KEPT_BEST = " {} kept the weights that were best on it, as is usual in the literature."
KEPT_LAST = (
    " {} kept the weights of the last step, whatever their loss on the last tenth; trials, by "
    "which settings can be chosen, leave out another twentieth (`--preset trial`)."
)
SEVERAL = (
    " That another run followed, and with which teachers, was decided with that loss of the one "
    "before in view."
)
TAUGHT_BY = " {} learnt half from the text, half from the answers of models trained before."


def card_of(folder: Path) -> Card:
    """The prose that holds for a checkpoint: what its runs had to do with the last tenth."""
    card = CARD if is_usual(folder, PLAYS) else OWN
    runs = dict(enumerate(runs_of(folder), start=1))
    last = [n for n, one in runs.items() if one["train"].get("keep_last")]
    best = [n for n in runs if n not in last]
    taught = [n for n, one in runs.items() if flag(one, "teachers")]
    said = ((KEPT_BEST, best), (KEPT_LAST, last), (TAUGHT_BY, taught))
    data = [sentence.format(named(numbers)) for sentence, numbers in said if numbers]
    return replace(card, data="".join([card.data, *data, *[SEVERAL] * (len(runs) > 1)]))


def named(numbers: list[int]) -> str:
    """Some runs, at the beginning of a sentence."""
    *first, last = map(str, numbers)
    return f"Runs {', '.join(first)} and {last}" if first else f"Run {last}"
