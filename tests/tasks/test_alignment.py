"""Which head aligns words is what was measured of these very weights."""

import json
from dataclasses import replace

import pytest
import torch
from tiny import tiny_translator

from transformer_core.checkpoint import CheckpointError, save, weights_of
from transformer_core.model.trace import Site
from transformer_core.tasks.alignment import alignment_head


def test_the_alignment_head_is_the_measured_one_or_the_last_layers_first(tmp_path):
    trained = replace(tiny_translator(), folder=tmp_path)
    save(tmp_path, trained.model)
    assert alignment_head(trained) == (Site("decoder", 1, "cross"), 0, None)
    found = {"layer": 0, "head": 3, "agreement": 0.6, "weights": weights_of(tmp_path)}
    (tmp_path / "alignment.json").write_text(json.dumps(found))
    assert alignment_head(trained) == (Site("decoder", 0, "cross"), 3, 0.6)
    for damaged in ([], {"layer": 0, "weights": weights_of(tmp_path)}):
        (tmp_path / "alignment.json").write_text(json.dumps(damaged))
        with pytest.raises(CheckpointError, match=r"alignment\.json"):
            alignment_head(trained)
    torch.nn.init.ones_(next(trained.model.parameters()))
    save(tmp_path, trained.model)
    assert alignment_head(trained)[2] is None, "it was measured on other weights"
