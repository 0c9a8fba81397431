"""A checkpoint is a folder: config.json, float16 weights in small shards, and files beside them.

config.json names the shards with their hashes and is replaced last, in one step: a reader finds the
old model or the new one, never a mixture, and a damaged file is noticed before it is used.
"""

import hashlib
import json
import math
import time
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from huggingface_hub import split_torch_state_dict_into_shards
from safetensors import SafetensorError, safe_open
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from transformer_core.files import write_atomically
from transformer_core.model.config import ModelConfig
from transformer_core.model.models import (
    DecoderLM,
    EncoderClassifier,
    EncoderDecoder,
    MaskedLM,
    Model,
)
from transformer_core.model.rivals import BagClassifier, LinearClassifier, LSTMClassifier
from transformer_core.model.seeding import seeding
from transformer_core.tokenization import Tokenizer

M = TypeVar("M", bound=Model, covariant=True)
MODELS: dict[str, type[Model]] = {  # by the names that a config.json gives them
    kind.__name__: kind
    for kind in (
        EncoderDecoder,
        EncoderClassifier,
        MaskedLM,
        DecoderLM,
        LSTMClassifier,
        BagClassifier,
        LinearClassifier,
    )
}
SHARD_SIZE = "9MB"  # any host takes such files; a larger tensor has a shard of its own
CONFIG_FILE, TOKENIZER_FILE = "config.json", "tokenizer.json"
SCORES_FILE, TEST_SET_FILE = "scores.json", "test_set.json"  # of an exam, for `read_measured`


class CheckpointError(Exception):
    """A checkpoint that cannot be used; the message names the file and what is wrong with it."""


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder is one, without reading it."""
    return (folder / CONFIG_FILE).exists()


def read_json(path: Path) -> Any:
    """A JSON file's content; None if there is no such file, CheckpointError if it is damaged."""
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error


def weights_of(folder: Path) -> dict[str, str]:
    """The weight files of a checkpoint and their hashes; CheckpointError if it names none."""
    return described(folder)["weights"]


def described(folder: Path) -> dict[str, Any]:
    """A checkpoint's config.json; CheckpointError if it names no weights."""
    held = read_json(folder / CONFIG_FILE)
    if not isinstance(held, dict) or not isinstance(held.get("weights"), dict):
        raise CheckpointError(f"{folder / CONFIG_FILE} names no weights")
    return held


def size_of(folder: Path) -> tuple[str, int]:
    """What a checkpoint's model is called and how many parameters it has; no weight is read.

    CheckpointError if config.json names no model, or a file of weights cannot be read.
    """
    held = described(folder)
    name = str(held.get("model"))
    if name not in MODELS:
        raise CheckpointError(f"{folder / CONFIG_FILE} names no model")
    return name, sum(numbers_in(folder / Path(shard).name) for shard in held["weights"])


def numbers_in(shard: Path) -> int:
    """How many a file of weights holds, by its head."""
    try:
        with safe_open(shard, "pt") as held:
            names = held.keys()
            return sum(math.prod(held.get_slice(name).get_shape()) for name in names)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{shard} cannot be read: {error}") from error


def read_measured(folder: Path, name: str, weights: dict[str, str] | None = None) -> Any:
    """A file of what was measured on the weights that are loaded, or else on this folder's.

    None if there is no such file or it was measured on other weights; CheckpointError if it is
    damaged.
    """
    found = read_json(folder / name)
    if found is None:
        return None
    if not isinstance(found, dict):
        raise CheckpointError(f"{folder / name} says nothing of any weights")
    return found if found.get("weights") == (weights or weights_of(folder)) else None


def read_scores(folder: Path) -> dict[str, float]:
    """What the weights of a folder were scored; nothing if there is no model, or if scores.json
    is missing or of other weights. CheckpointError if it is damaged."""
    record = read_measured(folder, SCORES_FILE) if is_checkpoint(folder) else None
    values = record.get("scores") if record else {}
    if not isinstance(values, dict) or not all(isinstance(v, int | float) for v in values.values()):
        raise CheckpointError(f"{folder / SCORES_FILE} holds no scores")
    return values


def save(folder: Path, model: Model, *, dtype: torch.dtype = torch.float16) -> None:
    """Write weights and config; whatever else the folder holds stays.

    ValueError, with nothing written, if a weight is beyond what dtype can say.
    """
    tensors = weights_in(model, dtype)
    folder.mkdir(parents=True, exist_ok=True)
    plan = split_torch_state_dict_into_shards(tensors, max_shard_size=SHARD_SIZE)
    shards = {}
    for names in plan.filename_to_tensors.values():
        content = save_tensors({name: tensors[name] for name in names})
        digest = hashlib.sha256(content).hexdigest()
        write_atomically(folder / f"model-{digest[:12]}.safetensors", content)
        shards[f"model-{digest[:12]}.safetensors"] = digest
    description = {"model": type(model).__name__, "weights": shards, "config": asdict(model.config)}
    write_atomically(folder / CONFIG_FILE, json.dumps(description, indent=2) + "\n")
    killed = [p for p in folder.glob(".*.unfinished") if is_abandoned(p)]
    current = {folder / name for name in shards}
    for stale in {*folder.glob("model-*.safetensors"), *killed} - current:
        stale.unlink(missing_ok=True)  # another process may tidy up, too


