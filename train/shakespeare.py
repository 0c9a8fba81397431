"""Train a decoder to write Shakespeare, character by character: `python -m train.shakespeare`"""

import math
from collections.abc import Callable, Sequence, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train.cards.shakespeare import card_of
from train.data import hub, sequences
from train.data.error import DataError
from train.loop import Batch, TrainConfig
from train.running.flags import Options, in_a_sentence, read_flags
from train.running.records import runs_of
from train.running.run import Job, run
from train.running.scores import scores_alone
from train.running.teachers import mean_answer, teachers_of
from transformer_core.checkpoint import Trained
from transformer_core.model.config import OF_CLASSIFIERS, ModelConfig
from transformer_core.model.models import DecoderLM
from transformer_core.model.seeding import batch_seed
from transformer_core.tokenization import Tokenizer, train_characters

MODEL = ModelConfig(
    vocab_size=71,
    d_model=256,
    n_heads=4,
    n_layers=6,
    d_ff=1024,
    max_len=256,
    dropout=0.15,
    positional_encoding="rotary",
    activation="gelu",
)
TRAIN = TrainConfig(
    minutes=60,
    batch_size=16,
    optimizer="muon",
    learning_rate=8e-3,
    warmup_steps=100,
    weight_decay=0.1,
    ema=0.995,
    eval_every=500,
    keep_last=True,
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
    "trial": (MODEL, replace(TRAIN, keep_last=False)),  # runs by which settings are chosen
}
HELD_OUT = 0.1  # the usual split: the last tenth, which a model is scored on
# What trials leave out and are judged by. It is not right before the last tenth, which begins
# within a play: a model that has not read how a play begins predicts the rest of it worse.
CHOOSING = 0.66, 0.71
TAUGHT = 0.5  # of the loss with teachers: the share of their answers; the rest is the text's


def split(text: Sized) -> int:
    """Where the held-out part begins; DataError if nothing stands before it."""
    if len(text) < 2:
        raise DataError(
            f"{len(text)} characters are too few: at least 2 are needed to hold out one"
        )
    return int(len(text) * (1 - HELD_OUT))


def parts(ids: Tensor, preset: str) -> tuple[Tensor, Tensor, int]:
    """What a training learns, the text it is judged by, and where in that text judging begins."""
    start = split(ids)
    if preset != "trial":
        return ids[:start], ids, start
    first, last = (int(len(ids) * share) for share in CHOOSING)
    return torch.cat([ids[:first], ids[last:start]]), ids[:last], first


