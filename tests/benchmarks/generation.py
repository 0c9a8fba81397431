"""Characters per second at batch 1, until a context of 256 is full: ours and GPT-2 of its shape.

Ways to write the same number of characters, taken in turns so that a busy machine slows all of
them alike; the fastest of several rounds counts. Ours is what the app calls, with sampling and the
ten alternatives of every character; then the barest loop around its step; then one without a
cache. GPT-2 is `transformers`' with random weights and its cache, through its own `generate` and in
the barest loop around its forward pass.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging

from train.shakespeare import MODEL
from transformer_core.checkpoint import Trained, load_trained
from transformer_core.decoding.steps import language_model_step
from transformer_core.inference import generate
from transformer_core.model.models import DecoderLM
from transformer_core.tokenization import train_characters

CHECKPOINT = Path("checkpoints/shakespeare")
PROMPT = "ROMEO:\n"


def writer() -> Trained:
    """The trained model, or one of its shape."""
    if (CHECKPOINT / "config.json").exists():
        return load_trained(CHECKPOINT)
    characters = "".join(chr(ord(" ") + i) for i in range(MODEL.vocab_size - 7)) + "\n"
    return Trained(DecoderLM(MODEL).eval(), train_characters(characters), CHECKPOINT)


def cached(trained: Trained, n: int) -> None:
    """Ours, as the app calls it."""
    for _ in generate(trained, PROMPT, n):
        pass


@torch.inference_mode()
def bare(trained: Trained, n: int) -> None:
    """Ours, only the step and the drawing."""
    tokens = torch.tensor([trained.tokenizer.encode(PROMPT)])
    step, row = language_model_step(trained.model), torch.tensor([0])
    for _ in range(n):
        drawn = torch.multinomial(step(tokens, row).exp(), 1)
        tokens = torch.cat([tokens, drawn], dim=1)


@torch.inference_mode()
def uncached(trained: Trained, n: int) -> None:
    """Ours without a cache: the whole text anew for every character, and nothing but sampling."""
    tokens = torch.tensor([trained.tokenizer.encode(PROMPT)])
    for _ in range(n):
        probs = trained.model(tokens)[0, -1].softmax(-1)
        tokens = torch.cat([tokens, torch.multinomial(probs, 1)[None]], dim=1)


def gpt2_of(trained: Trained) -> GPT2LMHeadModel:
    """`transformers`' GPT-2 with the same sizes."""
    config = trained.model.config
    shape = GPT2Config(
        vocab_size=config.vocab_size,
        n_positions=config.max_len,
        n_embd=config.d_model,
        n_layer=config.n_layers,
        n_head=config.n_heads,
        n_inner=config.d_ff,
        bos_token_id=1,
        eos_token_id=None,
        pad_token_id=0,
    )
    return GPT2LMHeadModel(shape).eval()


@torch.inference_mode()
def gpt2_generate(model: GPT2LMHeadModel, ids: list[int], n: int) -> None:
    """Its own generate."""
    tokens = torch.tensor([ids])
    model.generate(
        tokens,
        attention_mask=torch.ones_like(tokens),
        max_new_tokens=n,
        do_sample=True,
        use_cache=True,
    )


@torch.inference_mode()
def gpt2_loop(model: GPT2LMHeadModel, ids: list[int], n: int) -> None:
    """The barest loop that samples from it with its cache."""
    tokens, past = torch.tensor([ids]), None
    for _ in range(n):
        output = model(tokens, past_key_values=past, use_cache=True)
        past = output.past_key_values
        tokens = torch.multinomial(output.logits[0, -1].softmax(-1), 1)[None]


def speeds(ways: dict[str, Callable[[], None]], n: int, rounds: int) -> dict[str, float]:
    """Characters per second of each way, in its fastest round."""
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds + 1):  # the first one warms up, and is never the fastest
        for name, run in ways.items():
            started = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - started)
    return {name: n / best for name, best in seconds.items()}


def main() -> None:
    """Print a table and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    flags = parser.parse_args()
    logging.set_verbosity_error()
    trained = writer()
    gpt2, ids = gpt2_of(trained), trained.tokenizer.encode(PROMPT)
    n = trained.model.config.max_len - len(ids)
    ways = {
        "ours, as the app": lambda: cached(trained, n),
        "ours, bare loop": lambda: bare(trained, n),
        "ours, uncached": lambda: uncached(trained, n),
        "GPT-2, its generate": lambda: gpt2_generate(gpt2, ids, n),
        "GPT-2, bare loop": lambda: gpt2_loop(gpt2, ids, n),
    }
    print(
        f"{n} characters after {len(ids)}, batch 1, float32: ours "
        f"{trained.model.n_parameters:,} parameters, GPT-2 {gpt2.num_parameters():,}"
    )
    for threads in flags.threads:
        torch.set_num_threads(threads)
        found = speeds(ways, n, flags.rounds)
        print(f"\nthreads: {threads}")
        for name, speed in found.items():
            print(f"  {name:20} {speed:6.0f} characters/s")
        print(
            "  ratios:", ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios(found).items())
        )


def ratios(found: dict[str, float]) -> dict[str, float]:
    """What the cache is worth, and how we compare with GPT-2, like with like."""
    app, loop, uncached, gpt2_generate, gpt2_loop = found.values()
    return {
        "cached to uncached": loop / uncached,
        "as the app to GPT-2's generate": app / gpt2_generate,
        "bare loop to GPT-2's bare loop": loop / gpt2_loop,
    }


if __name__ == "__main__":
    main()
