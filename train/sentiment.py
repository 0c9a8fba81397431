"""Train a classifier of film reviews: `python -m train.sentiment --init checkpoints/reviews`

The presets `report` and `lstm` train small models from nothing, under the protocol of a student
report: all 50,000 reviews, a tenth of them to validate and a tenth to test. `linear` is a rival
without any network that learns and is tested as the classifier is, within two minutes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train import reviews
from train.cards.sentiment import card_of
from train.data import films, short_sentences
from train.data.buckets import Ragged
from train.data.hub import Reviews, evenly
from train.data.labelled_reviews import (
    FORGOTTEN,
    PLAIN_PRESETS,
    REPORT_PRESETS,
    WHOLE,
    Examples,
    batches,
    certain,
    encode,
    first_sentences,
    reviews_and_excerpts,
    single_sentences,
    splits,
    test_reviews,
    unsaid,
    whole_reviews,
)
from train.loop import Batch, TrainConfig
from train.naive_bayes import begin_with_naive_bayes
from train.reviews import learn_pieces
from train.running.beginning import begun_from
from train.running.flags import Options, in_a_sentence, read_flags
from train.running.records import is_in, preset_of, runs_of
from train.running.run import Job, run
from train.running.scores import Details, Exam, Scores
from train.running.teachers import mean_answer, teachers_of
from train.running.verdicts import (
    Classifier,
    Validation,
    calibration_error,
    judge,
    predict,
    reliability,
    worst,
)
from transformer_core.checkpoint import TEST_SET_FILE, Trained
from transformer_core.model.models import EncoderClassifier, Model
from transformer_core.model.rivals import LinearClassifier, LSTMClassifier
from transformer_core.tokenization import Tokenizer

MODEL = replace(reviews.MODEL, dropout=0.1)
TRAIN = TrainConfig(
    minutes=20,
    batch_size=12_000,  # padded pieces
    optimizer="muon",
    learning_rate=1e-3,
    warmup_steps=50,
    weight_decay=0.05,
    ema=0.99,
    eval_every=150,
    best_by="error",
)
# some 20 reviews at a time, for twelve epochs of 40,000; 16 of the longest
REPORT = TrainConfig(
    steps=25_000,
    batch_size=16 * 256,
    learning_rate=5e-4,
    weight_decay=0.01,
    eval_every=1_250,
    best_by="error",
)
# four epochs of batches of some 50 reviews
LINEAR = TrainConfig(
    steps=1_800,
    batch_size=16_000,
    learning_rate=5e-4,
    warmup_steps=0,
    weight_decay=0.0,
    eval_every=180,
)
SMALL = replace(
    reviews.MODEL,
    d_model=64,
    n_heads=2,
    n_layers=2,
    d_ff=128,
    max_len=256,
    dropout=0.1,
    positional_encoding="sinusoidal",
    activation="relu",
)
PRESETS = {
    "cpu": (MODEL, TRAIN),
    "gpu": (
        replace(reviews.PRESETS["gpu"][0], dropout=0.1),
        replace(TRAIN, minutes=2, eval_every=250),
    ),
    # continues from --init with single sentences, which have no labels of their own: each is
    # learnt with what is known of its whole review
    "sentences": (MODEL, replace(TRAIN, minutes=60, eval_every=300, keep_last=True)),
    "report": (SMALL, REPORT),
    # d_model and d_ff are the sizes of the embedding and of the state: some 500,000 parameters
    "lstm": (replace(SMALL, d_model=40, d_ff=128, n_layers=1), REPORT),
    "linear": (replace(SMALL, max_len=4_096, dropout=0.0), LINEAR),
}
TEACHERS = "whose mean answer is learnt where there is no label; if not given, that of --init"
FORGETFUL_PRESETS = ("cpu", "gpu")  # single sentences are too many, and too short, to forget
MODELS: dict[str, type[Classifier]] = {"lstm": LSTMClassifier, "linear": LinearClassifier}


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy, and the number of reviews."""
    tokens, target = batch
    logits = model(tokens).float()
    loss = F.cross_entropy(logits, target, reduction="sum", label_smoothing=smoothing)
    return loss, torch.tensor(len(target), device=loss.device)


def test_set(trained: Trained[Model], path: Path | None, limit: int | None) -> Reviews:
    """The test reviews, or `limit` of them at even distances."""
    some = test_reviews(path, preset_of(trained.folder))
    return some.take(evenly(range(len(some)), limit or len(some)))


def score(trained: Trained[Model], some: Reviews) -> tuple[Scores, Details]:
    """The scores on test reviews, and test_set.json.

    The latter says where the classifier errs and how sure it is.
    """
    corpus = encode(trained.tokenizer, some.text, trained.model.config.max_len)
    logits = predict(trained.model, corpus)
    beginnings = predict(trained.model, first_sentences(trained.tokenizer, corpus))
    whole, bins = judge(logits, some.label), reliability(logits, some.label)
    scores = {
        "accuracy": whole["accuracy"],
        "loss": whole["loss"],
        "ece": calibration_error(bins),
        "accuracy_first_sentence": judge(beginnings, some.label)["accuracy"],
        "ece_first_sentence": calibration_error(reliability(beginnings, some.label)),
        **{f"accuracy_{kind}": share_right(trained, kind) for kind in short_sentences.KINDS},
        "n": len(some),
    }
    counts = torch.zeros(2, 2, dtype=torch.long)
    counts.index_put_(
        (torch.tensor(some.label), logits.argmax(-1)), torch.tensor(1), accumulate=True
    )
    details = {
        **{name: scores[name] for name in ("n", "accuracy", "ece")},
        "confusion": counts.tolist(),  # rows are the labels, columns the answers
        "reliability": bins,
        "errors": list(worst(logits, some)),
    }
    return scores, {TEST_SET_FILE: details}


