"""Facts about train.heads: how a head gets its name, and how the name is put to a test."""

import json

import pytest
import torch
from tiny import TEXT, tiny_classifier, tiny_translator, tiny_writer, write_tinies

from train import heads
from train.data.hub import evenly
from train.heads import measure, named, reported
from train.measuring import seen
from train.measuring.held_out import Text
from train.measuring.seen import Measuring, edits, losses, nats
from transformer_core.checkpoint import load_trained, save
from transformer_core.explain.roles import BROAD, FILE, roles_of
from transformer_core.model.heads import every_head, head_mask
from transformer_core.model.models import MaskedLM
from transformer_core.model.trace import Attention, Site, Trace
from transformer_core.tokenization import BOS, CLS, EOS, SPECIAL_TOKENS

FIRST = Site("encoder", 0, "self")


def some_ids(tokenizer, n, seed=0):
    """Ordinary tokens at random."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(len(SPECIAL_TOKENS), tokenizer.vocab_size, (n,), generator=generator)


def reviews(trained, n):
    """Texts for a classifier."""
    return [
        Text(
            torch.cat(
                [torch.tensor([CLS]), some_ids(trained.tokenizer, 30, i), torch.tensor([EOS])]
            ),
            torch.tensor(i % 2),
        )
        for i in range(n)
    ]


def planted(looks):
    """In the place of `seen.read`: attention that depends on the text as looks(ids) says."""

    def read(model, src, ids, trace=None):
        weights = torch.stack([looks(row) for row in ids])
        mask = torch.ones(1, 1, 1, ids.size(1), dtype=torch.bool)
        for site in model.sites:
            trace.attention[site] = Attention(*[weights] * 5, mask)

    return read


def judged(monkeypatch, looks):
    """What is found of planted attention: on texts that name it, and on texts that test it."""
    trained = tiny_classifier(n_heads=1)
    monkeypatch.setattr(seen, "read", planted(looks))
    measuring, halves = Measuring(trained), []
    for some in (reviews(trained, 5), reviews(trained, 8)[5:]):
        each = [measuring.see(text, text)[FIRST] for text in some]
        halves.append(sum(each[1:], each[0]))
    naming, testing = halves
    role, rule = named(FIRST, naming)[0]
    return reported(role, rule, 0, testing)


def test_edits_shuffle_tokens_and_move_signs():
    ids = torch.tensor([CLS, 7, 8, 9, 10, EOS])
    shuffled, signs = edits(ids, torch.Generator().manual_seed(1))
    assert sorted(shuffled.tolist()) == sorted(signs.tolist()) == list(range(6))
    assert ids[shuffled][[0, 5]].tolist() == [CLS, EOS]
    assert CLS in ids[signs][1:5] and EOS in ids[signs][1:5]


def test_a_head_that_goes_by_place_keeps_its_name_in_another_order(monkeypatch):
    def looks(ids):
        return torch.eye(len(ids)).roll(-1, 1)[None]  # the place before, and the last for the first

    found = judged(monkeypatch, looks)
    assert found.role == "previous" and found.holds
    assert found.share > 0.9 and found.chance < 0.1 and found.follow == 1 and found.stay == 0


def test_a_head_that_looks_for_a_sign_finds_it_elsewhere(monkeypatch):
    def looks(ids):
        return (ids == EOS).float().expand(1, len(ids), -1)

    found = judged(monkeypatch, looks)
    assert found.role == "end" and found.holds
    assert found.share == pytest.approx(1) and found.follow == pytest.approx(1)


def test_a_head_that_looks_at_the_last_place_only_seems_to_look_for_the_sign(monkeypatch):
    def looks(ids):
        return torch.eye(len(ids))[-1].expand(1, len(ids), -1)

    found = judged(monkeypatch, looks)
    assert found.role == "end" and found.share == pytest.approx(1)
    assert found.holds is False and found.follow == 0 and found.stay == 1


def test_a_wide_rule_names_what_no_narrow_one_fits(monkeypatch):
    def three_before(ids):
        return torch.eye(len(ids)).roll(-3, 1)[None]

    def three_ahead(ids):
        return torch.eye(len(ids)).roll(3, 1)[None]

    def two_before(ids):
        return torch.eye(len(ids)).roll(-2, 1)[None]

    looks = (three_before, three_ahead, two_before)
    names = [judged(monkeypatch, one).role for one in looks]
    assert names == ["few before", "few ahead", "2 before"]


def test_a_head_that_fits_no_rule_is_broad_or_has_no_name(monkeypatch):
    def alike(ids):
        return torch.full((1, len(ids), len(ids)), 1 / len(ids))

    def far(ids):
        return torch.eye(len(ids)).roll(9, 1)[None]

    broad, nothing = judged(monkeypatch, alike), judged(monkeypatch, far)
    assert broad.role == BROAD and broad.share == pytest.approx(1)
    assert nothing.role is None and nothing.share == 0


@pytest.mark.parametrize("make", [tiny_writer, tiny_translator, tiny_classifier])
def test_every_head_of_every_model_is_measured(make):
    trained = make()
    if make is tiny_classifier:
        texts = reviews(trained, 4)
    else:
        ids = [some_ids(trained.tokenizer, 12, i) for i in range(4)]
        src = [torch.cat([one, torch.tensor([EOS])]) for one in ids]
        begun = [torch.cat([torch.tensor([BOS]), one]) for one in ids]
        texts = [
            Text(a[:-1], a[1:], b if make is tiny_translator else None)
            for a, b in zip(begun, src, strict=True)
        ]
    found = measure(trained, texts)
    assert list(found) == every_head(trained.model)
    assert all(role.loss and role.error > 0 for role in found.values())


def test_texts_are_taken_from_all_of_the_data():
    assert evenly(range(7), 3) == [0, 2, 4] and evenly(range(197), 120)[-1] == 195
    assert evenly("abc", 5) == ["a", "b", "c"] and evenly([], 5) == []


def test_what_is_lost_is_what_a_model_without_the_head_loses():
    trained = tiny_writer()
    ids = some_ids(trained.tokenizer, 13)
    text, head = Text(ids[:-1], ids[1:]), every_head(trained.model)[5]
    with torch.inference_mode():
        off = Trace(head_mask(trained.model, [head]), record=False)
        without, plain = nats(trained.model, text, off), nats(trained.model, text)
        lost = losses(trained.model, text)[5]
    assert lost.item() == pytest.approx((without - plain).item(), abs=1e-5)


def test_what_cannot_be_measured_is_said(tmp_path):
    folder = write_tinies(tmp_path) / "shakespeare"
    (tmp_path / "input.txt").write_text(TEXT)
    with pytest.raises(SystemExit, match="too few texts"):
        heads.main(["--checkpoint", str(folder), "--data", str(tmp_path / "input.txt")])
    save(
        folder,
        tiny_classifier(MaskedLM, vocab_size=load_trained(folder).tokenizer.vocab_size).model,
    )
    with pytest.raises(SystemExit, match="MaskedLM"):
        heads.main(["--checkpoint", str(folder), "--data", str(tmp_path / "input.txt")])


def test_the_command_writes_what_the_page_reads(tmp_path, capsys):
    folder = write_tinies(tmp_path) / "shakespeare"
    (tmp_path / "input.txt").write_text(TEXT * 5)
    heads.main(["--checkpoint", str(folder), "--data", str(tmp_path / "input.txt")])
    trained = load_trained(folder)
    assert len(roles_of(trained)) == 8
    assert json.loads((folder / FILE).read_text())["n_texts"] >= 2
    assert "of 8 heads have a name" in capsys.readouterr().out
