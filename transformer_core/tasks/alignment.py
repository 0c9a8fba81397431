"""The head that shows which words belong together."""

from transformer_core.checkpoint import CheckpointError, Trained, read_measured
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.trace import Site

FILE = "alignment.json"


def alignment_head(trained: Trained[EncoderDecoder]) -> tuple[Site, int, float | None]:
    """The cross-attention head that aligns words best, as `train.alignment` measured it.

    Returns its site, its number and its agreement with occlusion; unmeasured, the last layer's
    first head and None. CheckpointError if the file is damaged.
    """
    found = read_measured(trained.folder, FILE, trained.weights)
    if found is None:
        return Site("decoder", trained.model.config.n_layers - 1, "cross"), 0, None
    try:
        return Site("decoder", found["layer"], "cross"), found["head"], found["agreement"]
    except KeyError as error:
        raise CheckpointError(f"{trained.folder / FILE} lacks {error}") from error