def share_right(trained: Trained[Model], kind: str) -> float:
    """Of the short sentences of a kind, the share with the right label."""
    some = short_sentences.of_kind(kind)
    corpus = encode(trained.tokenizer, some.text, trained.model.config.max_len)
    return judge(predict(trained.model, corpus), some.label)["accuracy"]


KINDS = (EncoderClassifier, *MODELS.values())
EXAM = Exam("sentiment", KINDS, (TEST_SET_FILE,), test_set, score, card_of)


def read(options: Options) -> tuple[Reviews, Reviews, Reviews]:
    """Labelled reviews to learn from and to validate on, and those without labels that a preset
    learns from."""
    if options.preset == "sentences":
        return films.load_all(options.data)
    return *splits(options.data, options.preset), Reviews([], [])


def examples_of(options: Options, tokenizer: Tokenizer, some: Ragged) -> Examples:
    """What a preset learns from, given its reviews."""
    if options.preset in PLAIN_PRESETS:
        return whole_reviews(some)
    if options.preset != "sentences":
        return reviews_and_excerpts(tokenizer, some, options.train.seed)
    return whole_reviews(some, WHOLE) + single_sentences(tokenizer, some)


def batches_of(
    options: Options, examples: Examples, label: list[int], verdicts: Tensor
) -> Callable[[int], Batch]:
    """Batches of what a preset learns from. verdicts: of the reviews behind those with a label"""
    forgotten = FORGOTTEN if options.preset in FORGETFUL_PRESETS else 0.0
    target = torch.cat([certain(label), verdicts])
    return batches(examples, target, options.train, forgotten=forgotten)


def with_teachers(options: Options) -> Options:
    """The options with teachers for single sentences: the checkpoints of --init, unless others are
    named."""
    if options.teachers and options.preset != "sentences":
        raise SystemExit("--teachers are asked by --preset sentences alone")
    if options.preset != "sentences":
        return options
    init = begun_from(options)
    if options.teachers:
        return options
    if is_in(options.out, init):
        # a run that is resumed would ask the half-trained weights
        raise SystemExit(f"--init {options.out} says what is learnt: choose another --out")
    return replace(options, teachers=init)


def refuse_readers(options: Options) -> None:
    """Refuse to continue or learn from a model that has read what this run is tested on.

    The report's protocol cuts all reviews anew: its training part holds some of the official test,
    and its test part some of what every other model has learnt from, also `train.reviews`.
    """
    by_report = options.preset in REPORT_PRESETS
    for folder in (*options.init, *options.teachers):
        runs = runs_of(folder)
        if not runs:
            raise SystemExit(f"{folder} does not say what it was trained on")
        own = [one["preset"] if one["task"] == options.task else None for one in runs]
        if {preset in REPORT_PRESETS for preset in own} != {by_report}:
            raise SystemExit(
                f"{folder} was trained under another protocol, and has read what this is tested on"
            )


def verdicts_of(teachers: Sequence[EncoderClassifier], precision: str, texts: Ragged) -> Tensor:
    """What teachers say of whole reviews on average. -> (reviews, n_classes)"""
    return mean_answer(teachers, precision, lambda one: predict(one, texts))


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Train from the command line."""
    # the app explains a verdict by what [CLS] came from
    asked = read_flags(
        "sentiment",
        PRESETS,
        __doc__,
        argv,
        fixed=("pooling", "n_classes", "causal_mask"),
        teachers=TEACHERS,
    )
    options = with_teachers(asked)
    refuse_readers(options)
    teachers = teachers_of(options, EncoderClassifier)
    some, held_out, others = read(options)
    tokenizer = options.held_tokenizer() or learn_pieces(some.text, options.model.vocab_size)
    config = options.model_config(tokenizer)
    corpus, unlabelled = (encode(tokenizer, part.text, config.max_len) for part in (some, others))
    validation = Validation.of(tokenizer, held_out, config.max_len)
    torch.manual_seed(options.train.seed)
    model = MODELS.get(options.preset, EncoderClassifier)(config)
    if isinstance(model, LinearClassifier):
        begin_with_naive_bayes(model, corpus, some.label)
    examples = examples_of(options, tokenizer, Ragged.joined([corpus, unlabelled]))
    batches_with = partial(batches_of, options, examples, some.label)

    def taught() -> Callable[[int], Batch]:
        verdicts = verdicts_of(teachers, options.precision, unlabelled)
        teachers.clear()  # they are asked once, and would stay where the pupil learns
        return batches_with(verdicts)

    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
        return loss_of(model, batch, options.train.label_smoothing)

    def finish(model: Classifier) -> None:
        temperature = validation.calibrated(model, plain=options.preset in PLAIN_PRESETS)
        print(f"temperature {temperature:.2f}")

    batch_of = batches_with(unsaid(len(others)))
    job = Job(options, model, tokenizer, batch_of, loss, validation.metrics, validation.examples)
    run(replace(job, taught=taught) if teachers else job, EXAM, finish)


if __name__ == "__main__":
    main()
