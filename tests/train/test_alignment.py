"""Which head aligns words is measured by blanking pieces."""

import json

import pytest
from tiny import tiny_translator, write_tiny

from train import alignment
from train.data.hub import Pairs
from train.running.measured import write_measured
from transformer_core.checkpoint import load_trained, read_measured, weights_of
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.alignment import alignment_head

PAIRS = [("Speak, speak.", "hear me speak."), ("You are all.", "famish?"), ("All:", "speak")]


def validated_on(monkeypatch, pairs: list[tuple[str, str]]) -> None:
    """Have all that is there to validate on be these pairs."""
    en, de = map(list, zip(*pairs, strict=True))
    sets = {"validation_tiny": Pairs(en, de, [""] * len(en))}
    monkeypatch.setattr(alignment.hub, "translation", lambda path, split: sets)


def test_the_command_names_the_head_that_agrees_most(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "translation"
    write_tiny(folder, tiny_translator())
    # three pairs, twice: both halves hold all of them
    validated_on(monkeypatch, [*PAIRS, *PAIRS])
    monkeypatch.setattr(alignment, "CLEAR", 0.0)  # an untrained model leans on nothing much
    alignment.main(["--checkpoint", str(folder)])
    record = json.loads((folder / "alignment.json").read_text())
    assert record["n_sentences"] == len(PAIRS) and 0 < record["n_pieces"] <= 40
    assert record["agreement"] == max(record["heads"].values()) and len(record["heads"]) == 8
    assert record["weights"] == weights_of(folder)
    site, head, agreement = alignment_head(load_trained(folder, EncoderDecoder))
    assert (site.layer, head, agreement) == (record["layer"], record["head"], record["agreement"])
    assert f"layer {site.layer + 1}, head {head + 1} agrees" in capsys.readouterr().out


def test_a_head_is_chosen_on_some_sentences_and_measured_on_others(tmp_path, monkeypatch):
    write_tiny(tmp_path, tiny_translator())
    validated_on(monkeypatch, PAIRS)
    asked, found = [], iter([({"0:0": 0.2, "0:3": 0.9}, 40), ({"0:0": 0.5, "0:3": 0.4}, 7)])

    def agreement(trained, pairs):
        asked.append(pairs)
        return next(found)

    monkeypatch.setattr(alignment, "agreement", agreement)
    alignment.main(["--checkpoint", str(tmp_path)])
    assert asked == [[PAIRS[0], PAIRS[2]], [PAIRS[1]]]
    record = json.loads((tmp_path / "alignment.json").read_text())
    assert (record["layer"], record["head"], record["agreement"]) == (0, 3, 0.4)
    assert (record["n_pieces"], record["n_sentences"]) == (7, 1)


def test_what_is_measured_names_the_weights_that_were_measured(tmp_path):
    write_tiny(tmp_path, tiny_translator())
    trained = load_trained(tmp_path, EncoderDecoder)
    write_tiny(tmp_path, tiny_translator(d_ff=16))
    write_measured(trained, "alignment.json", {"layer": 0})
    assert read_measured(tmp_path, "alignment.json") is None
    assert json.loads((tmp_path / "alignment.json").read_text())["weights"] == trained.weights


def test_without_validation_pairs_there_is_a_sentence_and_no_head(tmp_path, monkeypatch):
    folder = tmp_path / "translation"
    write_tiny(folder, tiny_translator())
    monkeypatch.setattr(alignment.hub, "translation", lambda path, split: {})
    with pytest.raises(SystemExit, match=r"no validation\*\.parquet"):
        alignment.main(["--checkpoint", str(folder), "--data", str(tmp_path)])
    assert not (folder / "alignment.json").exists()


def test_a_head_that_looks_where_it_matters_agrees_always(monkeypatch):
    trained = tiny_translator()
    monkeypatch.setattr(alignment, "CLEAR", -1e9)  # every piece counts

    def what_head_one_looks_at(trained, src, tgt):
        trace = Trace()
        trained.model(src, tgt[:, :-1], trace)
        return trace.attention[Site("decoder", 1, "cross")].weights[0, 1]

    monkeypatch.setattr(alignment, "importance", what_head_one_looks_at)
    heads, n_pieces = alignment.agreement(trained, PAIRS)
    assert heads["1:1"] == 1.0 and min(heads.values()) < 1.0
    assert n_pieces == sum(len(trained.tokenizer.encode(de)) + 1 for _, de in PAIRS)
