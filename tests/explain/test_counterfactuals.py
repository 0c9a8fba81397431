"""What another text would have been answered: words edited, deleted and suggested."""

import pytest
import torch
from tiny import tiny_classifier

from transformer_core.explain.counterfactuals import (
    MAX_REPLACEMENT,
    edited,
    greedy_flip,
    probability,
    suggestions,
)
from transformer_core.model.models import MaskedLM
from transformer_core.tasks.classification import classify, read_review, score
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import MASK

SAID = "Speak, speak to all of them before any die; I'd rather hear you than the citizen."


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(1)
    return tiny_classifier(positional_encoding="rotary")


@pytest.fixture(scope="module")
def review(trained):
    return read_review(trained.tokenizer, SAID, 60)


def test_edits_change_their_words_and_nothing_else(trained, review):
    ids, words = review.pieces
    at = {w: [p for p, word in enumerate(words) if word == w] for w in set(words)}
    masked = edited(trained.tokenizer, review, {2: None})
    assert [i for i, w in zip(*masked, strict=True) if w == 2] == [MASK] * len(at[2])
    deleted = edited(trained.tokenizer, review, {2: "", 5: " "})
    assert deleted == review.pieces.without([2, 5])
    replaced = edited(trained.tokenizer, review, {2: "famish"})
    assert [i for i, w in zip(*replaced, strict=True) if w == 2] == trained.tokenizer.encode(
        "famish"
    )
    assert [i for i, w in zip(*replaced, strict=True) if w != 2] == [
        i for i, w in zip(ids, words, strict=True) if w != 2
    ]
    assert edited(trained.tokenizer, review, {}) == review.pieces


def test_a_replaced_word_counts_as_if_it_had_been_typed(trained):
    review = read_review(trained.tokenizer, "Speak to all", 60)
    typed = classify(trained, "Speak famish all").probabilities["positive"]
    pieces = edited(trained.tokenizer, review, {1: "famish"})
    assert probability(trained, pieces, 1) == pytest.approx(typed, abs=1e-6)


def test_a_typed_mask_is_characters_and_not_the_mask(trained, review):
    assert MASK not in edited(trained.tokenizer, review, {2: "[MASK]"}).ids


def test_too_long_replacements_get_a_sentence(trained, review):
    with pytest.raises(InputError, match=f"at most {MAX_REPLACEMENT}"):
        edited(trained.tokenizer, review, {0: "a" * (MAX_REPLACEMENT + 1)})
    edits = {word: "speak " * (MAX_REPLACEMENT // 6) for word in range(len(review.words))}
    with pytest.raises(InputError, match="the model reads 60"):
        probability(trained, edited(trained.tokenizer, review, edits), 1)


@pytest.mark.parametrize("seed", range(4))
def test_a_flip_is_real_and_needs_each_of_its_words(seed):
    torch.manual_seed(seed)
    trained = tiny_classifier()
    review = read_review(trained.tokenizer, SAID, 60)
    # shifted so that both answers are near and some deletions change it
    logits = score(trained.model, [review.ids])[0]
    trained.model.head.bias.data[0] += logits[1] - logits[0] - 0.1
    *steps, last = greedy_flip(trained.model, review.pieces, 1)
    assert last.done and not any(step.done for step in steps)
    assert [len(step.words) for step in steps] == list(range(1, len(steps) + 1))

    def answer(gone):
        return score(trained.model, [review.pieces.without(gone).ids])[0]

    assert last.flipped
    assert answer(last.words).argmax() == 0
    assert last.probability == pytest.approx(answer(last.words).softmax(-1)[1].item(), abs=1e-6)
    for word in last.words:
        assert answer([w for w in last.words if w != word]).argmax() == 1


def test_what_no_deletion_flips_is_said_so(trained):
    sure = tiny_classifier()
    sure.model.head.bias.data[1] += 50
    review = read_review(sure.tokenizer, "Speak to all", 60)
    *_, last = greedy_flip(sure.model, review.pieces, 1)
    assert last.done and not last.flipped and len(last.words) == 3


def test_no_word_is_suggested_where_there_is_no_room_for_it(trained):
    limit = trained.model.config.max_len
    review = read_review(trained.tokenizer, "speak " * limit, limit)
    longer = edited(trained.tokenizer, review, {0: "Speak speak"})
    with pytest.raises(InputError, match=f"the model reads {limit:,}"):
        suggestions(trained, tiny_classifier(MaskedLM), longer, 1, 1)


def test_suggestions_are_what_the_language_model_finds_likely(trained):
    torch.manual_seed(2)
    language_model = tiny_classifier(MaskedLM)
    review = read_review(trained.tokenizer, "Speak to all of them", 60)
    found = suggestions(trained, language_model, review.pieces, 1, 1)
    assert found and all(suggestion.text.isalpha() for suggestion in found)
    likelihoods = [suggestion.likelihood for suggestion in found]
    assert likelihoods == sorted(likelihoods, reverse=True)
    masked = edited(trained.tokenizer, review, {1: None}).ids
    with torch.inference_mode():
        probs = language_model.model(torch.tensor([masked]))[0, masked.index(MASK)].softmax(-1)
    for suggestion in found:
        (index,) = trained.tokenizer.encode(suggestion.text)
        assert suggestion.likelihood == pytest.approx(probs[index].item(), abs=1e-6)
        typed = classify(trained, f"Speak {suggestion.text} all of them")
        assert suggestion.probability == pytest.approx(typed.probabilities["positive"], abs=1e-5)
