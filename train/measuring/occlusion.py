"""What a translation loses when a piece of its source is blanked (occlusion, Zeiler and Fergus
2014).
"""

from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.model.models import EncoderDecoder

CLEAR = 1.0  # nats; a target piece that loses no more to any one source piece has no clear source


def importance(trained: Trained[EncoderDecoder], src: Tensor, tgt: Tensor) -> Tensor:
    """How many nats each target piece loses without each source piece. -> (target - 1, source)

    src (1, source), tgt (1, target) with BOS first.
    """
    model, n = trained.model, src.size(1)
    embedded = model.encoder.embed(src).repeat(n + 1, 1, 1)
    embedded[range(n), range(n)] = 0.0  # row i lacks piece i, the last row lacks nothing
    logits = model(src.expand(n + 1, -1), tgt[:, :-1].expand(n + 1, -1), inputs_embeds=embedded)
    written = tgt[:, 1:, None].expand(n + 1, -1, -1)
    log_probs = logits.log_softmax(-1).gather(2, written)[..., 0]
    return (log_probs[-1] - log_probs[:-1]).T
