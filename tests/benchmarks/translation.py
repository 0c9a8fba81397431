"""Milliseconds for a sentence of ten words, beam 4: ours and a MarianMT of its shape.

Taken in turns so that a busy machine slows both alike; medians count. Ours is what the app calls:
search with step records, then the traced pass that its views need. MarianMT is `transformers`' with
random weights, made to write as many tokens as ours did.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from transformers import MarianConfig, MarianMTModel
from transformers.utils import logging

from train.translation import MODEL
from transformer_core.checkpoint import Trained, load_trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.tasks.translation import Sentence, translate_sentence
from transformer_core.tokenization import train_bpe

CHECKPOINT = Path("checkpoints/translation")
SENTENCE = "The old man is reading a book in the garden."
BEAM = 4


def translator() -> Trained:
    """The trained model, or one of its shape."""
    if (CHECKPOINT / "config.json").exists():
        return load_trained(CHECKPOINT)
    return Trained(EncoderDecoder(MODEL).eval(), train_bpe([SENTENCE], 100), CHECKPOINT)


def marian_of(trained: Trained) -> MarianMTModel:
    """`transformers`' MarianMT with the same sizes."""
    config = trained.model.config
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in (
            ("layers", config.n_layers),
            ("attention_heads", config.n_heads),
            ("ffn_dim", config.d_ff),
        )
    }
    shape = MarianConfig(
        vocab_size=config.vocab_size,
        d_model=config.d_model,
        max_position_embeddings=config.max_len,
        activation_function="relu",
        scale_embedding=True,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        forced_eos_token_id=2,
        **sides,
    )
    return MarianMTModel(shape).eval()


@torch.inference_mode()
def marian_beam(model: MarianMTModel, source: tuple[int, ...], n_new: int) -> None:
    """Its own beam search over exactly n_new tokens."""
    tokens = torch.tensor([source])
    model.generate(
        tokens,
        attention_mask=torch.ones_like(tokens),
        num_beams=BEAM,
        min_new_tokens=n_new,
        max_new_tokens=n_new,
        use_cache=True,
    )


def medians(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Milliseconds of each way, the median over the rounds after a first that warms up."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, run in ways.items():
            started = time.perf_counter()
            run()
            taken[name].append(1000 * (time.perf_counter() - started))
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def main() -> None:
    """Print a table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    flags = parser.parse_args()
    logging.set_verbosity_error()
    trained = translator()
    marian = marian_of(trained)
    found: Sentence = translate_sentence(trained, SENTENCE, BEAM)
    n_new = len(found.tokens)
    print(
        f"{len(SENTENCE.split())} words, {len(found.src_ids)} pieces to {n_new}, beam {BEAM}: ours "
        f"{trained.model.n_parameters:,} parameters, MarianMT {marian.num_parameters():,}"
    )
    ways = {
        "ours": lambda: translate_sentence(trained, SENTENCE, BEAM),
        "MarianMT": lambda: marian_beam(marian, found.src_ids, n_new),
    }
    for threads in flags.threads:
        torch.set_num_threads(threads)
        ours, theirs = medians(ways, flags.rounds).values()
        print(f"threads {threads}: ours {ours:.0f} ms, MarianMT {theirs:.0f} ms, ", end="")
        print(f"ratio {theirs / ours:.2f}")


if __name__ == "__main__":
    main()