def batches(
    ids: Tensor, length: int, config: TrainConfig, answers: Tensor | None = None
) -> Callable[[int], Batch]:
    """batch_of(step) -> windows (batch, length + 1), and what teachers answered after each of their
    characters but the last; it depends on the step alone. DataError if there is no whole window."""
    if len(ids) <= length:
        raise DataError(
            f"There are {len(ids):,} characters to learn from; the model reads {length:,} at a "
            "time and needs one more."
        )

    def batch_of(step: int) -> Batch:
        seed = batch_seed(config.seed, step)
        windows = sequences.random_windows(ids, length + 1, config.batch_size, seed)
        if answers is None:
            return (windows,)
        # there is one answer fewer than characters, and windows are one shorter: the starts agree
        return windows, sequences.random_windows(answers, length, config.batch_size, seed)

    return batch_of


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of every next character, and their number.

    With teachers' answers, TAUGHT of the loss is theirs (Hinton et al. 2015): a character read
    twenty times is known by heart, but not what else could stand there.
    """
    windows, *taught = batch
    logits = model(windows[:, :-1]).flatten(0, 1).float()
    targets = windows[:, 1:].flatten()
    loss = F.cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)
    for answers in taught:
        theirs = F.cross_entropy(logits, answers.flatten(0, 1).float(), reduction="sum")
        loss = torch.lerp(loss, theirs, TAUGHT)
    return loss, torch.tensor(targets.numel(), device=loss.device)


def predictions(model: DecoderLM, ids: Tensor, start: int, batch_size: int = 64) -> Tensor:
    """Logits of each of ids[start:], given half a window or more. -> (characters, vocab_size)

    The first characters see the end of the text before start, as a reader would.
    """
    length = model.config.max_len
    windows = sequences.sliding_windows(ids, start, length, length // 2)
    device, found = next(model.parameters()).device, []
    for first in range(0, len(windows), batch_size):
        group = windows[first : first + batch_size]
        width = max(len(window) for window, _ in group)
        # short windows are padded on the right, where a causal model does not look
        padded = torch.stack([F.pad(window, (0, width - len(window))) for window, _ in group])
        logits = model(padded[:, :-1].to(device)).float().cpu()
        for row, (window, n_new) in zip(logits, group, strict=True):
            found.append(row[len(window) - 1 - n_new : len(window) - 1].clone())  # frees the rest
    return torch.cat(found)


def validation_loss(model: DecoderLM, ids: Tensor, start: int, batch_size: int = 64) -> float:
    """Nats per character over ids[start:], each predicted once."""
    return F.cross_entropy(predictions(model, ids, start, batch_size), ids[start:]).item()


def refuse_readers(options: Options) -> None:
    """Refuse a trial that begins with or learns from a model that has read what it is judged by."""
    if options.preset != "trial":
        return
    for folder in (*options.init, *options.teachers):
        runs = runs_of(folder)
        if not runs or any(run["preset"] != "trial" for run in runs):
            raise SystemExit(f"{folder} has read what a trial is judged by: name a trial's own")


def answers_of(teachers: Sequence[DecoderLM], precision: str, ids: Tensor) -> Tensor:
    """What teachers expect after each character but the last, on average.

    -> (characters - 1, vocab_size), in float16
    """
    return mean_answer(teachers, precision, lambda one: predictions(one, ids, 1)).half()


def known(tokenizer: Tokenizer, text: str) -> str:
    """The text; DataError if a vocabulary made of another one lacks its characters, which would all
    be one that is easily guessed."""
    if unknown := tokenizer.unknown_characters(text):
        raise DataError(f"The model's vocabulary lacks {len(unknown)}: {' '.join(unknown[:20])}")
    return text


def encode(tokenizer: Tokenizer, text: str) -> Tensor:
    """(characters,)"""
    return torch.tensor(tokenizer.encode(text))


def test_set(
    trained: Trained[DecoderLM], path: Path | None, limit: int | None
) -> tuple[str, int | None]:
    """The whole text, since what stands before the held-out tenth is read too, and the limit."""
    return hub.shakespeare(path), limit


def score(trained: Trained[DecoderLM], examples: tuple[str, int | None]) -> dict[str, float]:
    """The loss on the held-out tenth, or on its first `limit` characters."""
    text, limit = examples
    ids = encode(trained.tokenizer, known(trained.tokenizer, text))
    start = split(ids)
    ids = ids[: None if limit is None else start + limit]
    loss = validation_loss(trained.model, ids, start)
    return {
        "val_loss": loss,
        "bits_per_character": loss / math.log(2),
        "n_chars": len(ids) - start,
    }


EXAM = scores_alone("shakespeare", DecoderLM, test_set, score, card_of)


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    options = read_flags(
        "shakespeare",
        PRESETS,
        __doc__,
        argv,
        fixed=("vocab_size", "best_by", "causal_mask", *OF_CLASSIFIERS),
        one_file=True,
        teachers="checkpoints whose answers are half of what is learnt",
    )
    refuse_readers(options)
    if options.preset == "trial":  # only what is published is scored on the last tenth
        options = replace(options, exam=False)
    teachers = teachers_of(options, DecoderLM)
    text = hub.shakespeare(options.data)
    tokenizer = options.held_tokenizer() or train_characters(text)
    learnt, judged, start = parts(encode(tokenizer, known(tokenizer, text)), options.preset)
    config = options.model_config(tokenizer)
    torch.manual_seed(options.train.seed)

    def evaluate(model: DecoderLM) -> dict[str, float]:
        return {"loss": validation_loss(model, judged, start)}

    def taught() -> Callable[[int], Batch]:
        answers = answers_of(teachers, options.precision, learnt)
        teachers.clear()  # they are asked once, and would stay where the pupil learns
        return batches(learnt, config.max_len, options.train, answers)

    batch_of = batches(learnt, config.max_len, options.train)
    loss = partial(loss_of, smoothing=options.train.label_smoothing)
    model = DecoderLM(config)
    job = Job(options, model, tokenizer, batch_of, loss, evaluate, (judged[start:],))
    run(replace(job, taught=taught) if teachers else job, EXAM)


if __name__ == "__main__":
    main()
