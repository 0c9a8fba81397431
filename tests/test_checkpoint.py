import itertools
import json
import os
from hashlib import sha256
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny import build, tiny_writer

from transformer_core import checkpoint
from transformer_core.checkpoint import CheckpointError, load, load_trained, save, size_of
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.tokenization import train_characters

every_model = pytest.mark.parametrize("model_class", [EncoderDecoder, EncoderClassifier, DecoderLM])
every_encoding = pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)


def logits(model):
    tokens = torch.arange(1, 13).view(2, 6)
    return model(tokens, tokens) if isinstance(model, EncoderDecoder) else model(tokens)


def rounded(model):
    """What is left of its parameters in half precision."""
    for parameter in model.parameters():
        parameter.data = parameter.data.half().float()
    return model


def shards(folder):
    return sorted(folder.glob("*.safetensors"))


@every_model
@every_encoding
def test_a_loaded_model_computes_what_the_saved_one_did(tmp_path, model_class, encoding):
    model = build(model_class, positional_encoding=encoding, norm="post", n_classes=3)
    save(tmp_path, model.train())
    loaded = load(tmp_path)
    assert type(loaded) is model_class
    assert loaded.config == model.config
    torch.testing.assert_close(logits(loaded), logits(model.eval()), atol=0.02, rtol=0.02)
    assert torch.equal(logits(loaded), logits(rounded(model)))


def test_single_precision_loses_nothing(tmp_path):
    model = build(DecoderLM)
    save(tmp_path, model, dtype=torch.float32)
    assert torch.equal(logits(load(tmp_path)), logits(model))


def test_what_half_precision_cannot_say_is_not_saved(tmp_path):
    model = build(DecoderLM)
    save(tmp_path, model)
    before = (tmp_path / "config.json").read_text()
    model.decoder.norm.weight.data[0] = 1e6
    with pytest.raises(ValueError, match=r"decoder\.norm\.weight has weights beyond"):
        save(tmp_path, model)
    assert (tmp_path / "config.json").read_text() == before
    save(tmp_path, model, dtype=torch.float32)


@every_model
@every_encoding
def test_the_size_of_a_checkpoint_is_its_models_number_of_parameters(
    tmp_path, monkeypatch, model_class, encoding
):
    monkeypatch.setattr(checkpoint, "SHARD_SIZE", "20KB")
    model = build(model_class, positional_encoding=encoding)
    save(tmp_path, model)
    assert len(shards(tmp_path)) > 1
    assert size_of(tmp_path) == (model_class.__name__, model.n_parameters)


def test_tied_matrices_are_saved_once_and_loaded_tied(tmp_path):
    model = build(EncoderDecoder)
    save(tmp_path, model, dtype=torch.float32)
    loaded, (path,) = load(tmp_path), shards(tmp_path)
    assert sum(tensor.numel() for tensor in load_file(path).values()) == model.n_parameters
    assert loaded.decoder.embedding is loaded.encoder.embedding
    assert torch.equal(loaded.decoder.embedding.weight, model.encoder.embedding.weight)


def test_no_file_is_too_large_for_a_plain_push(tmp_path):
    model = build(EncoderClassifier, d_model=256, d_ff=2048, n_layers=5)
    save(tmp_path, model)
    assert len(shards(tmp_path)) > 1
    assert all(path.stat().st_size < 10_000_000 for path in shards(tmp_path))
    assert torch.equal(logits(load(tmp_path)), logits(rounded(model)))


def test_other_files_of_the_folder_stay_and_old_weights_go(tmp_path):
    (tmp_path / "metrics.csv").write_text("step,value\n")
    save(tmp_path, build(DecoderLM))
    before = shards(tmp_path)
    save(tmp_path, build(DecoderLM))
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {"metrics.csv", "config.json", *(path.name for path in shards(tmp_path))}
    assert not set(before) & set(shards(tmp_path))


def test_a_field_added_since_takes_its_default(tmp_path):
    model = build(DecoderLM)
    save(tmp_path, model)
    edit(tmp_path, lambda description: description["config"].pop("position_base"))
    assert load(tmp_path).config == model.config


def test_another_model_than_expected_is_refused(tmp_path):
    save(tmp_path, build(DecoderLM))
    assert type(load(tmp_path, DecoderLM)) is DecoderLM
    with pytest.raises(CheckpointError, match=r"config.json holds DecoderLM, not EncoderDecoder"):
        load(tmp_path, EncoderDecoder)


# Each damages a good checkpoint.
def edit(folder, change):
    """Change the description in config.json."""
    path = folder / "config.json"
    description = json.loads(path.read_text())
    change(description)
    path.write_text(json.dumps(description))


def reset(**values):
    return lambda folder: edit(folder, lambda description: description["config"].update(values))


def rewrite(pattern, change):
    def damage(folder):
        path = min(folder.glob(pattern))
        path.write_bytes(change(path.read_bytes()))

    return damage


def adopt(content):
    """Put other content in a shard's place and its hash into config.json."""

    def damage(folder):
        (path,) = shards(folder)
        path.write_bytes(content)
        edit(folder, lambda d: d["weights"].update({path.name: sha256(content).hexdigest()}))

    return damage


def flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def swap_weights(folder):
    """Another model's weights under the names of ours."""
    save(folder / "other", build(DecoderLM))
    (ours,), (other,) = shards(folder), shards(folder / "other")
    other.replace(ours)


