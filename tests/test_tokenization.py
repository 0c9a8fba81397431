import unicodedata

import pytest
from tiny import TEXT

from transformer_core.tokenization import (
    BOS,
    CLS,
    EOS,
    MASK,
    PAD,
    SPECIAL_TOKENS,
    UNK,
    Tokenizer,
    symbols,
    train_bpe,
    train_characters,
)

GERMAN = [
    "Ein Mann fährt über die Straße, und grüßt.",
    "Zwei Äpfel – für 3,50 €! Wirklich?",
    "Schöne Grüße aus Köln: »Über Übermut«.",
    "A dog isn't running; it's asleep.",
]
CHARACTERS = train_characters(TEXT + "\"'-" + "".join(SPECIAL_TOKENS))
PIECES = train_bpe([*GERMAN, *SPECIAL_TOKENS], vocab_size=180)
every_kind = pytest.mark.parametrize(
    "tokenizer", [CHARACTERS, PIECES], ids=["characters", "pieces"]
)


def decoded(tokenizer, text):
    return tokenizer.decode(tokenizer.encode(text))


def test_characters_come_back_exactly():
    assert decoded(CHARACTERS, TEXT) == TEXT
    assert "\n\n" in TEXT


def test_every_character_has_one_id_in_code_point_order():
    tokenizer = train_characters("hello")
    assert tokenizer.vocabulary == [*SPECIAL_TOKENS, "e", "h", "l", "o"]
    assert tokenizer.tokens([8, 6]) == ["l", "e"]
    assert tokenizer.encode("hello") == [7, 6, 8, 8, 9]


@pytest.mark.parametrize(
    "typed, read",
    [
        ("speak’s", "speak's"),
        ("‘speak’", "'speak'"),
        ("speak—speak", "speak--speak"),
        ("speak–speak", "speak-speak"),
        ("speak…", "speak..."),
        ("rësolvéd", "resolved"),
        ("speak\r\nspeak\rspeak", "speak\nspeak\nspeak"),
        ("speak\tspeak", "speak speak"),
    ],
)
def test_typographic_characters_are_reduced_to_plain_ones(typed, read):
    assert decoded(CHARACTERS, typed) == read


def test_a_character_of_the_training_text_is_never_reduced():
    assert decoded(CHARACTERS, '"speak"') == '"speak"'
    assert decoded(train_characters(TEXT + "'"), '"speak"') == "'speak'"


@pytest.mark.parametrize("text", ["schöne Nächte", "белый чай", "가나다 가", "e\u0301te\u0301"])
def test_a_text_with_accents_keeps_them(text):
    tokenizer = train_characters(text)
    assert decoded(tokenizer, text) == unicodedata.normalize("NFC", text)
    assert tokenizer.unknown_characters(text) == []
    assert len(tokenizer.encode(text)) == len(unicodedata.normalize("NFC", text))
    assert tokenizer.unknown_characters("ñ") == ["ñ"], "which is no n there"


@pytest.mark.parametrize("text", GERMAN)
def test_a_sentence_in_pieces_comes_back_exactly(text):
    assert decoded(PIECES, text) == text
    assert len(PIECES.encode(text)) < len(text)


@pytest.mark.parametrize(
    "text", ["Größe", "Äußerst süß!", "fährt,über (die) Straße", "1234 5", "...", "a - b"]
)
def test_new_words_of_known_characters_come_back_exactly(text):
    tokenizer = train_bpe([*GERMAN, *text], vocab_size=100)  # it saw the characters, not the words
    assert decoded(tokenizer, text) == text


@pytest.mark.parametrize(
    "typed, read",
    [
        ("  ein   Mann  ", "ein Mann"),
        ("ein\n\tMann", "ein Mann"),
        ("fa\u0308hrt", "fährt"),
        ("   ", ""),
        ("", ""),
    ],
)
def test_pieces_know_one_form_of_white_space_and_of_accents(typed, read):
    assert decoded(PIECES, typed) == read


def test_the_first_piece_of_a_word_carries_the_space():
    tokens = [PIECES.token(i) for i in PIECES.encode("die Straße, die Straße")]
    assert [token for token in tokens if token.startswith("▁")] == ["▁die", "▁Straße"] * 2
    assert "▁" not in "".join(token[1:] for token in tokens)


