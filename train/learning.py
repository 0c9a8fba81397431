"""Record how a decoder learns to write: `python -m train.learning`

A model of the published one's shape is trained anew, for minutes, not for hours. At steps that lie
ever further apart it writes the same prompt on with the same dice, and is judged on held-out text,
as are tables that only count which characters follow each other. Nothing is kept of its weights;
what was recorded stands beside the published ones, as learning.json.
"""

import argparse
import copy
import math
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from train import shakespeare
from train.data import hub
from train.loop import fit
from train.running.flags import in_a_sentence, typed
from train.running.hardware import Hardware, choose, name_of, settle_memory
from train.running.records import commit
from transformer_core.checkpoint import Trained
from transformer_core.files import write_atomically
from transformer_core.model.models import DecoderLM
from transformer_core.published import FOLDER
from transformer_core.studies.learning import FILE, Learning, Level, Snapshot
from transformer_core.tasks.generation import SAMPLING, SEED, write_on
from transformer_core.tokenization import train_characters

STEPS = 1_000
RECORDED = (0, 1, 2, 5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 400, 600, 800, STEPS)
PROMPT = "ROMEO:\n"
N_WRITTEN = 420  # characters
N_JUDGED = 20_000  # characters of the held-out part
ORDERS = {
    1: "single letters",
    2: "pairs of letters",
    3: "runs of three letters",
    5: "runs of five letters",
}


def counted_loss(text: str, held_out: str, order: int) -> float:
    """Nats per character of held_out, predicted by counts from text: how often each character
    follows the order - 1 before it, smoothed by shorter contexts (Witten and Bell 1991)."""
    follows: list[dict[str, Counter[str]]] = [defaultdict(Counter) for _ in range(order)]
    for n, seen in enumerate(follows):
        for place in range(n, len(text)):
            seen[text[place - n : place]][text[place]] += 1
    alphabet = len(set(text) | set(held_out))
    lost = 0.0
    for place in range(order - 1, len(held_out)):
        p = 1 / alphabet
        for n, seen in enumerate(follows):
            if after := seen.get(held_out[place - n : place]):
                total, kinds = after.total(), len(after)
                p = (after[held_out[place]] + kinds * p) / (total + kinds)
        lost -= math.log(p)
    return lost / (len(held_out) - order + 1)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return re.findall(r"[a-z']+", text.lower())


def known_share(written: str, words: set[str]) -> float:
    """The share of written words that are in words; the last is left out: it may be unfinished."""
    found = words_of(written)[:-1]
    return sum(word in words for word in found) / max(1, len(found))


@torch.inference_mode()
def snapshot(
    trained: Trained[DecoderLM], step: int, tokens: int, ids: Tensor, start: int, words: set[str]
) -> Snapshot:
    """What a model in training writes, and its loss on ids[start:]."""
    prompt = trained.tokenizer.encode(PROMPT)
    written = list(write_on(trained, prompt, N_WRITTEN, SAMPLING, SEED))
    text = "".join(token.text for token in written)
    return Snapshot(
        step=step,
        tokens=tokens,
        loss=round(shakespeare.validation_loss(trained.model, ids, start), 4),
        known=round(known_share(text, words), 4),
        text=text,
        probs=tuple(round(token.prob, 3) for token in written),
    )


def learn(text: str, steps: int, hardware: Hardware) -> Learning:
    """Train, and record."""
    start = shakespeare.split(text)
    tokenizer = train_characters(text)
    known, judged = text[:start], text[start : start + N_JUDGED]
    ids = shakespeare.encode(tokenizer, text[: start + N_JUDGED])
    config = replace(shakespeare.TRAIN, steps=steps, minutes=0, ema=0.0, eval_every=steps)
    torch.manual_seed(config.seed)
    model = DecoderLM(replace(shakespeare.MODEL, vocab_size=tokenizer.vocab_size))
    words = set(words_of(known))
    training = fit(
        model,
        shakespeare.batches(ids[:start], shakespeare.MODEL.max_len, config),
        shakespeare.loss_of,
        lambda _: {"loss": 0.0},  # it is judged below
        config,
        device=hardware.device,
        precision=hardware.precision,
    )
    recorded, seconds = [], 0.0
    for now, averaged in tqdm(training, total=steps + 1):
        if now.step in RECORDED or now.step == steps:
            seconds = now.seconds
            trained = Trained(copy.deepcopy(averaged).cpu().eval(), tokenizer, Path())
            recorded.append(snapshot(trained, now.step, now.tokens, ids, start, words))
    return Learning(
        prompt=PROMPT,
        minutes=round(seconds / 60, 1),
        device=name_of(hardware.device),
        levels=tuple(
            Level(name, round(counted_loss(known, judged, order), 4))
            for order, name in ORDERS.items()
        ),
        snapshots=tuple(recorded),
    )


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Record from the command line and write learning.json."""
    parser = argparse.ArgumentParser(prog="python -m train.learning", description=__doc__)
    parser.add_argument("--checkpoint", type=Path, default=FOLDER / "shakespeare")
    parser.add_argument("--data", type=Path, help="a local copy of the data")
    parser.add_argument("--steps", type=int, default=STEPS)
    flags = parser.parse_args(argv)
    if flags.steps < 1:
        parser.error(f"--steps {flags.steps} must be at least 1")
    flags.checkpoint.mkdir(parents=True, exist_ok=True)  # before minutes of training
    settle_memory()
    code = commit()  # before: who edits the code meanwhile changes nothing
    found = learn(hub.shakespeare(flags.data), flags.steps, choose("auto"))
    found = replace(found, command=typed("learning", argv), commit=code)
    write_atomically(flags.checkpoint / FILE, found.to_json())
    for one in found.snapshots:
        print(f"{one.step:5} steps, {one.loss:.3f} nats, {one.known:.0%} known words")


if __name__ == "__main__":
    main()
