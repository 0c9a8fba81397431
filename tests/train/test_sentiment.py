"""Facts about train.reviews and train.sentiment: their data, their batches and their scores."""

import json
import math
import random
import re
from pathlib import Path

import datasets
import pytest
import torch
import torch.nn.functional as F
from tiny import build, tiny_classifier, words
from torch.testing import assert_close

from train import (
    cards,
    evaluate,
    long_reviews,
    naive_bayes,
    reviews,
    sentiment,
    translation,
)
from train.data import films, hub, labelled_reviews, short_sentences
from train.data.buckets import Ragged
from train.data.error import DataError
from train.data.hub import Reviews
from train.loop import TrainConfig
from train.naive_bayes import begin_with_naive_bayes
from train.reviews import BEGUN_WITH
from train.running import verdicts
from train.running.card import NAMED
from train.running.flags import read_flags
from train.running.locks import alone_in
from train.running.metrics import read_rows
from transformer_core.checkpoint import load, load_trained, save, weights_of
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import DecoderLM, EncoderClassifier, MaskedLM
from transformer_core.model.rivals import LinearClassifier, LSTMClassifier
from transformer_core.studies.trainings import read_runs
from transformer_core.tokenization import CLS, EOS, MASK, train_bpe

PRAISE = ["great", "lovely", "moving", "superb", "funny"]
BLAME = ["dull", "awful", "boring", "poor", "silly"]
SMALL = ["--d-model", "16", "--n-heads", "2", "--n-layers", "1", "--d-ff", "16"]
SMALL += ["--minutes", "0", "--steps", "2", "--eval-every", "1", "--precision", "no"]