def test_a_typed_space_mark_is_no_space():
    assert decoded(train_bpe(["ein_Mann"], 60), "ein▁Mann") == "ein_Mann"


def test_rare_characters_are_unknown():
    tokenizer = train_bpe(["aaaa bbb cc d"], vocab_size=60, n_characters=4)
    assert tokenizer.unknown_characters("abcd") == ["d"]


@every_kind
def test_special_ids_are_fixed(tokenizer):
    assert (PAD, BOS, EOS, CLS, UNK, MASK) == (0, 1, 2, 3, 4, 5)
    assert SPECIAL_TOKENS == ["[PAD]", "[BOS]", "[EOS]", "[CLS]", "[UNK]", "[MASK]"]
    assert [tokenizer.token(i) for i in range(6)] == SPECIAL_TOKENS


@every_kind
@pytest.mark.parametrize("typed", [*SPECIAL_TOKENS, "speak[EOS]", "[EOS] [EOS]"])
def test_a_typed_special_token_is_only_characters(tokenizer, typed, tmp_path):
    reloaded = saved_and_loaded(tokenizer, tmp_path)
    assert min(reloaded.encode(typed)) >= len(SPECIAL_TOKENS)
    assert decoded(reloaded, typed) == typed


@every_kind
def test_special_tokens_are_left_out_of_the_text(tokenizer):
    ids = tokenizer.encode("die")
    assert tokenizer.decode([BOS, CLS, *ids, UNK, EOS, PAD, PAD]) == "die"


@every_kind
def test_what_the_vocabulary_lacks_is_unknown_and_named_once(tokenizer):
    assert UNK in tokenizer.encode("diλ")
    assert tokenizer.unknown_characters("λ die 語 λ") == ["λ", "語"]
    assert tokenizer.unknown_characters("die") == []


def test_of_equally_frequent_characters_always_the_same_are_known():
    text = "zyxwvutsrqponmlkjihgfedcba"
    tokenizer = train_bpe([text], vocab_size=17, n_characters=11)
    tokens = [tokenizer.token(i) for i in range(6, tokenizer.vocab_size)]
    assert tokens == [*"abcdefghij", "▁"]


def test_a_letter_and_its_accent_are_one_character_in_whatever_form_they_come():
    tokenizer = train_bpe(["größe für"], vocab_size=60)
    apart = unicodedata.normalize("NFD", "größe für ñ")
    assert tokenizer.unknown_characters(apart) == ["ñ"]


@every_kind
def test_half_a_surrogate_pair_is_answered_like_any_character(tokenizer):
    assert tokenizer.encode("die\ud83d") == tokenizer.encode("die?")


@every_kind
def test_many_texts_at_once_equal_one_by_one(tokenizer):
    texts = ["die", "", "Speak [EOS]"]
    assert tokenizer.encode_batch(texts) == [tokenizer.encode(text) for text in texts]


def saved_and_loaded(tokenizer, folder):
    path = folder / "tokenizer.json"
    path.write_text(tokenizer.to_json(), encoding="utf-8")
    return Tokenizer.load(path)


@every_kind
def test_a_saved_tokenizer_reads_and_writes_the_same(tokenizer, tmp_path):
    loaded = saved_and_loaded(tokenizer, tmp_path)
    assert loaded.vocab_size == tokenizer.vocab_size
    for text in [TEXT, *GERMAN, "λ [EOS]"]:
        assert loaded.encode(text) == tokenizer.encode(text)
        assert decoded(loaded, text) == decoded(tokenizer, text)


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "tokenizer.json"
    whole = PIECES.to_json()
    for content in (None, "", "{}", whole[: len(whole) // 2], whole.replace("[EOS]", "[END]")):
        if content is not None:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match=r"tokenizer\.json is not a tokenizer"):
            Tokenizer.load(path)


def test_symbols_are_the_first_capital_letters():
    tokenizer = symbols(3)
    assert tokenizer.encode("ABCD") == [6, 7, 8, UNK]
    assert tokenizer.decode([8, 6, EOS]) == "CA"
