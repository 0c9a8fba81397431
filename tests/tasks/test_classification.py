import pytest
import torch
from tiny import TEXT, tiny_classifier

from transformer_core.model.rivals import LinearClassifier, LSTMClassifier
from transformer_core.model.trace import Trace
from transformer_core.tasks.classification import (
    LABELS,
    MAX_CHARACTERS,
    NO_WORD,
    classify,
    cut,
    frame,
    log_odds,
    read_review,
    score,
)
from transformer_core.tasks.lens import class_lens
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import CLS, EOS, train_bpe

SAID = "Speak, speak to all of them before any die; I'd rather hear you than the citizen."
# a vocabulary with the signs that people type
LETTERS = train_bpe(
    [TEXT, "<b>isn't it — great-looking? 100% (yes) 'quoted' café!!! é"], 120, web=True
)


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(1)
    return tiny_classifier(positional_encoding="rotary")


@pytest.fixture(scope="module")
def review(trained):
    return read_review(trained.tokenizer, SAID, 60)


def words_of(text, max_len=200):
    review = read_review(LETTERS, text, max_len)
    return [review.text[start:end] for start, end in review.words]


@pytest.mark.parametrize(
    "text, words",
    [
        ("Speak to me.", ["Speak", "to", "me", "."]),
        ("It isn't 'so'", ["It", "isn't", "'", "so", "'"]),
        ("rock’n’roll", ["rock’n’roll"]),
        ("great-looking", ["great", "-", "looking"]),
        ("one<br /><br />I'd", ["one", "I'd"]),
        ("one<br><b>two</b>", ["one", "<", "b", ">", "two", "<", "/", "b", ">"]),
        ("<s>hi", ["<", "s", ">", "hi"]),
        ("100% yes!!!", ["100", "%", "yes", "!!!"]),
        ("日本 and", ["日本", "and"]),
        ("Cafe\u0301", ["Cafe\u0301"]),
        ("[CLS]", ["[", "CLS", "]"]),
        ("  \n a\t\tb ", ["a", "b"]),
        ("a > b", ["a", ">", "b"]),
    ],
)
def test_words_are_the_visitors_own(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize("text", [SAID, "one<br />two", "  A  B\n\nc ", "<s> [CLS] 日本 \ud800"])
def test_the_tokens_of_a_review_read_as_the_text_does(text):
    first, *tokens, last = read_review(LETTERS, text, 200).tokens
    shown = text.encode(errors="replace").decode().replace("<br />", " ")
    assert (first, last) == ("[CLS]", "[EOS]")
    assert "".join(tokens).split() == shown.split()


def test_every_piece_belongs_to_the_word_it_stands_in(review):
    assert review.pieces.words[0] == review.pieces.words[-1] == NO_WORD
    inner = list(zip(review.pieces.words[1:-1], review.spans, strict=True))
    assert {word for word, _ in inner} == set(range(len(review.words)))
    for word, (start, end) in inner:
        assert review.words[word][0] <= start <= end <= review.words[word][1]


def test_of_a_long_text_both_ends_are_read_and_a_gap_is_shown(trained):
    text = "speak " * 50 + "die " * 50
    review = read_review(trained.tokenizer, text, 20)
    assert len(review.ids) == 20 and review.n_pieces > 18
    assert review.text[slice(*review.words[0])] == "speak"
    assert review.text[slice(*review.words[-1])] == "die"
    assert sum(" … " in token for token in review.tokens) == 1


def test_cut_takes_the_share_of_the_beginning_and_the_rest_of_the_end():
    assert cut(list(range(10)), 4, 0.25) == [0, 7, 8, 9]
    assert cut(list(range(4)), 4, 0.25) == [0, 1, 2, 3]
    assert frame([9] * 3, 8) == [CLS, 9, 9, 9, EOS]


def test_deleting_words_deletes_their_pieces_and_nothing_else(review):
    left = review.pieces.without([0, 3])
    assert set(left.words) == set(review.pieces.words) - {0, 3}
    kept = [i for i, w in zip(*review.pieces, strict=True) if w not in (0, 3)]
    assert left.ids == kept
    assert review.pieces.without(range(len(review.words))).ids == [CLS, EOS]


@pytest.mark.parametrize("text, known", [(SAID, True), ("日本語", False), ("!!!", False)])
def test_a_text_without_a_known_letter_is_noticed(trained, text, known):
    assert read_review(trained.tokenizer, text, 60).known == known


@pytest.mark.parametrize("model_class", [None, LSTMClassifier, LinearClassifier])
def test_classify_says_what_the_model_says(model_class):
    trained = tiny_classifier(model_class) if model_class else tiny_classifier()
    found = classify(trained, SAID)
    with torch.inference_mode():
        expected = trained.model(torch.tensor([found.review.ids])).softmax(-1)[0].tolist()
    assert found.probabilities == pytest.approx(dict(zip(LABELS, expected, strict=True)))
    assert sum(found.probabilities.values()) == pytest.approx(1.0)
    assert found.probabilities[found.label] == max(found.probabilities.values())


def test_a_traced_classification_shows_every_head_over_the_visitors_text(trained):
    found = classify(trained, SAID, Trace())
    assert torch.equal(found.logits, classify(trained, SAID).logits)
    for site in trained.model.sites:
        view = found.view(site)
        assert view.weights.shape == (4, len(view.query_tokens), len(view.key_tokens))
        assert "".join(view.key_tokens[1:-1]) == SAID


@pytest.mark.parametrize("batch_tokens", [1, 30, 10_000])
def test_texts_scored_together_equal_texts_scored_alone(trained, monkeypatch, batch_tokens):
    monkeypatch.setattr("transformer_core.tasks.classification.BATCH_TOKENS", batch_tokens)
    texts = [[CLS, *torch.randint(6, 80, (n,)).tolist(), EOS] for n in (5, 2, 5, 9, 2)]
    texts.append(texts[1])
    with torch.inference_mode():
        alone = torch.cat([trained.model(torch.tensor([ids])) for ids in texts])
    torch.testing.assert_close(score(trained.model, texts), alone)


def test_log_odds_are_those_of_the_probability():
    logits = torch.randn(5, 3)
    p = logits.softmax(-1)[:, 2]
    torch.testing.assert_close(log_odds(logits, 2), (p / (1 - p)).log())


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_class_lens_ends_with_the_classification(norm):
    trained, trace = tiny_classifier(norm=norm), Trace()
    found = classify(trained, SAID, trace)
    lens = class_lens(trained.model, trace)
    assert lens.shape == (trained.model.config.n_layers + 1, 2)
    torch.testing.assert_close(lens[-1], found.logits.softmax(-1))
    other = class_lens(trained.model, classify(trained, "die", Trace()).trace)
    torch.testing.assert_close(lens[0], other[0])  # before any layer [CLS] has seen nothing


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "Type a review"),
        (" \n\t", "Type a review"),
        (None, "Type a review"),
        (["a"], "Type a review"),
        ("a" * (MAX_CHARACTERS + 1), f"at most {MAX_CHARACTERS:,} fit"),
        ("<br />", "no word or sign"),
    ],
)
def test_what_cannot_be_classified_gets_a_sentence(trained, text, sentence):
    with pytest.raises(InputError, match=sentence):
        classify(trained, text)


@pytest.mark.parametrize(
    "text",
    ["a", "a" * MAX_CHARACTERS, "日本語", "<img src=x>", "<s>", "[CLS][EOS]", "\ud800", "‏שלום"],
)
def test_odd_texts_are_answered(trained, text):
    assert classify(trained, text).label in LABELS
