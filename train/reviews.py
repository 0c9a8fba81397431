"""Train an encoder to fill in hidden words of film reviews: `python -m train.reviews`

What it learns of the language without any label is what `train.sentiment` starts from.
"""

import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from train.data import buckets, hub, sequences
from train.data.error import DataError
from train.data.films import HELD_OUT, load_all
from train.loop import Batch, TrainConfig
from train.running.card import NAMED, Card, is_usual
from train.running.flags import Options, in_a_sentence, read_flags
from train.running.losses import smoothed_cross_entropy
from train.running.records import flag, is_in, runs_of
from train.running.run import Job, run
from train.running.scores import scores_alone
from transformer_core.checkpoint import Trained
from transformer_core.model.config import OF_CLASSIFIERS, ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import MaskedLM
from transformer_core.model.seeding import batch_seed
from transformer_core.tokenization import CLS, EOS, MASK, Tokenizer, train_bpe

MODEL = ModelConfig(
    vocab_size=10_000,
    d_model=256,
    n_heads=4,
    n_layers=4,
    d_ff=1024,
    max_len=512,
    dropout=0.0,  # a CPU sees each review a few times at most: there is nothing to regularise
    positional_encoding="rotary",
    activation="gelu",
)
TRAIN = TrainConfig(
    minutes=60,
    batch_size=64,  # windows
    optimizer="muon",
    learning_rate=5e-3,
    warmup_steps=100,
    weight_decay=0.05,
    ema=0.998,
    eval_every=500,
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
    "gpu": (
        replace(MODEL, d_model=320, n_heads=5, d_ff=1280),
        replace(TRAIN, minutes=9, batch_size=512, ema=0.999, eval_every=1_000),
    ),
}
WINDOW = 128  # pieces; the reviews follow one another, an [EOS] between them
HIDDEN = 0.25  # the share of pieces to be guessed; more than BERT's 0.15 (Wettig et al. 2023)
N_VALIDATION, N_SCORED = 1_024, 16_384  # windows


def learn_pieces(texts: list[str], vocab_size: int) -> Tokenizer:
    """A vocabulary of what people write on the web."""
    return train_bpe(texts, vocab_size, web=True)


def stream(tokenizer: Tokenizer, texts: list[str]) -> Tensor:
    """All reviews in one row of pieces, an [EOS] after each. -> (pieces,)"""
    return buckets.encode(tokenizer, texts, lambda ids: [*ids, EOS]).ids.long()


