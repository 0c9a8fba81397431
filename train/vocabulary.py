"""Find out how large the translator's vocabulary should be: `python -m train.vocabulary`

Translators that differ in nothing else are trained for the same minutes and compared on the
validation sets: by BLEU, and by nats per character, since a piece of a larger vocabulary says more.
The result stands in the checkpoint, as vocabulary.json.
"""

import argparse
import json
import math
from collections import deque
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from train.data.hub import Pairs
from train.data.pairs import Encoded, batches, encode, learn_pieces, load, spread
from train.loop import TrainConfig, fit
from train.running.flags import in_a_sentence, typed
from train.running.hardware import Hardware, choose, name_of, settle_memory
from train.running.records import commit
from train.translation import (
    MODEL,
    N_VALIDATION,
    TRAIN,
    bleu_of,
    loss_of,
    translate_all,
    validation_loss,
)
from transformer_core.files import write_atomically
from transformer_core.model.models import EncoderDecoder
from transformer_core.published import FOLDER

SIZES = (4_000, 8_000, 16_000)


def nats_per_character(model: EncoderDecoder, corpora: list[Encoded]) -> float:
    """Mean over the sets of the loss of all pieces, by the characters that they spell."""
    rates = []
    for corpus in corpora:
        n_pieces = int((corpus.tgt.lengths - 1).sum())
        n_characters = sum(map(len, corpus.pairs.de))
        rates.append(validation_loss(model, corpus) * n_pieces / n_characters)
    return sum(rates) / len(rates)


def try_size(
    size: int,
    pairs: Pairs,
    validation: dict[str, Pairs],
    config: TrainConfig,
    hardware: Hardware,
) -> dict[str, float]:
    """What a translator with this vocabulary reaches."""
    tokenizer = learn_pieces(pairs, size)
    shape = replace(MODEL, vocab_size=tokenizer.vocab_size)
    held_out = {
        name: encode(tokenizer, spread(one, N_VALIDATION), shape.max_len)
        for name, one in validation.items()
    }
    torch.manual_seed(config.seed)
    steps = fit(
        EncoderDecoder(shape),
        batches(tokenizer, encode(tokenizer, pairs, shape.max_len), config),
        partial(loss_of, smoothing=config.label_smoothing),
        lambda model: {"loss": nats_per_character(model, list(held_out.values()))},
        config,
        device=hardware.device,
        precision=hardware.precision,
    )
    ((now, model),) = deque(steps, maxlen=1)
    assert now.metrics is not None  # a training ends with an evaluation
    return {
        "vocab_size": tokenizer.vocab_size,
        "nats_per_character": now.metrics["loss"],
        **{
            f"bleu_{name}": bleu_of(translate_all(model, tokenizer, one, 1), one.pairs.de)
            for name, one in held_out.items()
        },
        "steps": now.step,
        "minutes": round(now.seconds / 60, 1),
    }


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Measure from the command line and write vocabulary.json."""
    parser = argparse.ArgumentParser(prog="python -m train.vocabulary", description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=FOLDER / "translation")
    parser.add_argument("--data", type=Path, help="a local copy of the data")
    parser.add_argument("--minutes", type=float, default=10.0, help="of training, for each size")
    parser.add_argument("--threads", type=int, default=1)
    flags = parser.parse_args(argv)
    if not 0 < flags.minutes < math.inf:
        parser.error(f"--minutes {flags.minutes} must be finite and above 0")
    if flags.threads < 1:
        parser.error(f"--threads {flags.threads} must be at least 1")
    flags.checkpoint.mkdir(parents=True, exist_ok=True)  # before half an hour of training
    settle_memory()
    torch.set_num_threads(flags.threads)
    # evaluated before the first step and after the last
    config = replace(TRAIN, minutes=flags.minutes, warmup_steps=100, eval_every=1_000_000)
    pairs, validation = load(flags.data)
    found, hardware = [], choose()
    code = commit()  # before: who edits the code meanwhile changes nothing
    for size in SIZES:
        found.append(try_size(size, pairs, validation, config, hardware))
        print(json.dumps(found[-1]), flush=True)
    record = {
        "chosen": MODEL.vocab_size,
        "tried": found,
        "command": typed("vocabulary", argv),
        "device": name_of(hardware.device),
        "threads": torch.get_num_threads(),
        "precision": hardware.precision,
        "commit": code,
    }
    write_atomically(flags.checkpoint / "vocabulary.json", json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
