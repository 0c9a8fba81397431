"""The prose of the translators' model cards, which no file holds, and which card gets which."""

from dataclasses import replace
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from train.data import hub
from train.running.card import Card
from train.running.records import flag, runs_of
from transformer_core.checkpoint import SCORES_FILE, read_json

MIX = {"bleu_test_tatoeba", "bleu_test_multi30k_2016_flickr"}  # scores on the mix's own test sets
YEARS = range(2010, 2016)  # of IWSLT's test sets


def signature(metric: BLEU | CHRF) -> str:
    """sacrebleu's description of how it counts."""
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


CARD = Card(
    title="An English-German translator",
    summary=(
        "An encoder-decoder Transformer, written from scratch in plain PyTorch, that translates "
        "English sentences into German."
    ),
    pipeline="translation",
    language=("en", "de"),
    dataset="English-German mix",
    data=(
        "About half a million sentence pairs from 30 public sources, deduplicated, without any "
        "sentence of the validation and test sets (but see the end): everyday sentences "
        "(Tatoeba), TED and "
        "TEDx talks (IWSLT 2014 and 2016, SATED), news and encyclopedias (WMT's newstest, FLORES "
        "and NTREX, XQuAD, MLQE-PE, MT-GenEval), dialogues (XDailyDialog, BConTrasT and WMT's chat "
        "tasks, WOZ 2.0, CoCoA-MT), parliament (Europarl), subtitles and the web (samples of OPUS "
        "and of WMT, Mozilla's and Bitcoin's programs, Salesforce's help), captions (Multi30k), "
        "lectures (3Blue1Brown), novels (LibriS2S), technical prose (Pro Git, the Open Source "
        "Guides), questions (Mintaka) and short pairs (STS-B, ContraWSD). The noisy ones are drawn "
        "less often or not at all, captions and everyday sentences more often, and a quarter of "
        "the English sentences is shown with slips such as lower case, missing punctuation and "
        "typing errors. Pieces are those of one byte-pair vocabulary for both languages. Case and "
        "punctuation are left out when sentences are compared, but were not yet when the weights "
        "that are published with this code were trained: of their 553,442 pairs 91, most of them "
        "of two words, have a sentence of the validation or test sets in other spelling."
    ),
    limits=(
        "It translates one sentence at a time without context, so pronouns and the polite form "
        "are guesses. Rare words, names and long sentences come out wrong or invented, and fluent "
        "German is no sign that it is right."
    ),
    licence=(
        "The code is under the MIT licence. The sources have licences of their own (TED is CC "
        "BY-NC-ND, Tatoeba CC BY, Flickr30k non-commercial): the weights are for research and "
        "teaching."
    ),
    licence_id="other",
    scores={
        "bleu": f"BLEU over all sets, beam 4 ({signature(BLEU())})",
        "chrf": f"chrF over all sets, beam 4 ({signature(CHRF())})",
        "loss": "nats per target piece",
        "ppl": "perplexity per target piece",
        "n": "sentence pairs",
        "bleu_test_tatoeba": "BLEU, everyday sentences (Tatoeba)",
        "bleu_test_multi30k_2016_flickr": "BLEU, image captions (Multi30k 2016)",
        **{
            f"bleu_test_iwslt2017_tst{year}": f"BLEU, TED talks (IWSLT tst{year})" for year in YEARS
        },
    },
    scored_on={
        "bleu_test_tatoeba": "Tatoeba",
        "bleu_test_multi30k_2016_flickr": "Multi30k, test 2016",
        **{f"bleu_test_iwslt2017_tst{year}": f"IWSLT 2017, tst{year}" for year in YEARS},
    },
)


TALKS = replace(
    CARD,
    dataset=hub.IWSLT,
    data=(
        "The sentence pairs of the TED talks of IWSLT 2017, without any sentence of the validation "
        "and test sets; a quarter of the English sentences is shown with slips such "
        "as lower case, missing punctuation and typing errors. Pieces are those of one byte-pair "
        "vocabulary for both languages."
    ),
)


OWN = replace(
    CARD,
    dataset="sentence pairs of one's own",
    data=(
        "The sentence pairs that `--data` of the runs below names; a quarter of the English "
        "sentences is shown with slips such as lower case, missing punctuation and typing errors. "
        "Pieces are those of one byte-pair vocabulary for both languages."
    ),
    licence="The code is under the MIT licence. What was learnt from has licences of its own.",
)


def card_of(folder: Path) -> Card:
    """The prose that holds for a checkpoint: without --data a run reads what the Hub has.

    With it, nothing but the test sets tells whether it was the mix that is described.
    """
    runs = runs_of(folder)
    if runs and not any(flag(one, "data") for one in runs):
        return TALKS
    scored = (read_json(folder / SCORES_FILE) or {}).get("scores", {})
    return CARD if scored.keys() >= MIX else OWN
