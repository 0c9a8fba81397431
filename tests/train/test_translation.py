"""Facts about train.translation: its data, its batches and its loss."""

import functools
import json
import math
import random
from dataclasses import replace
from pathlib import Path

import datasets
import pytest
import torch
import torch.nn.functional as F
from shipped import config_of
from torch.testing import assert_close

from train import translation, vocabulary
from train.cards.translation import CARD, MIX, OWN, card_of
from train.data import buckets, hub
from train.data.error import DataError
from train.data.hub import Pairs
from train.data.noise import noised
from train.data.pairs import (
    FINISHING,
    WEIGHTS,
    batches,
    encode,
    is_whole,
    load,
    sentences_of,
    usable,
    with_slips,
    without,
)
from train.loop import TrainConfig
from train.running.hardware import Hardware
from train.running.losses import smoothed_cross_entropy
from train.running.metrics import read_rows
from transformer_core.checkpoint import load_trained
from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import BOS, EOS, UNK, train_bpe

TINY = ModelConfig(vocab_size=60, d_model=16, n_heads=2, n_layers=2, d_ff=32, max_len=40)
WORDS = {"cat": "Katze", "dog": "Hund", "house": "Haus", "tree": "Baum", "street": "Straße"}
VERBS = {"sees": "sieht", "likes": "mag", "finds": "findet", "paints": "übermalt"}
QUICK = ["--threads", "1", "--precision", "no"]  # nothing is timed to choose one


def sentences(n: int, seed: int = 0) -> Pairs:
    """Small talk of many lengths in a language with umlauts."""
    rng = random.Random(seed)
    en, de = [], []
    for _ in range(n):
        words = [
            (rng.choice(list(WORDS)), rng.choice(list(VERBS))) for _ in range(rng.randint(1, 9))
        ]
        last = rng.choice(list(WORDS))
        en.append("The " + " the ".join(f"{w} {v}" for w, v in words) + f" the {last}.")
        de.append("„" + " ".join(f"{WORDS[w]} {VERBS[v]}" for w, v in words) + f" {WORDS[last]}“.")
    return Pairs(en, de, [rng.choice(["tatoeba-x", "opus-mix", "ted"]) for _ in range(n)])


