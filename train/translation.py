"""Train an encoder-decoder to translate English into German: `python -m train.translation`"""

import functools
import math
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from torch import Tensor, nn

from train.cards.translation import card_of
from train.data import buckets, hub
from train.data.error import DataError
from train.data.pairs import (
    FINISHING,
    WEIGHTS,
    Encoded,
    batches,
    encode,
    ids_of,
    learn_pieces,
    load,
    spread,
)
from train.loop import Batch, TrainConfig
from train.running.beginning import begun_from
from train.running.flags import in_a_sentence, read_flags
from train.running.losses import smoothed_cross_entropy
from train.running.run import Job, run
from train.running.scores import scores_alone
from transformer_core.checkpoint import Trained
from transformer_core.model.config import OF_CLASSIFIERS, ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import EncoderDecoder
from transformer_core.tasks.batches import translate_ids
from transformer_core.tokenization import Tokenizer

# vocab_size is what the tokenizer is trained to: the one of three sizes with the fewest nats per
# character (train.vocabulary); batch_size counts tokens of both sides, padded
MODEL = ModelConfig(
    vocab_size=8_000,
    d_model=320,
    n_heads=5,
    n_layers=4,
    d_ff=1280,
    max_len=160,
    dropout=0.0,  # an hour on a CPU sees each pair a few times: there is nothing to regularise
    positional_encoding="sinusoidal",
    activation="relu",
)
TRAIN = TrainConfig(
    minutes=90,
    batch_size=8_000,
    accumulate=2,  # half the memory, and no slower
    optimizer="muon",
    learning_rate=3e-3,
    warmup_steps=200,
    weight_decay=0.01,
    label_smoothing=0.1,
    ema=0.998,
    eval_every=400,
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
    "gpu": (
        replace(MODEL, d_model=384, n_heads=6, d_ff=1536, dropout=0.15),
        replace(
            TRAIN,
            minutes=9,
            batch_size=50_000,
            accumulate=1,
            learning_rate=4e-3,
            warmup_steps=300,
            weight_decay=0.05,
            ema=0.999,
            eval_every=2_500,
        ),
    ),
    # continues from --init with the sources shown as often as `pairs.FINISHING` says; whether the
    # result, or its mean with the beginning, is better has to be tried: see trials.json
    "finish": (
        MODEL,
        replace(
            TRAIN, minutes=45, learning_rate=1.5e-3, warmup_steps=50, ema=0.996, keep_last=True
        ),
    ),
    # The report's own model had 90,248,496 parameters: its source and target embeddings and its
    # output layer were three matrices of 30,000 x 512, and the output had a bias. Here they are one
    # matrix without a bias, which leaves 90,248,496 - 2 * 15,360,000 - 30,000 = 59,498,496.
    # 1,400 tokens are about its 32 sentences.
    "report": (
        replace(
            MODEL,
            vocab_size=30_000,
            d_model=512,
            n_heads=8,
            n_layers=6,
            d_ff=2048,
            dropout=0.1,
            norm="post",
        ),
        replace(
            TRAIN,
            batch_size=1_400,
            accumulate=1,
            optimizer="adamw",
            learning_rate=1e-4,
            weight_decay=0.0,
        ),
    ),
}

N_VALIDATION, N_BLEU = 400, 100  # sentences per set for the loss and for greedy BLEU
BABBLE = 5.0  # above this loss a model repeats itself without end, and BLEU tells nothing


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of every target piece, and their number."""
    src, tgt = batch
    return smoothed_cross_entropy(model(src, tgt[:, :-1]), tgt[:, 1:], smoothing)


@torch.inference_mode()
def validation_loss(model: EncoderDecoder, corpus: Encoded, n_tokens: int = 6_000) -> float:
    """Nats per target piece, the end token's included."""
    device = next(model.parameters()).device
    src, tgt = corpus.src.lengths, corpus.tgt.lengths
    everything = buckets.by_length(torch.arange(len(src)), src, tgt)
    total = torch.zeros((), dtype=torch.float64)
    for rows in buckets.cut(everything, src, tgt, n_tokens):
        source, target = corpus.src.pad(rows).to(device), corpus.tgt.pad(rows).to(device)
        logits = model(source, target[:, :-1]).float().flatten(0, 1)
        targets = target[:, 1:].flatten()
        total += F.cross_entropy(logits, targets, ignore_index=PAD, reduction="sum").cpu()
    return total.item() / int((tgt - 1).sum())