CONFIG, WEIGHTS = "config.json", "model-*.safetensors"
DAMAGE = {
    "no config": (CONFIG, lambda folder: (folder / CONFIG).unlink()),
    "truncated config": (CONFIG, rewrite(CONFIG, lambda content: content[:-40])),
    "empty config": (CONFIG, rewrite(CONFIG, lambda content: b"")),
    "config of bytes": (CONFIG, rewrite(CONFIG, lambda content: b"\xff\xfe\x00")),
    "config is a list": (CONFIG, rewrite(CONFIG, lambda content: b"[]")),
    "weights is a list": (CONFIG, lambda folder: edit(folder, lambda d: d.update(weights=[]))),
    "config is a number": (CONFIG, lambda folder: edit(folder, lambda d: d.update(config=3))),
    "no such model": (CONFIG, lambda folder: edit(folder, lambda d: d.update(model="LSTM"))),
    "unknown field": (CONFIG, reset(heads=4)),
    "missing field": (CONFIG, lambda folder: edit(folder, lambda d: d["config"].pop("vocab_size"))),
    "impossible size": (CONFIG, reset(n_heads=5)),
    "negative size": (CONFIG, reset(n_classes=-1)),
    "size in words": (CONFIG, reset(d_model="32")),
    "unknown encoding": (CONFIG, reset(positional_encoding="rope")),
    "unknown activation": (CONFIG, reset(activation="tanh")),
    "wider than its weights": (CONFIG, reset(d_ff=64)),
    "deeper than its weights": (CONFIG, reset(n_layers=3)),
    "shallower than its weights": (CONFIG, reset(n_layers=1)),
    "no weights": (WEIGHTS, lambda folder: shards(folder)[0].unlink()),
    "truncated weights": (WEIGHTS, rewrite(WEIGHTS, lambda content: content[:-10])),
    "empty weights": (WEIGHTS, rewrite(WEIGHTS, lambda content: b"")),
    "one bit flipped": (WEIGHTS, rewrite(WEIGHTS, flip)),
    "another model's weights": (WEIGHTS, swap_weights),
    "foreign weights": (WEIGHTS, adopt(b"PK\x03\x04 a pickle in a zip")),
}


@pytest.mark.parametrize("name, damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named(tmp_path, name, damage):
    save(tmp_path, build(DecoderLM))
    (path,) = tmp_path.glob(name)
    damage(tmp_path)
    with pytest.raises(CheckpointError) as error:
        load(tmp_path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("content", [None, "", "{}", train_characters("abc").to_json()])
def test_a_damaged_tokenizer_is_named(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    save(tmp_path, build(DecoderLM))
    if content is not None:
        path.write_text(content)
    with pytest.raises(CheckpointError) as error:
        load_trained(tmp_path)
    assert str(path) in str(error.value)


class Killed(BaseException):
    pass


def kill_at(patch, moment):
    """The moment-th file that is put in place or removed is one too many."""
    changes = itertools.count()

    def mortal(original):
        def change(path, *args, **options):
            if next(changes) == moment:
                raise Killed
            return original(path, *args, **options)

        return change

    for name in ("replace", "unlink"):
        patch.setattr(Path, name, mortal(getattr(Path, name)))


def test_a_save_killed_at_any_moment_leaves_the_old_model_or_the_new(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SHARD_SIZE", "10KB")
    models = {"old": rounded(build(DecoderLM)), "new": rounded(build(DecoderLM))}
    save(tmp_path / "whole", models["new"])
    n_shards = len(shards(tmp_path / "whole"))
    assert n_shards > 3
    left = []
    for moment in range(2 * n_shards + 1):
        folder = tmp_path / str(moment)
        save(folder, models["old"])
        with monkeypatch.context() as patch, pytest.raises(Killed):
            kill_at(patch, moment)
            save(folder, models["new"])
        found = logits(load(folder))
        left += [name for name, model in models.items() if torch.equal(found, logits(model))]
    # all new shards first, then the config, which is the moment of change, then old shards go
    assert left == ["old"] * (n_shards + 1) + ["new"] * n_shards


def test_whoever_reads_while_a_model_is_replaced_finds_the_new_one(tmp_path, monkeypatch):
    save(tmp_path, build(DecoderLM))
    new, read_shard = build(DecoderLM), checkpoint.read_shard

    def replaced_before(path, digest):
        monkeypatch.setattr(checkpoint, "read_shard", read_shard)
        save(tmp_path, new)  # which removes the shard that is about to be read
        return read_shard(path, digest)

    monkeypatch.setattr(checkpoint, "read_shard", replaced_before)
    assert torch.equal(logits(load(tmp_path)), logits(rounded(new.eval())))


@pytest.mark.parametrize("end", [Killed, OSError])  # of the process, or of the space on the disk
def test_an_unfinished_write_leaves_the_old_content(tmp_path, monkeypatch, end):
    path = tmp_path / "notes.txt"
    checkpoint.write_atomically(path, "old")

    def dies(_):
        raise end

    monkeypatch.setattr("os.fsync", dies)
    with pytest.raises(end):
        checkpoint.write_atomically(path, "new")
    assert path.read_text() == "old"
    if end is OSError:
        assert [found.name for found in tmp_path.iterdir()] == ["notes.txt"]


def test_saving_removes_what_a_killed_process_left_long_ago(tmp_path):
    old, new = tmp_path / ".config.json.1-1.unfinished", tmp_path / ".config.json.2-2.unfinished"
    for path in (old, new):
        path.write_text("{")
    os.utime(old, (0, 0))
    save(tmp_path, tiny_writer().model)
    assert not old.exists() and new.exists(), "another process may be writing now"


def test_two_processes_may_tidy_up_one_folder(tmp_path, monkeypatch):
    glob = Path.glob

    def gone_since(folder, pattern):
        return [*glob(folder, pattern), folder / pattern.replace("*", "gone")]

    monkeypatch.setattr(Path, "glob", gone_since)
    save(tmp_path, tiny_writer().model)
    assert (tmp_path / "config.json").exists()