def write(pairs: Pairs, path: Path) -> None:
    """Columns en, de, source, as in our own data."""
    datasets.Dataset.from_dict(vars(pairs)).to_parquet(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data laid out as --data expects."""
    path = tmp_path / "data"
    path.mkdir()
    write(sentences(400), path / "train.parquet")
    write(sentences(12, seed=1), path / "validation_small.parquet")
    write(sentences(12, seed=2), path / "test_small.parquet")
    return path


@functools.cache  # nobody changes what it gives
def corpus_and_tokenizer(n: int = 600):
    pairs = sentences(n)
    tokenizer = train_bpe([*pairs.en, *pairs.de], 120)
    return encode(tokenizer, pairs, 200), tokenizer


def random_model(**changes) -> EncoderDecoder:
    torch.manual_seed(0)
    return EncoderDecoder(replace(TINY, **changes)).eval()


def tiny_presets(monkeypatch) -> None:
    model = replace(translation.MODEL, vocab_size=150, d_model=16, n_heads=2, n_layers=1, d_ff=32)
    train = replace(translation.TRAIN, minutes=0.0, batch_size=500, eval_every=2, warmup_steps=1)
    monkeypatch.setattr(translation, "PRESETS", {"cpu": (model, train), "finish": (model, train)})


def test_the_script_trains_scores_and_writes_its_papers(folder, tmp_path, monkeypatch):
    tiny_presets(monkeypatch)
    out = tmp_path / "out"
    translation.main(["--data", str(folder), "--out", str(out), "--steps", "2", *QUICK])
    trained = load_trained(out)
    sets = translation.test_set(trained, folder / "test_small.parquet", 5)
    scores = translation.score(trained, sets)
    assert set(scores) == {"bleu", "chrf", "loss", "ppl", "n"} and scores["n"] == 5
    assert scores["ppl"] == pytest.approx(torch.tensor(scores["loss"]).exp().item())
    metrics = {row["metric"] for row in read_rows(out / "metrics.csv")}
    assert {"loss", "loss_small"} <= metrics
    assert "BLEU" in (out / "README.md").read_text()
    assert card_of(out) is OWN, "whose test sets are not those of the mix"
    record = json.loads((out / "scores.json").read_text())
    record["scores"] |= dict.fromkeys(MIX, 1.0)
    (out / "scores.json").write_text(json.dumps(record))
    assert card_of(out) is CARD
    record = json.loads((out / "run.json").read_text())
    record[0]["command"] = "python -m train.translation"  # which reads what the Hub has
    (out / "run.json").write_text(json.dumps(record))
    assert "IWSLT" in card_of(out).data


def test_a_training_set_in_several_files_is_learnt_whole(folder):
    whole, _ = load(folder)
    (folder / "train.parquet").unlink()
    some = sentences(400)
    for i in range(2):
        write(some.take(range(200 * i, 200 * (i + 1))), folder / f"train-0000{i}-of-00002.parquet")
    assert load(folder)[0] == whole


def test_sets_that_are_missing_are_named(folder):
    write(replace(sentences(50), source=["ted"] * 50), folder / "train.parquet")
    (folder / "validation_small.parquet").unlink()
    with pytest.raises(DataError, match=r"no validation\*.parquet"):
        load(folder)
    (folder / "test_small.parquet").unlink()
    with pytest.raises(DataError, match=r"no test\*\.parquet"):
        translation.test_sets(folder)


def test_a_table_without_rows_is_nothing_to_score_on(tmp_path):
    (tmp_path / "empty.tsv").write_text("en\tde\n")
    with pytest.raises(DataError, match=r"empty\.tsv: .* no data"):
        translation.test_sets(tmp_path / "empty.tsv")


def test_what_cannot_be_scored_is_refused_before_it_is_trained(folder, tmp_path, monkeypatch):
    tiny_presets(monkeypatch)
    (folder / "test_small.parquet").unlink()
    out = tmp_path / "out"
    words = ["--data", str(folder), "--out", str(out), "--steps", "1", *QUICK]
    with pytest.raises(SystemExit, match=r"no test\*\.parquet .* --no-exam"):
        translation.main(words)
    assert not out.exists()
    translation.main([*words, "--no-exam"])
    assert (out / "config.json").exists()


@pytest.mark.parametrize("column", ["en", "de", "source"])
def test_an_empty_cell_is_named(folder, column):
    columns = vars(sentences(9))
    columns[column][4] = None
    datasets.Dataset.from_dict(columns).to_parquet(folder / "test_gaps.parquet")
    said = rf"test_gaps\.parquet has 1 of 9 cells empty in column {column}"
    with pytest.raises(DataError, match=said):
        hub.translation(folder, "test")


def test_an_empty_cell_of_iwslts_column_is_named(tmp_path):
    rows = [{"en": "one", "de": "eins"}, {"en": "two", "de": None}]
    datasets.Dataset.from_dict({"translation": rows}).to_parquet(tmp_path / "gaps.parquet")
    with pytest.raises(DataError, match=r"gaps\.parquet has 1 of 2 cells empty in column de"):
        hub.translation(tmp_path / "gaps.parquet", "")


def test_a_lacking_column_is_named_with_its_file(tmp_path):
    datasets.Dataset.from_dict({"en": ["one"]}).to_parquet(tmp_path / "half.parquet")
    with pytest.raises(DataError, match=r"half\.parquet lacks columns \['de'\]"):
        hub.translation(tmp_path / "half.parquet", "")


def test_pairs_of_which_none_can_be_shown_are_refused_in_a_sentence():
    corpus, tokenizer = corpus_and_tokenizer(30)
    config = TrainConfig(batch_size=700)
    unlike = encode(tokenizer, Pairs(["cat"] * 3, ["Hund " * 90] * 3, ["ted"] * 3), 500)
    with pytest.raises(DataError, match=r"None of 3 pairs can be learnt from.* at most 100 pieces"):
        batches(tokenizer, unlike, config)
    hidden = dict.fromkeys(("tatoeba-x", "opus-mix", "ted"), 0.0)
    with pytest.raises(DataError, match="is shown: the weight of opus-mix, tatoeba-x, ted is 0"):
        batches(tokenizer, encode(tokenizer, corpus.pairs, 200), config, hidden)


def test_a_tab_separated_file_scores_like_the_parquet_file(folder, tmp_path):
    pairs = Pairs(['It\'s "new", NA.', "null"], ["„Neu“ 'n.", "Null"], ["", ""])
    write(pairs, tmp_path / "a.parquet")
    rows = ["en\tde", *("\t".join(row) for row in pairs.sentences)]
    (tmp_path / "a.tsv").write_text("\n".join(rows) + "\n")
    for name in ("a.parquet", "a.tsv"):
        (read,) = hub.translation(tmp_path / name, "").values()
        assert (read.en, read.de) == (pairs.en, pairs.de)


def test_without_data_the_hubs_iwslt_is_read(tmp_path, monkeypatch):
    for kind in ("train", "validation", "test"):
        place = tmp_path / "iwslt2017-en-de" / kind
        place.mkdir(parents=True)
        rows = [{"en": f"{kind} one", "de": f"{kind} eins"}, {"en": "two", "de": "zwei"}]
        datasets.Dataset.from_dict({"translation": rows}).to_parquet(place / "0000.parquet")
    monkeypatch.setattr(hub, "IWSLT", str(tmp_path))
    for kind in ("train", "validation", "test"):
        (pairs,) = hub.translation(None, kind).values()
        assert pairs == Pairs([f"{kind} one", "two"], [f"{kind} eins", "zwei"], ["", ""])
    pairs, validation = load(None)
    assert pairs.en == ["train one"] and set(validation) == {"validation"}


def test_no_sentence_of_validation_or_test_is_trained_on(folder):
    known = sentences(400)  # the training set's own
    write(known.take([3, 5]), folder / "test_known.parquet")
    pairs, validation = load(folder)
    assert "validation_small" in validation and len(pairs) < 400
    for held_out in [*validation.values(), *hub.translation(folder, "test").values()]:
        assert not set(held_out.en) & set(pairs.en)
        assert not set(held_out.de) & set(pairs.de)


def test_a_sentence_is_known_by_its_letters():
    known = sentences_of([Pairs(["Don’t go, Tom!"], ["Geh nicht."], ["ted"])])
    some = Pairs(["Don't go Tom", "Go, Tom!"], ["Bleib.", "Geh."], ["ted", "ted"])
    assert without(some, known) == some.take([1])


def test_no_sentence_that_is_tested_validates(folder):
    _, before = load(folder)
    write(before["validation_small"].take([3, 5]), folder / "test_known.parquet")
    _, validation = load(folder)
    rest = [i for i in range(12) if i not in (3, 5)]
    assert validation["validation_small"] == before["validation_small"].take(rest)


def test_broken_and_copied_pairs_are_dropped():
    assert is_whole("Good.", "Gut.")
    assert not is_whole("Good.", " ")
    assert not is_whole("Fine", "fÃ¼r")
    assert not is_whole("this is not German", "this is not German")
    assert is_whole("Tom Miller", "Tom Miller")


def test_batches_are_a_function_of_the_step_alone():
    corpus, tokenizer = corpus_and_tokenizer()
    config = TrainConfig(batch_size=700, seed=3)
    forth = batches(tokenizer, corpus, config)
    back = batches(tokenizer, corpus, config)
    steps = list(range(90))
    seen = {step: forth(step) for step in steps}
    for step in reversed(steps):
        assert all(torch.equal(a, b) for a, b in zip(seen[step], back(step), strict=True))
    other = batches(tokenizer, corpus, replace(config, seed=4))
    assert any(not torch.equal(seen[step][1], other(step)[1]) for step in steps[:5])


def test_a_source_of_no_weight_is_never_shown():
    corpus, tokenizer = corpus_and_tokenizer()
    shown = batches(tokenizer, corpus, TrainConfig(batch_size=700), {"ted": 0.0, "opus-mix": 0.0})
    own = {
        tuple(corpus.tgt[i]) for i, name in enumerate(corpus.pairs.source) if name == "tatoeba-x"
    }
    rows = [row[row != PAD].tolist() for step in range(90) for row in shown(step)[1]]
    assert {tuple(row) for row in rows} == own


def test_a_training_is_finished_on_sources_of_its_own(folder, tmp_path, monkeypatch):
    tiny_presets(monkeypatch)
    weights = []
    monkeypatch.setattr(translation, "batches", lambda *of: weights.append(of[3]) or batches(*of))
    first, last = tmp_path / "first", tmp_path / "last"
    words = ["--data", str(folder), "--steps", "2", *QUICK, "--out"]
    translation.main([*words, str(first)])
    with pytest.raises(SystemExit, match="--preset finish needs --init"):
        translation.main(["--preset", "finish", *words, str(last)])
    translation.main(["--preset", "finish", *words, str(last), "--init", str(first)])
    assert weights == [WEIGHTS, FINISHING]


def test_less_than_a_tenth_of_a_batch_is_padding():
    corpus, tokenizer = corpus_and_tokenizer(6000)
    batch_of = batches(tokenizer, corpus, TrainConfig(batch_size=2000))
    tensors = [tensor for step in range(60) for tensor in batch_of(step)]
    padding = sum((t == PAD).sum() for t in tensors) / sum(t.numel() for t in tensors)
    assert padding < 0.1


def test_a_weight_is_how_often_an_epoch_shows_a_pair():
    weights = torch.tensor([0.0, 0.3, 1.0, 2.0]).repeat_interleave(1000)
    rows = buckets.draw(weights, torch.Generator().manual_seed(0))
    counts = torch.bincount(rows, minlength=4000).view(4, 1000)
    assert counts[0].sum() == 0 and (counts[2] == 1).all() and (counts[3] == 2).all()
    assert 250 < counts[1].sum() < 350


def test_an_epoch_that_shows_nothing_is_a_sentence():
    lengths = torch.full((2, 3), 9)
    with pytest.raises(DataError, match=r"shows none of 3 examples: .* add up to 0\.03"):
        buckets.rows_by_step(torch.full((3,), 0.01), *lengths, 300, seed=1)


def test_an_epoch_shows_every_pair_once_and_no_batch_is_too_large():
    lengths = torch.randint(2, 40, (2, 500), generator=torch.Generator().manual_seed(0))
    batches = buckets.epoch(torch.ones(500), *lengths, 300, seed=1)
    assert sorted(torch.cat(batches).tolist()) == list(range(500))
    for rows in batches:
        assert len(rows) * (lengths[0][rows].max() + lengths[1][rows].max()) <= 300


def test_what_the_vocabulary_lacks_is_never_a_target():
    pairs = Pairs(["a cat", "a dog"], ["eine Katze", "你好"], ["", ""])
    tokenizer = train_bpe(["a cat a dog eine Katze"] * 3, 60)
    corpus = encode(tokenizer, pairs, 40)
    assert UNK in corpus.tgt[1] and usable(corpus).tolist() == [0]


def test_ragged_rows_are_the_encoded_texts():
    corpus, tokenizer = corpus_and_tokenizer(50)
    rows = torch.tensor([4, 49, 0])
    padded = corpus.tgt.pad(rows)
    for row, ids in zip(rows.tolist(), padded, strict=True):
        wanted = [BOS, *tokenizer.encode(corpus.pairs.de[row]), EOS]
        assert ids[ids != PAD].tolist() == wanted == corpus.tgt[row]


def test_the_same_seed_makes_the_same_slips():
    text = "He likes the mathematics teacher, doesn't he?"
    assert [noised(text, random.Random(i)) for i in range(20)] == [
        noised(text, random.Random(i)) for i in range(20)
    ]


def test_slips_make_what_hurried_people_type():
    variants = {
        text: {noised(text, random.Random(i)) for i in range(2000)}
        for text in ("I love you.", "He has a pencil.", "He likes the math teacher.", "Hello!")
    }
    assert "i love you" in variants["I love you."]
    assert "he has pencil" in variants["He has a pencil."]
    assert "he like math teacher" in variants["He likes the math teacher."]
    assert "hello" in variants["Hello!"]
    assert all(variant.strip() for made in variants.values() for variant in made)


def test_a_quarter_of_the_sources_is_noised_and_no_target():
    corpus, tokenizer = corpus_and_tokenizer()
    rows = torch.arange(600)
    src = with_slips(tokenizer, corpus, rows, random.Random(0))
    changed = [src[i][src[i] != PAD].tolist() != corpus.src[i] for i in range(600)]
    assert 0.15 < sum(changed) / 600 < 0.3


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_and_its_gradient_are_pytorchs(smoothing):
    torch.manual_seed(0)
    logits = torch.randn(30, 7, 50, requires_grad=True)
    targets = torch.randint(0, 50, (30, 7))
    loss, n_targets = smoothed_cross_entropy(logits, targets, smoothing)
    (gradient,) = torch.autograd.grad(2 * loss, logits)
    wanted = F.cross_entropy(
        logits.flatten(0, 1),
        targets.flatten(),
        label_smoothing=smoothing,
        ignore_index=PAD,
        reduction="sum",
    )
    assert_close(loss, wanted)
    assert_close(gradient, torch.autograd.grad(2 * wanted, logits)[0])
    assert n_targets == (targets != PAD).sum()


def test_the_loss_of_one_target_is_the_formula():
    logits = torch.tensor([[[0.0, 1.0, 3.0]]])
    loss, _ = smoothed_cross_entropy(logits, torch.tensor([[2]]), 0.3)
    log_probs = logits[0, 0] - logits[0, 0].exp().sum().log()
    assert_close(loss, -(0.7 * log_probs[2] + 0.1 * log_probs.sum()))


def test_validation_loss_is_the_mean_over_all_pieces_but_padding():
    corpus, tokenizer = corpus_and_tokenizer(20)
    model = random_model(vocab_size=tokenizer.vocab_size, max_len=250)
    nats, n = 0.0, 0
    with torch.inference_mode():
        for i in range(20):
            src, tgt = torch.tensor([corpus.src[i]]), torch.tensor([corpus.tgt[i]])
            log_probs = model(src, tgt[:, :-1])[0].log_softmax(-1)
            nats -= log_probs.gather(1, tgt[0, 1:, None]).sum().item()
            n += tgt.size(1) - 1
    assert translation.validation_loss(model, corpus, 300) == pytest.approx(nats / n, rel=1e-5)


def test_the_reports_model_has_its_parameters_but_the_repeated_ones():
    model, train = translation.PRESETS["report"]
    with torch.device("meta"):
        ours = EncoderDecoder(model).n_parameters
    repeated, bias = 2 * model.vocab_size * model.d_model, model.vocab_size
    assert ours == 59_498_496 == 90_248_496 - repeated - bias
    assert (train.optimizer, train.learning_rate) == ("adamw", 1e-4)


def test_the_gpu_preset_has_the_sizes_of_what_is_published():
    published = config_of("translation")
    preset, _ = translation.PRESETS["gpu"]
    assert replace(preset, dropout=published.dropout) == published


def test_sizes_of_the_vocabulary_are_compared_on_the_same_validation(folder, monkeypatch):
    monkeypatch.setattr(vocabulary, "MODEL", replace(TINY, max_len=160))
    monkeypatch.setattr(vocabulary, "TRAIN", replace(translation.TRAIN, batch_size=400))
    monkeypatch.setattr(vocabulary, "SIZES", (80, 100))
    monkeypatch.setattr(vocabulary, "choose", lambda: Hardware("cpu", "no"))
    words = ["--data", str(folder), "--checkpoint", str(folder / "new"), "--minutes"]
    for wrong in (["0"], ["-1"], ["inf"], ["1", "--threads", "0"]):
        with pytest.raises(SystemExit):
            vocabulary.main([*words, *wrong])
    vocabulary.main([*words, "1e-6"])  # for which one step is long enough
    record = json.loads((folder / "new" / "vocabulary.json").read_text())
    assert record["command"].endswith("--minutes 1e-6") and record["device"] and record["commit"]
    found = record["tried"]
    assert [one["vocab_size"] for one in found] == [80, 100]
    for one in found:
        assert (
            one["steps"] == 1
            and 0 < one["nats_per_character"] < 10
            and "bleu_validation_small" in one
        )


def test_nats_per_character_do_not_depend_on_the_pieces():
    """A model that gives every piece the same probability needs log(vocabulary) for each."""
    pairs = sentences(40)
    for size in (80, 120):
        tokenizer = train_bpe([*pairs.en, *pairs.de], size)
        corpus = encode(tokenizer, pairs, 200)
        model = random_model(vocab_size=size, max_len=200)
        for parameter in model.parameters():
            torch.nn.init.zeros_(parameter)
        n_pieces = sum(len(tokenizer.encode(text)) + 1 for text in pairs.de)
        expected = math.log(size) * n_pieces / sum(map(len, pairs.de))
        assert vocabulary.nats_per_character(model, [corpus]) == pytest.approx(expected, rel=1e-5)


def test_german_survives_the_tokenizer():
    _, tokenizer = corpus_and_tokenizer(100)
    for text in ["„Straße“ übermalt Baum.", "Hund, 'Katze' [EOS] 12"]:
        known = "".join(c for c in text if UNK not in tokenizer.encode(c))
        known = " ".join(known.split())
        ids = tokenizer.encode(known)
        assert tokenizer.decode(ids) == known and EOS not in ids
    assert UNK in tokenizer.encode("你好")
