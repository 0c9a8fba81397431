"""Time for one review: the prediction, the whole trial, and the knock-out of all heads.

For 64 words and for a text that fills the model, with the shipped weights or random ones of their
shape. Wall-clock and processor time: on a busy machine the second is what an idle one would need.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch

from train.reviews import MODEL
from transformer_core.checkpoint import Trained, load_trained
from transformer_core.explain.attribution import Attribution
from transformer_core.explain.knock_out import knock_out_class
from transformer_core.explain.trial import put_on_trial
from transformer_core.model.models import EncoderClassifier
from transformer_core.tasks.classification import classify
from transformer_core.tokenization import train_bpe

CHECKPOINT = Path("checkpoints/sentiment")
TEXT = (
    "I expected a masterpiece . What I got was two hours of my life that I will never get back , "
    "although the music was lovely and the old man in the garden made me laugh once or twice ."
)


def classifier() -> Trained:
    """The trained model, or one of its shape."""
    if (CHECKPOINT / "config.json").exists():
        return load_trained(CHECKPOINT)
    tokenizer = train_bpe([TEXT] * 9, 300, web=True)
    return Trained(EncoderClassifier(MODEL).eval(), tokenizer, CHECKPOINT)


def text_of(n_words: int) -> str:
    """So many words."""
    words = TEXT.split()
    return " ".join(words[i % len(words)] for i in range(n_words))


def seconds(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The best wall-clock and processor times of several calls."""
    found = []
    for _ in range(rounds):
        begun = time.perf_counter(), time.process_time()
        run()
        found.append((time.perf_counter() - begun[0], time.process_time() - begun[1]))
    wall, processor = (min(column) for column in zip(*found, strict=True))
    return wall, processor


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=3)
    flags = parser.parse_args()
    trained = classifier()
    for threads in flags.threads:
        torch.set_num_threads(threads)
        for n_words in (64, trained.model.config.max_len):
            text, notes = text_of(n_words), []
            ids = classify(trained, text).review.ids

            def predict(text: str = text) -> None:
                classify(trained, text)

            def stand_trial(text: str = text, notes: list[Attribution] = notes) -> None:
                *_, last = put_on_trial(trained, text)
                notes[:] = [a for a in last.attributions if a.method == "integrated gradients"]

            def knock(ids: list[int] = ids) -> None:
                knock_out_class(trained.model, ids, 0)

            print(f"{threads} threads, {len(ids)} pieces:", end="")
            for name, run in (("prediction", predict), ("trial", stand_trial), ("heads", knock)):
                wall, processor = seconds(run, flags.rounds)
                print(f"  {name} {wall:.3f} s (processor {processor:.3f} s)", end="", flush=True)
            print(f"  [{notes[0].note.rpartition('; ')[2]}]")


if __name__ == "__main__":
    main()
