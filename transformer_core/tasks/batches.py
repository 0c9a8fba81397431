"""Sequences through an encoder-decoder, many at once and with nothing to look at: how they are
framed, how long an answer may be, which are decoded together, and how many are right.
"""

from collections.abc import Iterator

from transformer_core.decoding.search import Hypothesis, beam_search
from transformer_core.decoding.steps import encoder_decoder_step
from transformer_core.model.masks import pad
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import BOS, EOS, Tokenizer

# decoded together: so many sequences, and so many positions of all their hypotheses, for the cache
# has room for as many as the longest may write
BATCH, POSITIONS = 64, 40_000


def framed_source(ids: list[int], max_len: int) -> list[int]:
    """What the encoder reads of a text's pieces: at most max_len with the end token."""
    return [*ids[: max_len - 1], EOS]


def framed_target(ids: list[int], max_len: int) -> list[int]:
    """What the decoder is taught of a text's pieces: between BOS and EOS, without one of which it
    is at most max_len long."""
    return [BOS, *ids[: max_len - 1], EOS]


def source_ids(tokenizer: Tokenizer, text: str, max_len: int) -> list[int]:
    """A text as the encoder reads it."""
    return framed_source(tokenizer.encode(text), max_len)


def target_ids(tokenizer: Tokenizer, text: str, max_len: int) -> list[int]:
    """A text as the decoder is taught it."""
    return framed_target(tokenizer.encode(text), max_len)


def new_tokens_limit(source: list[int], max_len: int, at_least: int = 0) -> int:
    """How many tokens to write at most: no real translation is longer; what runs on repeats itself.

    Other tasks may have longer outputs; their at_least is how many tokens there must be room for.
    """
    return min(max_len, max(2 * len(source) + 10, at_least))


def translate_ids(
    model: EncoderDecoder,
    sources: list[list[int]],
    beam_size: int = 4,
    length_penalty: float = 1.0,
    max_new: int | None = None,
    at_least: int = 0,
) -> list[Hypothesis]:
    """The best translation of every source, in the order given; similar lengths run together.

    None has more than max_new tokens; at_least as in `new_tokens_limit`.
    """
    best: dict[int, Hypothesis] = {}
    longest = model.config.max_len if max_new is None else max_new
    limits = [new_tokens_limit(ids, longest, at_least) for ids in sources]
    for places in grouped([len(ids) for ids in sources], limits, beam_size):
        own = [limits[i] for i in places]
        step = encoder_decoder_step(model, pad([sources[i] for i in places]), max_new=max(own))
        beams = beam_search(step, len(places), BOS, EOS, own, beam_size=beam_size)
        for place, beam in zip(places, beams, strict=True):
            best[place] = beam.hypotheses(length_penalty)[0]
    return [best[i] for i in range(len(sources))]


def grouped(lengths: list[int], limits: list[int], beam_size: int) -> Iterator[list[int]]:
    """Which sequences to decode together, the shortest first; limits: what each may write."""
    group: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        rows = (len(group) + 1) * beam_size
        if group and (len(group) == BATCH or rows * limits[i] > POSITIONS):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def greedy_accuracy(
    model: EncoderDecoder, sources: list[list[int]], targets: list[list[int]], at_least: int = 0
) -> tuple[float, float]:
    """How well greedy decoding writes targets, each of which ends with EOS.

    Returns the share of them that is right to the last token, and the share of all tokens that
    stand in their right place, ends and what is too many included. at_least as in
    `new_tokens_limit`.
    """
    exact = right = total = 0
    outputs = translate_ids(model, sources, beam_size=1, at_least=at_least)
    for output, target in zip(outputs, targets, strict=True):
        written = output.with_end(EOS)
        exact += written == target
        right += sum(a == b for a, b in zip(written, target, strict=False))
        total += max(len(written), len(target))
    return exact / len(targets), right / total
