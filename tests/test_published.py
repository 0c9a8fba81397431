import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from tiny import build, tiny_writer, write_tiny

from transformer_core import published
from transformer_core.checkpoint import CheckpointError, Trained, load_trained
from transformer_core.published import CHECKPOINTS, Models


@pytest.mark.parametrize(
    "attribute, folder, command",
    [
        ("translator", "translation", "train.translation"),
        ("classifier", "sentiment", "train.sentiment --init checkpoints/reviews"),
        ("masked_lm", "reviews", "train.reviews"),
        ("language_model", "shakespeare", "train.shakespeare"),
    ],
)
def test_each_model_is_read_from_its_folder_or_its_training_is_named(
    tmp_path, attribute, folder, command
):
    models = Models(tmp_path)
    assert not models.has(folder) and f"python -m {command}" in models.absent(folder)
    with pytest.raises(CheckpointError, match=f"`python -m {command}"):
        getattr(models, attribute)
    tokenizer = tiny_writer().tokenizer
    model = build(CHECKPOINTS[folder].model, vocab_size=tokenizer.vocab_size)
    write_tiny(tmp_path / folder, Trained(model, tokenizer, tmp_path))
    assert models.has(folder) and not models.absent(folder)
    assert getattr(models, attribute).folder == tmp_path / folder
    assert getattr(models, attribute) is models.get(folder)


def test_a_missing_variant_is_trained_by_its_study(tmp_path):
    said = Models(tmp_path).absent("ablations/translation/no_positions")
    assert said.endswith("no positions model yet: `python -m train.ablations translation`.")


def test_a_model_of_another_class_is_refused_where_it_would_be_used(tmp_path):
    write_tiny(tmp_path / "translation", tiny_writer())
    with pytest.raises(CheckpointError, match=r"translation.* holds DecoderLM, not EncoderDecoder"):
        Models(tmp_path).translator  # noqa: B018


def test_eight_requests_at_once_load_a_model_once(tmp_path, monkeypatch):
    write_tiny(tmp_path / "shakespeare", tiny_writer())
    loads, together = [], threading.Barrier(8)

    def slowly(folder, model_class):
        loads.append(folder)
        time.sleep(0.05)
        return load_trained(folder, model_class)

    def request(models):
        together.wait()
        return models.language_model

    monkeypatch.setattr(published, "load_trained", slowly)
    with ThreadPoolExecutor(8) as threads:
        trained = set(map(id, threads.map(request, [Models(tmp_path)] * 8)))
    assert len(trained) == 1
    assert loads == [tmp_path / "shakespeare"]


def test_a_mended_checkpoint_loads_without_a_restart(tmp_path):
    models, folder = Models(tmp_path), tmp_path / "shakespeare"
    write_tiny(folder, tiny_writer())
    (folder / "tokenizer.json").rename(folder / "elsewhere.json")
    with pytest.raises(CheckpointError):
        models.language_model  # noqa: B018
    (folder / "elsewhere.json").rename(folder / "tokenizer.json")
    assert (
        models.language_model.tokenizer.vocab_size == models.language_model.model.config.vocab_size
    )


def test_a_damaged_checkpoint_is_read_again_if_its_files_have_changed_or_after_a_minute(
    tmp_path, monkeypatch
):
    models, folder = Models(tmp_path), tmp_path / "shakespeare"
    write_tiny(folder, tiny_writer())
    (shard,) = folder.glob("*.safetensors")
    whole, loads = shard.read_bytes(), []

    def counted(folder, model_class):
        loads.append(folder)
        return load_trained(folder, model_class)

    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(published, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(published, "load_trained", counted)
    for n, damaged in enumerate((whole[:-1], whole[:-2]), start=1):
        shard.write_bytes(damaged)
        said = {models.unusable("shakespeare") for _ in range(3)}
        assert len(loads) == n and len(said) == 1 and shard.name in said.pop()
        with pytest.raises(CheckpointError, match=shard.name):
            models.language_model  # noqa: B018
    clock.now += published.RETRY
    assert shard.name in models.unusable("shakespeare") and len(loads) == 3
    shard.write_bytes(whole)
    assert models.unusable("shakespeare") == "" and len(loads) == 4


def test_a_vocabulary_that_a_study_lacked_is_found_without_a_restart(tmp_path):
    models, study = Models(tmp_path), tmp_path / "ablations" / "shakespeare"
    write_tiny(study / "full", tiny_writer())
    (study / "full" / "tokenizer.json").rename(tmp_path / "elsewhere.json")
    assert "tokenizer.json" in models.unusable("ablations/shakespeare/full")
    (tmp_path / "elsewhere.json").rename(study / "tokenizer.json")
    assert models.unusable("ablations/shakespeare/full") == ""
