"""Models that read on beyond the length of their training."""

import pytest
import torch
from tiny import tiny_writer
from tiny_study import write_encodings

from transformer_core import checkpoint
from transformer_core.published import Models
from transformer_core.studies.curves import Curve
from transformer_core.studies.encodings import VARIANTS
from transformer_core.studies.longer import BIN, LONGER, WRITTEN, read_on, readers

LENGTH = 16


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A tiny writer for every encoding, each with losses by place."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_encodings(folder, LENGTH)
    return Models(folder)


def test_all_but_learned_positions_have_room_for_four_times_as_much(models):
    length, found = readers(models)
    assert length == LENGTH and [one.encoding for one in found] == [*VARIANTS]
    rooms = {one.encoding: one.trained.model.config.max_len for one in found}
    assert rooms == {name: LONGER * LENGTH for name in VARIANTS} | {"learned": LENGTH}
    for one in found:  # and they are the same models still
        own = models.get(f"ablations/shakespeare/{VARIANTS[one.encoding]}").model
        ids = torch.randint(6, 20, (1, LENGTH))
        torch.testing.assert_close(one.trained.model(ids), own(ids))


def test_losses_are_the_mean_of_the_seeds_at_the_place(models):
    _, found = readers(models)
    by_name = {one.encoding: one for one in found}
    # tiny_study gives a seed its final loss and a hundredth a position, at every eighth
    assert by_name["alibi"].loss(8) == pytest.approx(2.08)
    assert by_name["alibi"].loss(9) == by_name["alibi"].loss(16) == pytest.approx(2.16)
    assert by_name["learned"].loss(16) is not None and by_name["learned"].loss(17) is None
    assert by_name["alibi"].holds(32, LENGTH) and not by_name["learned"].holds(17, LENGTH)


def test_who_guesses_much_worse_than_at_the_end_of_the_training_does_not_hold(models):
    _, (one, *_) = readers(models)
    steps, values = torch.tensor([8, 16, 24]).numpy(), torch.tensor([[2.0, 2.0, 2.3]]).numpy()
    worse = type(one)("x", one.trained, Curve((0,), steps, None, None, values))
    assert worse.holds(16, 16) and not worse.holds(24, 16)


def test_a_model_without_losses_or_with_a_damaged_file_still_reads(models, tmp_path):
    torch.manual_seed(1)
    tiny = tiny_writer(max_len=LENGTH)
    study = tmp_path / "ablations" / "shakespeare"
    checkpoint.save(study / "full", tiny.model)
    (study / "tokenizer.json").write_text(tiny.tokenizer.to_json())
    for damaged in ("", "seed,position\n1,2\n"):
        if damaged:
            (study / "full" / "extrapolation.csv").write_text(damaged)
        _, (one,) = readers(Models(tmp_path))
        assert one.losses is None and one.loss(3) is None and not one.holds(3, 3)
        assert read_on(one.trained, [7, 8, 9]).written
    assert readers(Models(tmp_path / "nothing")) == (0, [])


@pytest.mark.parametrize("n", [1, 7, 8, LENGTH, LENGTH + 1, 3 * LENGTH])
def test_looks_are_shares_of_what_was_read_and_a_table_ends(models, n):
    _, found = readers(models)
    ids = torch.randint(6, 20, (n,), generator=torch.Generator().manual_seed(0)).tolist()
    for one in found:
        read = read_on(one.trained, ids)
        if one.encoding == "learned" and n > LENGTH:
            assert read is None
            continue
        assert len(read.looks) == -(-n // BIN)
        assert read.looks.sum().item() == pytest.approx(1, abs=1e-5)
        room = one.trained.model.config.max_len + 1 - n
        assert len(read.written) == min(WRITTEN, room)


def test_the_same_dice_are_thrown_again(models):
    _, (one, *_) = readers(models)
    assert read_on(one.trained, [7, 8, 9]).written == read_on(one.trained, [7, 8, 9]).written
