"""The same words in every order, read by models with and without positions."""

import math

import pytest
import torch
from tiny_study import write_translators

from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.studies.encodings import trained_with
from transformer_core.studies.orders import (
    MAX_ORDERS,
    MAX_WORDS,
    STUDY,
    answers,
    compared,
    grouped,
    membership,
    read_order,
    readings,
    words_of,
)
from transformer_core.tasks.requests import InputError, Token
from transformer_core.tasks.translation import translate_sentence
from transformer_core.tokenization import EOS

SAID = "Speak to all of them."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model without positions and one with them."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_translators(folder, "none", "sinusoidal")
    return Models(folder)


def test_words_change_places_and_the_sign_at_the_end_does_not():
    words = words_of("  Speak to\tall,  of them?! ")
    assert words.words == ("Speak", "to", "all,", "of", "them") and words.end == "?!"
    assert words.text(words.first) == "Speak to all, of them?!"
    assert words.text((4, 0, 2, 3, 1)) == "them Speak all, of to?!"


@pytest.mark.parametrize("text", ["", "Speak", "?!", "a " * (MAX_WORDS + 1), "x" * 81, None])
def test_what_has_no_order_is_refused(text):
    with pytest.raises(InputError):
        words_of(text)


@pytest.mark.parametrize("n", [2, 5, 6, MAX_WORDS])
def test_all_orders_are_tried_or_so_many_of_them(n):
    words = words_of(" ".join("abcdefgh"[:n]))
    orders = words.orders()
    assert orders[0] == words.first and len(set(orders)) == len(orders)
    assert len(orders) == min(MAX_ORDERS, math.factorial(n))
    assert {tuple(sorted(order)) for order in orders} == {words.first}
    assert orders == words.orders()


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("a b a", 3),
        ("a man sees a man", 30),
        ("a a a a a a a a", 1),
        ("a a a a b a a c", 56),
        ("a a b b c c d d", MAX_ORDERS),
    ],
)
def test_equal_words_that_change_places_are_no_other_order(text, n):
    words = words_of(text)
    orders = words.orders()
    assert len(orders) == len({words.text(order) for order in orders}) == words.n_tried == n
    assert orders[0] == words.first
    for order in (words.first[::-1], *orders):
        assert words.text(words.settled(order)) == words.text(order)
    assert all(words.settled(order) == order for order in orders)


def test_without_positions_nothing_moves_and_with_them_it_does(models):
    words = words_of(SAID)
    none, sinusoidal = compared(
        readings(models, words, (4, 0, 2, 3, 1)), readings(models, words, words.first)
    )
    assert (none.encoding, sinusoidal.encoding) == ("none", "sinusoidal")
    assert none.moved < 1e-5 and not none.noticed and none.stays
    assert sinusoidal.noticed and sinusoidal.moved > 0.01
    torch.testing.assert_close(none.now.looks, none.first.looks, atol=1e-5, rtol=1e-4)
    n_orders, n_answers = answers(models, words)
    assert n_orders == MAX_ORDERS and n_answers["none"] == 1 <= n_answers["sinusoidal"]


def test_in_the_first_order_nothing_has_moved(models):
    words = words_of(SAID)
    first = readings(models, words, words.first)
    for one in compared(first, first):
        assert one.moved == 0 and one.stays and not one.noticed


def test_looks_and_states_are_those_of_the_words(models):
    words, trained = words_of(SAID), trained_with(models, STUDY)["sinusoidal"]
    order = (2, 1, 0, 4, 3)
    seen = translate_sentence(trained, "all to Speak them of.", beam_size=1)
    found = read_order(trained, words, order)
    assert found.says == grouped(seen.tokens)[0]
    member = membership(trained.tokenizer, words, order, len(seen.src_ids))
    pieces = [[seen.src_tokens[i] for i in row.nonzero().flatten()] for row in member]
    assert ["".join(word).strip("▁ ") for word in pieces] == list(words.words)
    states = seen.trace.residual["encoder"][-1][0]
    torch.testing.assert_close(found.states[2], states[member[2].bool()].mean(0))
    site = Site("decoder", trained.model.config.n_layers - 1, "cross")
    weights = seen.trace.attention[site].weights[0].mean(0)
    first = grouped(seen.tokens)[1][0]
    looked = weights[first][:, member[4].bool()].sum(1).mean()
    torch.testing.assert_close(found.looks[0, 4], looked)


def test_every_piece_is_part_of_one_word_also_a_space_alone(models):
    tokenizer, words = trained_with(models, STUDY)["none"].tokenizer, words_of("l e k Speak o.")
    ids = tokenizer.encode(words.text(words.first))
    assert tokenizer.encode("▁")[0] in ids[1:]
    member = membership(tokenizer, words, words.first, len(ids))
    assert member.sum(0).tolist() == [*[1] * (len(ids) - 1), 0]  # the sign at the end is none's


def test_pieces_of_an_answer_become_words_with_their_signs():
    said = [("▁Ein", 9), ("▁Hemd", 9), ("en", 9), (".", 9), ("", EOS), ("▁x", 9)]
    tokens = [Token(text, index, 0.0) for text, index in said]
    assert grouped(tokens) == (["Ein", "Hemden."], [[0], [1, 2, 3]])
    assert grouped(tokens[4:]) == ([], [])
