"""Text to ids and back, and ids to what is shown. The only module that knows `tokenizers`."""

from collections.abc import Iterable
from pathlib import Path

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

# the same ids in every vocabulary
PAD, BOS, EOS, CLS, UNK, MASK = range(6)
SPECIAL_TOKENS = ["[PAD]", "[BOS]", "[EOS]", "[CLS]", "[UNK]", "[MASK]"]


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
        return self.inner.encode(text, add_special_tokens=False).ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids, special tokens left out."""
        return self.inner.decode([i for i in ids if i >= len(SPECIAL_TOKENS)])

    def token(self, index: int) -> str:
        """One id as the vocabulary writes it."""
        return self.inner.id_to_token(index)

    def unknown_characters(self, text: str) -> list[str]:
        """The distinct characters of a text that become UNK, in order of appearance."""
        return [c for c in dict.fromkeys(text) if UNK in self.encode(c)]


def train_characters(text: str) -> Tokenizer:
    """One id per distinct character, in code point order.

    Typographic quotes and dashes and accented letters are first reduced to their plain forms.
    """
    vocabulary = {token: index for index, token in enumerate(SPECIAL_TOKENS)}
    for character in sorted(set(text)):
        vocabulary[character] = len(vocabulary)
    inner = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    plain = {
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
    inner.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex("\r\n?"), "\n")]
        + [normalizers.Replace(old, new) for old, new in plain.items() if old not in vocabulary]
        + [normalizers.NFD(), normalizers.StripAccents()]
    )
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    inner.decoder = decoders.Fuse()
    return Tokenizer(inner)


def symbols(n: int) -> Tokenizer:
    """The alphabet of the toy tasks: the first n capital letters, separated by nothing."""
    return train_characters("".join(chr(ord("A") + i) for i in range(n)))


def train_bpe(texts: Iterable[str], vocab_size: int) -> Tokenizer:
    """Byte-pair encoding over characters; a word's first piece carries the space before it."""
    inner = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    inner.normalizer = normalizers.NFKC()
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation("isolated")]
    )
    inner.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL_TOKENS, show_progress=False
    )
    inner.train_from_iterator(texts, trainer)
    return Tokenizer(inner)
