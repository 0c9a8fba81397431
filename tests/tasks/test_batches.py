import pytest
import torch
from alike import NEAR
from tiny import TINY, build

from transformer_core.model.models import EncoderDecoder
from transformer_core.tasks.batches import BATCH, POSITIONS, grouped, translate_ids
from transformer_core.tokenization import BOS, EOS


@pytest.mark.parametrize("beam_size", [1, 4, 12])
def test_sequences_that_are_decoded_together_have_room(beam_size):
    lengths = [7, 75, *range(1, 200), 3]
    limits = [2 * length + 10 for length in lengths]
    groups = list(grouped(lengths, limits, beam_size))
    order = [i for group in groups for i in group]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[i] for i in order] == sorted(lengths)
    for group in groups:
        needed = len(group) * beam_size * max(limits[i] for i in group)
        assert len(group) <= BATCH and needed <= POSITIONS
    assert list(grouped([300, 2], [POSITIONS, 14], 12)) == [[1], [0]], "one alone has no choice"
    assert list(grouped([], [], 4)) == []


def log_prob(model, source, tokens):
    """Of what was written, in one pass that caches nothing."""
    tgt = torch.tensor([[BOS, *tokens]])
    log_probs = model(torch.tensor([source]), tgt[:, :-1])[0].log_softmax(-1)
    return log_probs.gather(1, tgt[0, 1:, None]).sum().item()


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "alibi"])
@pytest.mark.parametrize("beam_size", [1, 4])
@torch.inference_mode()
def test_many_translations_at_once_are_as_good_as_the_single_ones(positions, beam_size):
    """Of two that are as likely either may be found; what is found is as likely as is said."""
    model = build(EncoderDecoder, positional_encoding=positions)
    sources = [[*torch.randint(6, TINY.vocab_size, (n % 12 + 1,)).tolist(), EOS] for n in range(15)]
    together = translate_ids(model, sources, beam_size)
    for ids, found in zip(sources, together, strict=True):
        (alone,) = translate_ids(model, [ids], beam_size)
        assert found.score(1.0) == pytest.approx(alone.score(1.0), abs=NEAR)
        written = found.with_end(EOS)
        assert found.log_prob == pytest.approx(log_prob(model, ids, written), abs=NEAR)