def some_reviews(n: int, seed: int) -> Reviews:
    """Praise and blame of one to nine sentences."""
    rng = random.Random(seed)
    label = [i % 2 for i in range(n)]
    texts = [
        f"Film {seed}, {i}. "
        + " ".join(
            f"The {rng.choice(['plot', 'end', 'cast'])} was<br />"
            + rng.choice(PRAISE if y else BLAME)
            + rng.choice(".!?")
            for _ in range(rng.randint(1, 9))
        )
        for i, y in enumerate(label)
    ]
    return Reviews(texts, label)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data laid out as --data expects; ten training and ten unlabelled texts are also tested."""
    path = tmp_path / "imdb"
    path.mkdir()
    test = some_reviews(60, seed=1)
    parts = {
        "train": Reviews(
            some_reviews(150, 0).text + test.text[:10], some_reviews(150, 0).label + test.label[:10]
        ),
        "test": test,
        "unsupervised": Reviews(some_reviews(80, seed=2).text + test.text[10:20], [-1] * 90),
    }
    for name, part in parts.items():
        datasets.Dataset.from_dict(vars(part)).to_parquet(path / f"{name}.parquet")
    return path


def corpus(n: int = 40):
    some = some_reviews(n, seed=0)
    tokenizer = train_bpe(some.text, 90, web=True)
    return some, tokenizer, labelled_reviews.encode(tokenizer, some.text, 40)


def test_labels_may_be_numbers_or_words_and_nothing_else(tmp_path):
    table = tmp_path / "some.tsv"
    table.write_text("label\ttext\nneg\tBad.\npos\tGood.\n")
    assert hub.reviews(table, "test") == Reviews(["Bad.", "Good."], [0, 1])
    table.write_text("label\ttext\n0\tBad.\n1\tGood.\n")
    assert hub.reviews(table, "test").label == [0, 1]
    table.write_text("label\ttext\nmeh\tSo so.\n")
    with pytest.raises(ValueError, match="meh"):
        hub.reviews(table, "test")


def test_reviews_that_lack_labels_or_are_too_few_are_refused_in_a_sentence(folder, tmp_path):
    with pytest.raises(DataError, match="90 of 90 reviews have no label"):
        labelled_reviews.test_reviews(folder / "unsupervised.parquet", "cpu")
    few = some_reviews(150, 0).take([0])
    datasets.Dataset.from_dict(vars(few)).to_parquet(folder / "train.parquet")
    held_out = films.is_held_out(few.text[0])
    assert not held_out
    with pytest.raises(DataError, match="1 reviews are too few: none of them validates"):
        films.load(folder)
    some = some_reviews(150, 0)
    validates = some.take([next(i for i, text in enumerate(some.text) if films.is_held_out(text))])
    datasets.Dataset.from_dict(vars(validates)).to_parquet(folder / "train.parquet")
    with pytest.raises(DataError, match="1 reviews are too few: none of them is left to learn"):
        films.load(folder)


@pytest.mark.parametrize("column", ["text", "label"])
def test_an_empty_cell_is_named(folder, column):
    columns = vars(some_reviews(9, seed=3))
    columns[column][4] = None
    datasets.Dataset.from_dict(columns).to_parquet(folder / "test.parquet")
    with pytest.raises(
        DataError, match=rf"test\.parquet has 1 of 9 cells empty in column {column}"
    ):
        hub.reviews(folder, "test")


def test_windows_lie_at_even_distances_from_the_first_to_the_last():
    ids = torch.arange(reviews.WINDOW * 10)
    found = reviews.even_windows(ids, 4)
    assert (found[:, 0] // reviews.WINDOW).tolist() == [0, 2, 5, 7]
    assert reviews.even_windows(ids, 100).flatten().equal(ids)
    assert len(reviews.even_windows(ids[: reviews.WINDOW], 4)) == 1
    with pytest.raises(DataError, match="a window has"):
        reviews.even_windows(ids[: reviews.WINDOW - 1], 4)


def test_no_text_is_both_tested_and_trained_on(folder):
    parts = films.load_all(folder)
    assert parts[:2] == films.load(folder)
    labelled, held_out, unlabelled = (set(part.text) for part in parts)
    test = set(hub.reviews(folder, "test").text)
    assert not (labelled & held_out or unlabelled & (labelled | held_out))
    assert not test & (labelled | held_out | unlabelled)
    assert len(labelled | held_out) == 150 and len(unlabelled) == 80 and held_out


def test_every_set_of_reviews_is_read_once(folder, tmp_path, monkeypatch):
    out, seen, plain = tmp_path / "out", [], hub.reviews

    def reading(path, kind):
        seen.append(kind)
        return plain(path, kind)

    monkeypatch.setattr(hub, "reviews", reading)
    common = ["--data", str(folder), *SMALL, "--no-exam"]
    reviews.main([*common, "--out", str(out), "--batch-size", "4"])
    assert sorted(seen) == ["test", "train", "unsupervised"]
    seen.clear()
    sentiment.main([*common, "--out", str(tmp_path / "first"), "--init", str(out)])
    assert sorted(seen) == ["test", "train"]
    seen.clear()
    words = ["--preset", "sentences", "--init", str(tmp_path / "first")]
    sentiment.main([*common, *words, "--out", str(tmp_path / "second")])
    assert sorted(seen) == ["test", "train", "unsupervised"]


def test_the_reports_protocol_divides_every_text_once(folder):
    train, validation = labelled_reviews.splits(folder, "report")
    test = labelled_reviews.test_reviews(folder, "report")
    parts = [set(part.text) for part in (train, validation, test)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 210
    assert list(map(len, parts)) == [168, 21, 21]
    assert labelled_reviews.test_reviews(folder, "cpu") == hub.reviews(folder, "test")


def test_hidden_pieces_are_asked_for_and_no_others():
    windows = torch.randint(6, 50, (200, 30))
    windows[:, 10] = EOS
    tokens, answers = reviews.hide(windows, seed=3)
    assert (tokens[:, 0] == CLS).all() and (tokens[:, 11] == EOS).all()
    asked = answers != PAD
    assert torch.equal(asked, tokens == MASK)
    assert torch.equal(tokens[:, 1:].where(~asked[:, 1:], answers[:, 1:]), windows)
    assert (asked.sum(1) == round(reviews.HIDDEN * 30)).all()
    assert torch.equal(tokens, reviews.hide(windows, seed=3)[0])
    assert not torch.equal(tokens, reviews.hide(windows, seed=4)[0])


def test_the_masked_loss_is_the_cross_entropy_of_the_hidden_pieces():
    model = build(MaskedLM)
    tokens, answers = reviews.hide(words(3, 12), seed=0)
    loss, n = reviews.loss_of(model, (tokens, answers))
    wanted = answers.masked_fill(answers == PAD, -100)
    expected = F.cross_entropy(model(tokens).transpose(1, 2), wanted, reduction="sum")
    assert_close(loss, expected)
    assert n == (answers != PAD).sum()


def test_sentences_put_together_are_the_review():
    _, tokenizer, encoded = corpus()
    ends = labelled_reviews.sentence_ends(tokenizer)
    assert {tokenizer.token(i) for i in ends} == {".", "!", "?"}
    for row in range(len(encoded.lengths)):
        ids = encoded[row][1:-1]
        parts = labelled_reviews.sentences(ids, ends)
        assert [i for part in parts for i in part] == ids
        assert all(
            part[-1] in ends and len(part) >= labelled_reviews.SHORTEST for part in parts[:-1]
        )


def test_excerpts_of_a_review_are_the_whole_of_it():
    _, tokenizer, encoded = corpus()
    cut, origins = labelled_reviews.excerpts(tokenizer, encoded, seed=0)
    assert len(origins) == len(cut.lengths)
    pieces = {row: [] for row in range(len(encoded.lengths))}
    for i, row in enumerate(origins):
        assert cut[i][0] == CLS and cut[i][-1] == EOS and len(cut[i]) > 2
        pieces[row] += cut[i][1:-1]
    assert all(pieces[row] == encoded[row][1:-1] for row in pieces)
    assert (cut.lengths < encoded.lengths[origins]).any()


def test_batches_depend_on_the_step_alone_and_only_training_forgets():
    some, tokenizer, encoded = corpus()
    config, target = TrainConfig(batch_size=400), labelled_reviews.certain(some.label)
    examples = labelled_reviews.reviews_and_excerpts(tokenizer, encoded, seed=0)
    plain = labelled_reviews.batches(examples, target, config, forgotten=0.0)
    noisy, again = (
        labelled_reviews.batches(examples, target, config, forgotten=0.1) for _ in range(2)
    )
    for step in (9, 0, 5):
        assert all(map(torch.equal, noisy(step), again(step)))
        assert not (plain(step)[0] == MASK).any()
    batches = [noisy(step)[0] for step in range(20)]
    share = sum((b == MASK).sum() for b in batches) / sum((b > EOS).sum() for b in batches)
    assert abs(share - 0.1) < 0.03
    assert all((batch[:, 0] == CLS).all() for batch in batches)


def test_labels_stay_with_their_reviews_and_excerpts():
    some, tokenizer, encoded = corpus()
    config, target = TrainConfig(batch_size=400), labelled_reviews.certain(some.label)
    cut, origins = labelled_reviews.excerpts(tokenizer, encoded, config.seed)
    known = [(encoded[i], label) for i, label in enumerate(some.label)]
    known += [(cut[i], some.label[row]) for i, row in enumerate(origins)]

    def could_be(tokens, ids):
        return len(tokens) == len(ids) and all(
            token in (MASK, i) for token, i in zip(tokens, ids, strict=True)
        )

    examples = labelled_reviews.reviews_and_excerpts(tokenizer, encoded, config.seed)
    batch_of = labelled_reviews.batches(examples, target, config, forgotten=0.1)
    for step in range(10):
        for tokens, wanted in zip(*batch_of(step), strict=True):
            row = tokens[tokens != PAD].tolist()
            labels = {label for ids, label in known if could_be(row, ids)}
            assert wanted.sum() == 1 and wanted.argmax().item() in labels


def test_every_sentence_is_learnt_with_what_is_known_of_its_review():
    some, tokenizer, encoded = corpus()
    ends = labelled_reviews.sentence_ends(tokenizer)
    found = labelled_reviews.single_sentences(tokenizer, encoded)
    wanted = [
        ([CLS, *part, EOS], row)
        for row in range(len(some))
        for part in labelled_reviews.sentences(encoded[row][1:-1], ends)
    ]
    texts = [found.texts[i] for i in range(len(found.weight))]
    assert list(zip(texts, found.review.tolist(), strict=True)) == wanted


def test_single_sentences_that_are_judged_are_of_all_reviews():
    _, tokenizer, encoded = corpus()
    every, origins = labelled_reviews.excerpts(tokenizer, encoded, seed=0, most=1)
    n = len(origins)
    some, theirs = labelled_reviews.some_sentences(tokenizer, encoded, n // 2)
    assert len(some.lengths) == len(theirs) == n // 2
    assert {0, len(encoded.lengths) - 1} <= set(theirs), "from the first review to the last"
    known = {(tuple(every[i]), row) for i, row in enumerate(origins)}
    assert {(tuple(some[i]), row) for i, row in enumerate(theirs)} <= known
    assert labelled_reviews.some_sentences(tokenizer, encoded, 10 * n)[1] == origins


@pytest.mark.parametrize("model_class", [EncoderClassifier, LSTMClassifier, LinearClassifier])
def test_predictions_in_batches_equal_those_one_by_one(model_class):
    model = build(model_class)
    rows = [words(n).tolist() for n in (5, 9, 3, 24, 9, 1)]
    logits = verdicts.predict(model, Ragged.of(rows), n_tokens=30)
    alone = torch.cat([model(torch.tensor([row])) for row in rows])
    assert_close(logits, alone, atol=1e-5, rtol=1e-4)


def test_calibration_finds_the_temperature_and_changes_no_answer():
    generator = torch.Generator().manual_seed(0)
    honest = 2 * torch.randn(20_000, 2, generator=generator)
    label = torch.multinomial(honest.softmax(-1), 1, generator=generator)[:, 0].tolist()
    model, tokens = build(EncoderClassifier), words(7, 5)
    before = model(tokens)
    temperature = verdicts.calibrate(model, 3 * honest, label)
    assert temperature == pytest.approx(3, rel=0.05)
    assert_close(model(tokens) * temperature, before)


def test_confidence_that_comes_true_has_no_calibration_error():
    logits = torch.tensor([[0.0, 3.0]]).repeat(1000, 1)
    p = logits.softmax(-1)[0, 1].item()
    right = [1] * round(1000 * p) + [0] * (1000 - round(1000 * p))
    assert verdicts.calibration_error(verdicts.reliability(logits, right)) < 1e-3
    (one,) = verdicts.reliability(logits, [0] * 1000)
    assert one["n"] == 1000 and one["accuracy"] == 0 and one["low"] <= p <= one["high"]
    assert verdicts.calibration_error([one]) == pytest.approx(p)


@pytest.mark.parametrize(
    "script, lacks",
    [(sentiment, "train.parquet does not exist"), (translation, "has no train*.parquet")],
)
def test_a_folder_without_the_data_is_a_sentence(tmp_path, script, lacks):
    with pytest.raises(SystemExit, match=re.escape(lacks)):
        script.main(["--data", str(tmp_path), "--out", str(tmp_path / "out")])


def test_of_a_folder_with_the_data_of_every_task_a_script_takes_its_own(folder, tmp_path):
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "imdb").symlink_to(folder)
    assert hub.reviews(tmp_path / "all", "test") == hub.reviews(folder, "test")


def test_hidden_pieces_are_learnt_with_the_smoothing_that_is_asked_for():
    torch.manual_seed(0)
    model = build(MaskedLM).eval()
    batch = reviews.hide(torch.full((2, 8), 9), 0)
    plain, n = reviews.loss_of(model, batch)
    smoothed, same = reviews.loss_of(model, batch, smoothing=0.3)
    assert n == same == 4 and not torch.allclose(plain, smoothed)


def test_the_worst_errors_are_errors_and_the_surest_come_first():
    logits = torch.tensor([[0.0, 5.0], [2.0, 0.0], [0.0, 9.0], [4.0, 0.0]])
    found = list(verdicts.worst(logits, Reviews(["a", "b", "c", "d"], [0, 1, 0, 0])))
    assert [one["text"] for one in found] == ["c", "a", "b"]
    assert found[0]["label"] == "negative" and found[0]["predicted"] == "positive"


@pytest.mark.parametrize("kind", short_sentences.KINDS)
def test_of_short_sentences_as_many_are_positive_as_negative(kind):
    some = short_sentences.of_kind(kind)
    assert len(set(some.text)) == len(some) == 40
    assert sum(some.label) == 20


def test_from_hidden_words_to_sentiment(folder, tmp_path, capsys, monkeypatch):
    pretrained, out = tmp_path / "reviews", tmp_path / "sentiment"
    common = ["--data", str(folder), *SMALL]
    reviews.main([*common, "--out", str(pretrained), "--batch-size", "4"])
    sentiment.main([*common, "--out", str(out), "--init", str(pretrained)])
    assert read_runs(out)[-1]["preset"] == "cpu" and len(read_runs(out)) == 1
    assert load_trained(out).tokenizer.to_json() == load_trained(pretrained).tokenizer.to_json()
    details = json.loads((out / "test_set.json").read_text())
    assert details["n"] == 60 and sum(map(sum, details["confusion"])) == 60
    assert sum(one["n"] for one in details["reliability"]) == 60
    assert details["weights"] == weights_of(out)
    _, beside = sentiment.EXAM.score(load_trained(out), some_reviews(9, 1))
    assert tuple(beside) == sentiment.EXAM.beside == ("test_set.json",)
    told = [(at / "README.md").read_text() for at in (pretrained, out)]
    assert all(f"reviews of {NAMED} without" in card and "Maas" not in card for card in told)
    assert "25,000" not in told[1] and "The sentiment classifier began with" not in told[0]
    assert BEGUN_WITH in reviews.card_of(pretrained).summary, "now that there is one"
    monkeypatch.setattr(cards.sentiment, "TESTED", {"n": 60})
    assert "The 25,000 labelled training reviews" in sentiment.card_of(out).data
    rows = read_rows(out / "metrics.csv")
    judged = {row["metric"]: float(row["value"]) for row in rows if row["split"] == "validation"}
    assert 0 < judged["accuracy_sentence"] <= 1 and 0 < judged["accuracy_first_sentence"] <= 1
    capsys.readouterr()
    evaluate.main(
        ["sentiment", "--data", str(folder), "--checkpoint", str(out), "--limit", "8", "--json"]
    )
    scores = json.loads(capsys.readouterr().out)
    assert scores["n"] == 8 and 0 <= scores["accuracy"] <= 1
    assert {f"accuracy_{kind}" for kind in short_sentences.KINDS} <= set(scores)


def test_a_few_test_reviews_have_both_labels_though_the_file_is_in_their_order(monkeypatch):
    some = Reviews([f"A film. It is the {n}th." for n in range(40)], [0] * 20 + [1] * 20)
    monkeypatch.setattr(sentiment, "test_reviews", lambda path, preset: some)
    monkeypatch.setattr(sentiment, "preset_of", lambda folder: "cpu")
    trained = tiny_classifier()
    _, details = sentiment.score(trained, sentiment.test_set(trained, None, 8))
    assert list(map(sum, details["test_set.json"]["confusion"])) == [4, 4]


def test_a_classifier_begins_with_the_encoder_of_the_masked_language_model(folder, tmp_path):
    pretrained, out = tmp_path / "reviews", tmp_path / "sentiment"
    common = ["--data", str(folder), *SMALL]
    reviews.main([*common, "--out", str(pretrained), "--batch-size", "4"])
    still = ["--learning-rate", "0", "--weight-decay", "0"]
    sentiment.main([*common, *still, "--out", str(out), "--init", str(pretrained)])
    before, after = load(pretrained).encoder.state_dict(), load(out).encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_a_classifier_that_is_made_as_sure_as_it_may_be_has_other_weights(
    folder, tmp_path, monkeypatch
):
    out = tmp_path / "sentiment"
    common = ["--data", str(folder), *SMALL, "--no-exam", "--out", str(out)]
    monkeypatch.setattr(verdicts, "calibrate", lambda *_: 1.0)
    sentiment.main(common)

    def halved(model, *_):
        model.head.weight.data.div_(2)
        return 2.0

    for calibrate, stays in ((lambda *_: 1.0, True), (halved, False)):
        (out / "heads.json").touch()
        monkeypatch.setattr(verdicts, "calibrate", calibrate)
        sentiment.main([*common, "--steps", "0", "--init", str(out)])
        assert (out / "heads.json").exists() is stays


def test_sentences_nobody_labelled_are_learnt_with_verdicts_on_their_reviews(
    folder, tmp_path, monkeypatch
):
    first, out = tmp_path / "first", tmp_path / "sentences"
    common = ["--data", str(folder), *SMALL]
    sentiment.main([*common, "--out", str(first)])
    learnt: list[torch.Tensor] = []

    def batches(examples, target, config, **flags):
        learnt.append(target[examples.review])
        return labelled_reviews.batches(examples, target, config, **flags)

    monkeypatch.setattr(sentiment, "batches", batches)
    words = [*common, "--preset", "sentences", "--out", str(out)]
    with pytest.raises(SystemExit, match="needs --init"):
        sentiment.main(words)
    same = ["--init", str(first), "--out", str(first / ".." / first.name), "--overwrite"]
    with pytest.raises(SystemExit, match="says what is learnt: choose another --out"):
        sentiment.main([*words, *same])
    sentiment.main([*words, "--init", str(first)])
    teacher, (_, _, others) = load_trained(first), films.load_all(folder)
    encoded = labelled_reviews.encode(teacher.tokenizer, others.text, teacher.model.config.max_len)
    wanted = verdicts.predict(teacher.model, encoded).softmax(-1)
    before, taught = learnt
    cut = labelled_reviews.single_sentences(teacher.tokenizer, encoded)
    assert_close(taught[-len(cut.review) :], wanted[cut.review])
    assert (before[-len(cut.review) :] == 0.5).all(), "nobody had been asked"
    card = (out / "README.md").read_text()
    assert "unlabelled reviews" in card and "excerpts" in card
    more = ["--data", str(folder), "--preset", "sentences", "--out", str(out), "--resume"]
    sentiment.main([*more, "--steps", "3"])
    assert [run["steps"] for run in read_runs(out)] == [2, 3], "its beginning need not be named"


def test_classifiers_that_teach_are_asked_when_nothing_can_refuse_the_run(
    folder, tmp_path, monkeypatch
):
    first, out = tmp_path / "first", tmp_path / "out"
    common = ["--data", str(folder), *SMALL, "--no-exam"]
    sentiment.main([*common, "--out", str(first)])
    monkeypatch.setattr(sentiment, "mean_answer", lambda *_: pytest.fail("they were asked"))
    words = [*common, "--preset", "sentences", "--init", str(first), "--out", str(out)]
    with pytest.raises(SystemExit, match="is another model: d_ff"):
        sentiment.main([*words, "--d-ff", "8"])
    with alone_in(out), pytest.raises(SystemExit, match="Another training is under way"):
        sentiment.main(words)
    with pytest.raises(pytest.fail.Exception, match="they were asked"):
        sentiment.main(words)


def test_several_teachers_have_one_answer_their_mean(folder, tmp_path):
    common = ["--data", str(folder), *SMALL, "--no-exam"]
    teachers = [tmp_path / "narrow", tmp_path / "wide"]
    sentiment.main([*common, "--out", str(teachers[0])])
    sentiment.main([*common, "--d-model", "32", "--out", str(teachers[1])])
    first, out = str(teachers[0]), str(tmp_path / "taught")
    words = ["--preset", "sentences", "--init", first, "--out", out]
    words += ["--teachers", *map(str, teachers)]
    options = read_flags(
        "sentiment", sentiment.PRESETS, "", [*common, *words], teachers=sentiment.TEACHERS
    )
    models = [load(teacher) for teacher in teachers]
    encoded = labelled_reviews.encode(
        load_trained(teachers[0]).tokenizer, films.load_all(folder)[2].text, 32
    )
    found = sentiment.verdicts_of(models, options.precision, encoded)
    said = [verdicts.predict(model, encoded).softmax(-1) for model in models]
    assert not torch.allclose(*said), "they were meant to differ"
    assert_close(found, (said[0] + said[1]) / 2)
    sentiment.main([*common, *words])
    (teachers[1] / "tokenizer.json").write_text("{}")
    with pytest.raises(SystemExit, match="another vocabulary"):
        sentiment.main([*common, *words, "--overwrite"])


@pytest.mark.parametrize("preset", ["lstm", "linear"])
def test_muon_is_refused_where_there_are_no_blocks(folder, tmp_path, preset):
    out = tmp_path / preset
    words = ["--data", str(folder), *SMALL, "--preset", preset, "--out", str(out)]
    with pytest.raises(SystemExit, match="muon is for blocks"):
        sentiment.main([*words, "--optimizer", "muon"])
    assert not out.exists()


@pytest.mark.parametrize("preset", ["report", "lstm"])
def test_the_reports_presets_are_scored_on_their_own_tenth(preset, folder, tmp_path):
    out = tmp_path / preset
    sentiment.main(["--preset", preset, "--data", str(folder), "--out", str(out), *SMALL])
    assert type(load(out)) is (LSTMClassifier if preset == "lstm" else EncoderClassifier)
    assert json.loads((out / "scores.json").read_text())["scores"]["n"] == 21


def test_what_has_read_the_test_reviews_is_not_gone_on_with(folder, tmp_path):
    common = ["--data", str(folder), *SMALL, "--no-exam"]
    reported, out = str(tmp_path / "reported"), str(tmp_path / "out")
    sentiment.main([*common, "--preset", "report", "--out", reported])
    with pytest.raises(SystemExit, match="reported was trained under another protocol"):
        sentiment.main([*common, "--init", reported, "--out", out])
    sentiment.main([*common, "--preset", "report", "--init", reported, "--out", out])
    pretrained = str(tmp_path / "reviews")
    reviews.main([*common, "--out", pretrained, "--batch-size", "4"])
    with pytest.raises(SystemExit, match="reviews was trained under another protocol"):
        sentiment.main([*common, "--preset", "report", "--init", pretrained, "--out", out + "2"])
    with pytest.raises(SystemExit, match="by --preset sentences alone"):
        sentiment.main([*common, "--teachers", reported, "--out", out, "--overwrite"])


def test_counting_alone_tells_praise_from_blame_and_the_linear_model_learns_on(folder, tmp_path):
    out = tmp_path / "linear"
    sentiment.main(["--preset", "linear", "--data", str(folder), "--out", str(out), *SMALL])
    assert type(load(out)) is LinearClassifier
    rows = [row for row in read_rows(out / "metrics.csv") if row["metric"] == "accuracy"]
    assert float(rows[0]["value"]) > 0.7, "before the first step"
    record = json.loads((out / "scores.json").read_text())["scores"]
    assert record["n"] == 60, "it is tested as the classifier is"
    card = (out / "README.md").read_text()
    assert "A linear classifier" in card and "excerpts" not in card


def test_naive_bayes_weighs_what_one_class_alone_has():
    model = LinearClassifier(ModelConfig(10, d_model=8, n_heads=1))
    begin_with_naive_bayes(model, Ragged.of([[5, 7], [5, 7], [6, 7], [6, 7]]), [1, 1, 0, 0])
    against, of = model.head.weight.detach()
    wanted = naive_bayes.SHARE * math.log(3)  # it occurs twice in one class, and never in the other
    assert [(of - against)[i].item() for i in (5, 6, 7)] == pytest.approx([wanted, -wanted, 0])


def test_the_reports_sizes():
    small, train = sentiment.PRESETS["report"]
    sizes = (small.d_model, small.n_heads, small.n_layers, small.d_ff, train.learning_rate)
    assert sizes == (64, 2, 2, 128, 5e-4)
    with torch.device("meta"):
        assert 0.45e6 < LSTMClassifier(sentiment.PRESETS["lstm"][0]).n_parameters < 0.55e6


def test_windows_hold_every_piece_once():
    ids = list(range(10, 110))
    parts = long_reviews.windows(ids, 32)
    assert [i for part in parts for i in part[1:-1]] == ids
    assert len(parts) == 4 and all(len(part) <= 32 for part in parts)
    assert all(part[0] == CLS and part[-1] == EOS for part in parts)


def test_policies_for_long_reviews_are_measured(folder, tmp_path):
    out = tmp_path / "sentiment"
    sentiment.main(["--data", str(folder), *SMALL, "--max-len", "12", "--out", str(out)])
    long_reviews.main(["--data", str(folder), "--checkpoint", str(out)])
    found = json.loads((out / "long_reviews.json").read_text())
    assert 0 < found["n"] <= found["of"] == len(films.load(folder)[1])
    with pytest.raises(SystemExit, match="holds DecoderLM: it reads no reviews"):
        save(out, build(DecoderLM, vocab_size=load_trained(out).tokenizer.vocab_size))
        long_reviews.main(["--data", str(folder), "--checkpoint", str(out)])
    losses = {policy["loss"] for policy in found["policies"].values()}
    assert len(losses) == len(long_reviews.BEGINNINGS) + 1  # each reads something else
