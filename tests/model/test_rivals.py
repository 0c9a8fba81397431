import torch
from tiny import build, padded, words

from transformer_core.model.rivals import BagClassifier, LinearClassifier, LSTMClassifier


def test_a_bag_ignores_order_and_padding():
    model, row = build(BagClassifier), words(8)
    shuffled = row[torch.randperm(8)]
    torch.testing.assert_close(model(padded([row, words(9)]))[0], model(shuffled[None])[0])
    torch.testing.assert_close(model(row[None])[0], model.head(model.embedding.weight[row].mean(0)))


def test_a_linear_classifier_adds_up_each_piece_and_each_pair_once():
    model = build(LinearClassifier)
    torch.nn.init.normal_(model.head.weight)
    features = model.features(torch.tensor([[5, 6, 5, 6]]))[0]
    found = features[features != 0]
    assert found[:2].tolist() == [5, 6] and len(found) == 4, "5 6 and 6 5 are two pairs"
    expected = model.head.weight[:, found].sum(1) + model.head.bias
    torch.testing.assert_close(model(torch.tensor([[5, 6, 5, 6]]))[0], expected)
    torch.testing.assert_close(model(torch.tensor([[6, 5, 6, 5, 0, 0]]))[0], expected)
    assert not torch.allclose(model(torch.tensor([[5, 5, 6, 6]]))[0], expected)


def test_padding_changes_nothing_for_the_lstm():
    model, rows = build(LSTMClassifier), [words(6), words(11)]
    together = model(padded(rows))
    torch.testing.assert_close(together, torch.cat([model(row[None]) for row in rows]))