def hide(windows: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Windows (n, length) -> the same with [CLS] in front and [MASK] for what is to be guessed,
    and the answers, PAD where none is wanted.

    Every window hides equally many: batches of one shape are compiled for a CPU only once.
    """
    generator = torch.Generator().manual_seed(seed)
    order = torch.rand(windows.shape, generator=generator).masked_fill_(windows == EOS, 2.0)
    first = order.topk(round(HIDDEN * windows.size(1)), largest=False).indices
    hidden = torch.zeros_like(windows, dtype=torch.bool).scatter_(1, first, True) & (windows != EOS)
    start = torch.full((len(windows), 1), CLS)
    tokens = torch.cat([start, windows.where(~hidden, MASK)], dim=1)
    return tokens, torch.cat([start.new_full(start.shape, PAD), windows.where(hidden, PAD)], dim=1)


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of the hidden pieces, and their number."""
    tokens, answers = batch
    places = answers != PAD
    logits = model(tokens, wanted=places)
    return smoothed_cross_entropy(logits[None], answers[places][None], smoothing)


@torch.inference_mode()
def validation(model: MaskedLM, windows: Tensor, batch_size: int = 64) -> dict[str, float]:
    """Nats per hidden piece, and the share that is guessed right."""
    device, loss, right, n = next(model.parameters()).device, 0.0, 0, 0
    for first in range(0, len(windows), batch_size):
        tokens, answers = hide(windows[first : first + batch_size], seed=first)
        places = answers != PAD
        logits = model(tokens.to(device), wanted=places.to(device)).float().cpu()
        wanted = answers[places]
        loss += nn.functional.cross_entropy(logits, wanted, reduction="sum").item()
        right += (logits.argmax(-1) == wanted).sum().item()
        n += len(wanted)
    return {"loss": loss / n, "accuracy": right / n}


def test_set(trained: Trained[MaskedLM], path: Path | None, limit: int | None) -> list[str]:
    """The official test reviews, or `limit` of them at even distances."""
    texts = hub.reviews(path, "test").text
    return hub.evenly(texts, limit or len(texts))


def score(trained: Trained[MaskedLM], texts: list[str]) -> dict[str, float]:
    """How well the hidden pieces of reviews are guessed."""
    windows = even_windows(stream(trained.tokenizer, texts), N_SCORED)
    found = validation(trained.model, windows)
    return {**found, "ppl": math.exp(found["loss"]), "n": len(windows)}


def even_windows(ids: Tensor, n: int) -> Tensor:
    """Up to n windows at even distances in a row of pieces. -> (n, WINDOW)

    DataError if there are not enough pieces for one.
    """
    starts = hub.evenly(range(0, len(ids) - WINDOW + 1, WINDOW), n)
    if not starts:
        raise DataError(f"the reviews have {len(ids)} pieces, and a window has {WINDOW}")
    return ids[torch.tensor(starts)[:, None] + torch.arange(WINDOW)]


CARD = Card(
    title="An encoder that fills in the blanks of film reviews",
    summary=(
        "A masked language model: an encoder Transformer, written from scratch in plain PyTorch, "
        "that guesses hidden words from both sides."
    ),
    pipeline="fill-mask",
    language=("en",),
    dataset=hub.IMDB,
    data=(
        f"The training and the unlabelled reviews of {hub.IMDB_IN_WORDS} without those that also "
        f"stand in the test set; one labelled review in {HELD_OUT} validates. Windows of {WINDOW} "
        f"pieces, {HIDDEN:.0%} of them hidden."
    ),
    limits="It knows the language of film reviews written before 2011 and nothing else.",
    licence=(
        "The code is under the MIT licence. The reviews belong to their authors: the weights are "
        "for research and teaching."
    ),
    licence_id="other",
    scores={
        "loss": "nats per hidden piece",
        "accuracy": "share of hidden pieces guessed right",
        "ppl": "perplexity per hidden piece",
        "n": "windows",
    },
)
OWN = replace(
    CARD,
    dataset="film reviews of one's own",
    data=CARD.data.replace(hub.IMDB_IN_WORDS, NAMED),
    limits="It knows the language of the reviews that it learnt from and nothing else.",
)
BEGUN_WITH = " The sentiment classifier began with its weights, as they were then."


def card_of(folder: Path) -> Card:
    """The prose that holds for a checkpoint, and for the classifier in the folder beside it."""
    card = CARD if is_usual(folder, {"n": N_SCORED}) else OWN
    first = next(iter(runs_of(folder.parent / "sentiment")), {"command": ""})
    began = is_in(folder, map(Path, flag(first, "init") or ()))
    return replace(card, summary=card.summary + BEGUN_WITH * began)


EXAM = scores_alone("reviews", MaskedLM, test_set, score, card_of)


def read(options: Options) -> tuple[Tokenizer, Tensor, Tensor]:
    """The vocabulary, the pieces that are learnt from, in one row, and the windows that validate:
    of the texts themselves nothing stays in memory."""
    labelled, held_out, unlabelled = load_all(options.data)
    texts = [*labelled.text, *unlabelled.text]
    tokenizer = options.held_tokenizer() or learn_pieces(texts, options.model.vocab_size)
    windows = even_windows(stream(tokenizer, held_out.text), N_VALIDATION)
    return tokenizer, stream(tokenizer, texts), windows


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    options = read_flags(
        "reviews", PRESETS, __doc__, argv, fixed=("best_by", "causal_mask", *OF_CLASSIFIERS)
    )
    tokenizer, ids, windows = read(options)
    torch.manual_seed(options.train.seed)

    def batch_of(step: int) -> Batch:
        seed = batch_seed(options.train.seed, step)
        return hide(sequences.random_windows(ids, WINDOW, options.train.batch_size, seed), seed)

    def evaluate(model: MaskedLM) -> dict[str, float]:
        return validation(model, windows)

    model = MaskedLM(options.model_config(tokenizer))
    loss = partial(loss_of, smoothing=options.train.label_smoothing)
    run(Job(options, model, tokenizer, batch_of, loss, evaluate, (windows,)), EXAM)


if __name__ == "__main__":
    main()
