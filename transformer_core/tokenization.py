"""Text to ids and back, and ids to what is shown. The only module that knows `tokenizers`."""

import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

# the same ids in every vocabulary
PAD, BOS, EOS, CLS, UNK, MASK = range(6)
SPECIAL_TOKENS = ["[PAD]", "[BOS]", "[EOS]", "[CLS]", "[UNK]", "[MASK]"]


def whole(text: str) -> str:
    """The text, each lone half of a surrogate pair (no character) replaced by a question mark."""
    return text.encode(errors="replace").decode()


def composed(text: str) -> str:
    """The whole text, a letter and its accent as one character."""
    return unicodedata.normalize("NFC", whole(text))


class Tokenizer:
    """A trained `tokenizers` tokenizer with the six special tokens at fixed ids.

    Special tokens are added by code and never parsed from text: a visitor who types [EOS] gets the
    characters, not the token.
    """

    def __init__(self, inner: tokenizers.Tokenizer):
        inner.encode_special_tokens = True  # typed special tokens are ordinary characters
        self.inner = inner
        for index, token in enumerate(SPECIAL_TOKENS):
            if inner.token_to_id(token) != index:
                raise ValueError(f"{token} has id {inner.token_to_id(token)}, not {index}")

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Read a tokenizer.json; ValueError names the file if it is none."""
        try:
            return cls(tokenizers.Tokenizer.from_str(Path(path).read_text(encoding="utf-8")))
        except Exception as error:  # the library raises bare Exception for a malformed file
            raise ValueError(f"{path} is not a tokenizer: {error}") from error

    def to_json(self) -> str:
        """The content of a tokenizer.json."""
        return self.inner.to_str(pretty=False)

    @property
    def vocab_size(self) -> int:
        """Number of pieces, special tokens included."""
        return self.inner.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """Ids of a text, without special tokens; what the vocabulary lacks becomes UNK."""
        return self.inner.encode(whole(text), add_special_tokens=False).ids

    def encode_with_spans(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids as encode gives them, and the characters text[start:end] that each stands for."""
        found = self.inner.encode(whole(text), add_special_tokens=False)
        return found.ids, found.offsets

    def encode_batch(self, texts: list[str]) -> list[list[int]]:
        """Ids of many texts at once, many times faster than one by one."""
        found = self.inner.encode_batch_fast(texts, add_special_tokens=False)  # without offsets
        return [each.ids for each in found]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids, special tokens left out."""
        return self.inner.decode([i for i in ids if i >= len(SPECIAL_TOKENS)])

    def token(self, index: int) -> str:
        """One id as the vocabulary writes it; IndexError if it has no such id."""
        token: str | None = self.inner.id_to_token(index)
        if token is None:
            raise IndexError(f"no token has the id {index}")
        return token

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Every id as the vocabulary writes it."""
        return [self.token(index) for index in ids]

    @property
    def vocabulary(self) -> list[str]:
        """Every token, at the place of its id."""
        return self.tokens(range(self.vocab_size))

    def unknown_characters(self, text: str) -> list[str]:
        """The distinct characters of the composed text that become UNK, in order of appearance."""
        text = composed(text)
        found = zip(*self.encode_with_spans(text), strict=True)
        unknown = (text[slice(*span)] for index, span in found if index == UNK)
        return list(dict.fromkeys("".join(unknown)))


PLAIN_LETTERS = [normalizers.NFD(), normalizers.StripAccents()]


def train_characters(text: str, *, plain: bool = True) -> Tokenizer:
    """One id per distinct character, in code point order.

    Quotes, dashes and the like that the text lacks are first reduced to their plain forms, and so
    are accented letters if the text has none, unless plain=False keeps every character as it is.
    """
    if plain:
        text = unicodedata.normalize("NFC", text)
    vocabulary = {token: index for index, token in enumerate(SPECIAL_TOKENS)}
    for character in sorted(set(text)):
        vocabulary[character] = len(vocabulary)
    inner = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    forms = {
        "’": "'",
        "‘": "'",
        "“": "'",
        "”": "'",
        '"': "'",
        "–": "-",
        "—": "--",
        "…": "...",
        "\t": " ",
    }
    if plain:
        inner.normalizer = normalizers.Sequence(
            [normalizers.Replace(Regex("\r\n?"), "\n")]
            + [normalizers.Replace(old, new) for old, new in forms.items() if old not in vocabulary]
            + ([normalizers.NFC()] if has_accents(text) else PLAIN_LETTERS)
        )
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    inner.decoder = decoders.Fuse()
    return Tokenizer(inner)


def has_accents(text: str) -> bool:
    """Whether PLAIN_LETTERS would change some of its letters."""
    return any(
        unicodedata.normalize("NFD", one) != one or unicodedata.category(one) == "Mn"
        for one in set(text)
    )


def symbols(n: int) -> Tokenizer:
    """The alphabet of the toy tasks: the first n capital letters, separated by nothing."""
    return train_characters("".join(chr(ord("A") + i) for i in range(n)))


# a word or one digit or a mark (repeated or not) with the space before it, or an English ending;
# numbers are read digit by digit, since most of them are too rare to be learnt as a whole
WORDS = r"['’](?:s|t|re|ve|m|ll|d)\b|▁?\p{L}[\p{L}\p{M}]*|▁?\p{N}|▁?([^\p{L}\p{N}▁])\1*|▁"


def train_bpe(
    texts: Iterable[str], vocab_size: int, n_characters: int = 200, *, web: bool = False
) -> Tokenizer:
    """Byte-pair encoding (Sennrich et al. 2016) over the n_characters most frequent characters.

    A word's first piece carries the space before it as ▁. Runs of white space count as one space.
    Of texts from the web, line-break tags count as white space and capitals as small letters.
    """
    inner = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
    folded = [normalizers.Replace(Regex(r"<br ?/?>"), " "), normalizers.Lowercase()]
    inner.normalizer = normalizers.Sequence(
        [
            *(folded if web else []),
            normalizers.NFC(),
            normalizers.Replace("▁", "_"),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
        ]
    )
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(split=False), pre_tokenizers.Split(Regex(WORDS), "isolated")]
    )
    inner.decoder = decoders.Metaspace()
    texts = list(texts)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=SPECIAL_TOKENS,
        # the trainer would find them by itself, but choose differently among ties from run to run
        initial_alphabet=commonest(map(inner.normalizer.normalize_str, texts), n_characters),
        limit_alphabet=n_characters,
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    return Tokenizer(inner)


def commonest(texts: Iterable[str], n: int) -> list[str]:
    """▁, which stands for a space, and the n - 1 most frequent other characters.

    Ties are broken by code point.
    """
    counts = Counter(itertools.chain.from_iterable(texts))
    del counts[" "]
    return ["▁", *sorted(counts, key=lambda character: (-counts[character], character))[: n - 1]]
