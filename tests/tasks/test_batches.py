import pytest

from transformer_core.tasks.batches import BATCH, POSITIONS, grouped


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