def translate_all(
    model: EncoderDecoder, tokenizer: Tokenizer, corpus: Encoded, beam_size: int
) -> list[str]:
    """The German of every source sentence."""
    sources = [corpus.src[i] for i in range(len(corpus.pairs))]
    found = translate_ids(model, sources, beam_size=beam_size)
    return [tokenizer.decode(hypothesis.tokens) for hypothesis in found]


def judge(
    model: EncoderDecoder,
    tokenizer: Tokenizer,
    corpora: dict[str, Encoded],
    few: dict[str, Encoded],
) -> dict[str, float]:
    """Mean loss over the validation sets, each set's loss, and greedy BLEU on a few sentences."""
    losses = {f"loss_{name}": validation_loss(model, corpus) for name, corpus in corpora.items()}
    loss = sum(losses.values()) / len(losses)
    bleu = {
        f"bleu_{name}": bleu_of(translate_all(model, tokenizer, corpus, 1), corpus.pairs.de)
        for name, corpus in (few.items() if loss < BABBLE else ())
    }
    return {"loss": loss, **losses, **bleu}


def bleu_of(translations: list[str], references: list[str]) -> float:
    """Corpus BLEU, 0 to 100."""
    return BLEU().corpus_score(translations, [references]).score


def test_sets(path: Path | None) -> dict[str, hub.Pairs]:
    """What a translator is scored on: one file, a folder's test sets, or IWSLT's; DataError if
    there is nothing."""
    sets = hub.translation(path, "test" if path is None or path.is_dir() else "")
    if not sets:
        raise DataError(
            f"{path} has no test*.parquet to score a translator on; train.translation --no-exam "
            "trains one without"
        )
    return sets


def test_set(
    trained: Trained[EncoderDecoder], path: Path | None, limit: int | None
) -> dict[str, hub.Pairs]:
    """The pairs of every set, or the first `limit` of each."""
    sets = test_sets(path)
    return {name: pairs.take(range(len(pairs))[:limit]) for name, pairs in sets.items()}


@torch.inference_mode()
def score(trained: Trained[EncoderDecoder], sets: dict[str, hub.Pairs]) -> dict[str, float]:
    """Beam search against references.

    With several sets the scores are over all sentences together; each set also has its own BLEU.
    """
    max_len = trained.model.config.max_len
    corpora = {name: encode(trained.tokenizer, pairs, max_len) for name, pairs in sets.items()}
    found = {
        name: translate_all(trained.model, trained.tokenizer, corpus, beam_size=4)
        for name, corpus in corpora.items()
    }
    references = [text for corpus in corpora.values() for text in corpus.pairs.de]
    translations = [text for texts in found.values() for text in texts]
    pieces = {name: len(c.tgt.ids) - len(c.pairs) for name, c in corpora.items()}
    nats = sum(validation_loss(trained.model, c) * pieces[name] for name, c in corpora.items())
    loss = nats / sum(pieces.values())
    own = {
        f"bleu_{name}": bleu_of(found[name], corpus.pairs.de) for name, corpus in corpora.items()
    }
    return {
        "bleu": bleu_of(translations, references),
        "chrf": CHRF().corpus_score(translations, [references]).score,
        "loss": loss,
        "ppl": math.exp(loss),
        "n": len(references),
        **(own if len(own) > 1 else {}),
    }


EXAM = scores_alone("translation", EncoderDecoder, test_set, score, card_of)


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    options = read_flags("translation", PRESETS, __doc__, argv, fixed=("best_by", *OF_CLASSIFIERS))
    if options.preset == "finish":
        begun_from(options)
    pairs, validation = load(options.data)
    if options.exam:
        test_sets(options.data)  # now, and not after the training
    tokenizer = options.held_tokenizer() or learn_pieces(pairs, options.model.vocab_size)
    config = options.model_config(tokenizer)
    weights = FINISHING if options.preset == "finish" else WEIGHTS
    batch_of = batches(tokenizer, encode(tokenizer, pairs, config.max_len), options.train, weights)
    some = {
        name.removeprefix("validation_"): encode(tokenizer, spread(p, N_VALIDATION), config.max_len)
        for name, p in validation.items()
    }
    few = {
        name: encode(tokenizer, spread(corpus.pairs, N_BLEU), config.max_len)
        for name, corpus in some.items()
    }
    torch.manual_seed(options.train.seed)

    def evaluate(model: EncoderDecoder) -> dict[str, float]:
        return judge(model, tokenizer, some, few)

    loss = functools.partial(loss_of, smoothing=options.train.label_smoothing)
    model = EncoderDecoder(config)
    judged = ids_of(some.values())
    run(Job(options, model, tokenizer, batch_of, loss, evaluate, judged), EXAM)


if __name__ == "__main__":
    main()