def is_abandoned(unfinished: Path) -> bool:
    """Whether a file that was not finished has been left for an hour; no if it is finished now."""
    try:
        return unfinished.stat().st_mtime < time.time() - 3600
    except FileNotFoundError:
        return False


def weights_in(model: Model, dtype: torch.dtype = torch.float16) -> dict[str, torch.Tensor]:
    """The weights as a checkpoint holds them; ValueError if one is beyond what dtype can say."""
    # tied matrices appear once, under their first name: loading that fills the shared storage
    tensors, seen = {}, set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            tensors[name] = tensor.detach().to("cpu", dtype).contiguous()
            if not tensors[name].isfinite().all() and tensor.isfinite().all():
                raise ValueError(f"{name} has weights beyond what {dtype} can say")
    return tensors


def can_hold(model: Model) -> bool:
    """Whether all of a model's weights are within the range of a checkpoint's float16."""
    try:
        return bool(weights_in(model))
    except ValueError:
        return False


def load(folder: Path, model_class: type[M] = Model) -> M:  # type: ignore[assignment]
    """The saved model in float32 and eval mode; CheckpointError if anything is not as saved."""
    return load_named(folder, model_class)[0]


def load_named(folder: Path, model_class: type[M]) -> tuple[M, dict[str, str]]:
    """What `load` returns, and the weight files that it was read from, with their hashes."""
    path = folder / CONFIG_FILE
    while True:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{path} cannot be read: {error}") from error
        try:
            return read_model(path, content, model_class)
        except CheckpointError:
            # saving a new config removes the old shards: was it replaced while we were reading?
            if not path.exists() or path.read_bytes() == content:
                raise


def read_model(path: Path, content: bytes, model_class: type[M]) -> tuple[M, dict[str, str]]:
    """The model that the content of a config.json describes, and its weight files' hashes."""
    try:
        description = json.loads(content)
        name, shards = description["model"], dict(description["weights"])
        config = read_config(dict(description["config"]))
        with seeding():
            model = MODELS[name](config)
    except (ValueError, KeyError, TypeError, RuntimeError) as error:
        raise CheckpointError(f"{path} is not a checkpoint's config: {error!r}") from error
    if not isinstance(model, model_class):
        raise CheckpointError(f"{path} holds {name}, not {model_class.__name__}")
    tensors: dict[str, torch.Tensor] = {}
    for file, digest in shards.items():
        tensors |= read_shard(path.parent / Path(file).name, digest)
    try:
        fill(model, tensors)
    except ValueError as error:
        raise CheckpointError(f"{path} and its weights do not fit: {error}") from error
    return model.eval(), shards


def read_config(values: dict[str, Any]) -> ModelConfig:
    """Strict: no unknown field; fields added since the checkpoint was saved take their default."""
    known = {field.name: field for field in fields(ModelConfig)}
    if unknown := values.keys() - known.keys():
        raise ValueError(f"unknown fields {sorted(unknown)}")
    required = {name for name, field in known.items() if field.default is MISSING}
    if missing := required - values.keys():
        raise ValueError(f"missing fields {sorted(missing)}")
    return ModelConfig(**values)


def read_shard(path: Path, digest: str) -> dict[str, torch.Tensor]:
    """One shard's tensors, if its content is what config.json says."""
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError("its content is not what config.json was written for")
        return load_tensors(content)
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error


def fill(model: Model, tensors: dict[str, torch.Tensor]) -> None:
    """Copy tensors into the model; every parameter is given, every shape as expected."""
    slots = model.state_dict()
    if unknown := tensors.keys() - slots.keys():
        raise ValueError(f"no place for {sorted(unknown)}")
    filled = {slots[name].data_ptr() for name in tensors}
    missing = [name for name, slot in slots.items() if slot.data_ptr() not in filled]
    if missing:
        raise ValueError(f"no weights for {missing}")
    for name, tensor in tensors.items():
        if tensor.shape != slots[name].shape:
            raise ValueError(f"{name} is {tuple(tensor.shape)}, not {tuple(slots[name].shape)}")
        slots[name].copy_(tensor)


@dataclass(frozen=True)
class Trained(Generic[M]):
    """A model with the tokenizer it was trained with, and the folder both came from."""

    model: M
    tokenizer: Tokenizer
    folder: Path
    weights: dict[str, str] = field(default_factory=dict)  # its files there, with their hashes


def load_trained(
    folder: Path,
    model_class: type[M] = Model,  # type: ignore[assignment]
) -> Trained[M]:
    """Model and tokenizer of a checkpoint folder; CheckpointError if either is not as saved."""
    model, weights = load_named(folder, model_class)
    path = vocabulary_of(folder)
    tokenizer = read_tokenizer(path)
    if tokenizer.vocab_size != model.config.vocab_size:
        raise CheckpointError(
            f"{path} has {tokenizer.vocab_size} pieces, the model {model.config.vocab_size}"
        )
    return Trained(model, tokenizer, folder, weights)


def read_tokenizer(path: Path) -> Tokenizer:
    """A checkpoint's tokenizer.json; CheckpointError if it is none."""
    try:
        return Tokenizer.load(path)
    except ValueError as error:
        raise CheckpointError(str(error)) from error


def vocabulary_of(folder: Path) -> Path:
    """A checkpoint's tokenizer.json; the variants of a study share one, in the study's folder."""
    own, shared = (place / TOKENIZER_FILE for place in (folder, folder.parent))
    return own if own.exists() or not shared.exists() else shared
