"""Find the attention head that tells which source word a target word comes from.

`python -m train.alignment` compares every cross-attention head with occlusion on validation
sentences: a source piece matters for a target piece as much as its probability falls when the
piece's embedding is blanked. A head's agreement is the share of target pieces where it looks most
at the piece that matters most; pieces for which no source piece matters clearly do not count. Every
second sentence chooses the head; what is reported, of it and of all others, is measured on the
rest. The result stands in the checkpoint, as alignment.json.
"""

from collections import defaultdict
from pathlib import Path

import torch

from train.data import hub
from train.data.error import DataError
from train.data.pairs import spread
from train.measuring.occlusion import CLEAR, importance
from train.running.flags import in_a_sentence
from train.running.measured import ALIGNMENT, read_flags, write_measured
from transformer_core.checkpoint import Trained, load_trained
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.trace import Trace
from transformer_core.tasks.batches import source_ids, target_ids

N_SENTENCES = 100  # of each validation set


@torch.inference_mode()
def agreement(
    trained: Trained[EncoderDecoder], pairs: list[tuple[str, str]]
) -> tuple[dict[str, float], int]:
    """Of the target pieces with a clear source, the share each "layer:head" finds; their number."""
    hits: defaultdict[str, int] = defaultdict(int)
    n_pieces = 0
    max_len = trained.model.config.max_len
    for en, de in pairs:
        src = torch.tensor([source_ids(trained.tokenizer, en, max_len)])
        tgt = torch.tensor([target_ids(trained.tokenizer, de, max_len)])
        lost, best = importance(trained, src, tgt).max(dim=1)
        clear = lost > CLEAR
        n_pieces += int(clear.sum())
        trace = Trace()
        trained.model(src, tgt[:, :-1], trace)
        for site, attention in trace.attention.items():
            if site.kind == "cross":
                found = attention.weights[0].argmax(-1) == best  # (heads, target)
                for head, hit in enumerate(found[:, clear].sum(1).tolist()):
                    hits[f"{site.layer}:{head}"] += hit
    return {name: hit / max(1, n_pieces) for name, hit in hits.items()}, n_pieces


def write(checkpoint: Path, data: Path | None) -> None:
    """Measure a checkpoint on local data, or on the Hub's, and write its alignment.json.

    CheckpointError or DataError if that cannot be done.
    """
    trained = load_trained(checkpoint, EncoderDecoder)
    pairs = [
        pair
        for validation in hub.translation(data, "validation").values()
        for pair in spread(validation, N_SENTENCES).sentences
    ]
    choosing, reporting = pairs[::2], pairs[1::2]
    if not reporting:
        raise DataError(f"{data} has no validation*.parquet of at least two pairs to measure on")
    known, _ = agreement(trained, choosing)
    best = max(known, key=known.__getitem__)
    heads, n_pieces = agreement(trained, reporting)
    layer, head = map(int, best.split(":"))
    record = {
        "layer": layer,
        "head": head,
        "agreement": heads[best],
        "heads": heads,
        "n_pieces": n_pieces,
        "n_sentences": len(reporting),
    }
    write_measured(trained, ALIGNMENT, record)
    print(
        f"layer {layer + 1}, head {head + 1} agrees with occlusion on {heads[best]:.1%} of pieces"
    )


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Measure from the command line."""
    write(*read_flags(argv, "alignment", __doc__, "translation"))


if __name__ == "__main__":
    main()
