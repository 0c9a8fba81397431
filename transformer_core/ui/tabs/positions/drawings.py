"""What the tab draws: every figure computed by the code that the models use."""

from torch import Tensor

from transformer_core.inside.encodings import (
    acting_place,
    effect,
    shift_error,
    shift_matrix,
    turned_query,
)
from transformer_core.model.config import ModelConfig
from transformer_core.model.positions import POSITIONAL_ENCODINGS, sinusoids
from transformer_core.tasks.requests import InputError
from transformer_core.ui.encodings import said_of
from transformer_core.ui.events import answers_errors
from transformer_core.ui.views.encoding import encoding_value, encodings_value, no_table
from transformer_core.wording import printed

SHOWN_CHANNELS = 32  # of the rotation matrix: the blocks beyond turn ever more slowly
SHOWN_POSITIONS = 48  # of the five encodings side by side
ACTS = {  # what an encoding does in the place where it acts
    "embed": "a vector added to each token's embedding",
    "rotate": "turns queries and keys: the product of one and the same pair, by their positions",
    "bias": "added to the scores of each query (row) for each key (column), first head",
}
NOTHING = "nothing is added, turned or subtracted: a shuffled text gives shuffled vectors"
VECTOR = {
    "table": "A row for each position, a column for each channel",
    "row": "The vector of position {row}",
    "column": "Channel {column} over all positions",
    "like": "How similar the other positions are to {row}",
}
BIAS = {
    "table": "A row for each query, a column for each key",
    "row": "What the query at {row} has added to its scores",
    "column": "What the key at {column} has added to its scores, query by query",
    "like": "How the query at {row} would weigh keys with equal scores",
}


@answers_errors
def draw_figure(name: str, d_model: int, length: int, base: float) -> dict:
    """The table of one encoding. base is an exponent of ten, here and below."""
    if name not in POSITIONAL_ENCODINGS:
        raise InputError(f"There is no encoding {name!r}.")
    config = config_of(d_model, length, base)
    place, says = acting_place(name), said_of(name).table
    if place is None:
        return no_table(says, f"There is nothing to draw: {NOTHING}.")
    names = BIAS if place == "bias" else VECTOR
    table = table_of(name, place, config)
    return encoding_value(name, table, says, names, is_bias=place == "bias")


def draw_all(d_model: int, length: int, base: float) -> tuple[dict]:
    """Every encoding in the one place where it acts."""
    config = config_of(d_model, min(length, SHOWN_POSITIONS), base)
    cards = []
    for name in POSITIONAL_ENCODINGS:
        place = acting_place(name)
        shown = None if place is None else effect(name, config, place)
        cards.append((name, NOTHING if place is None else ACTS[place], shown))
    return (encodings_value(cards),)


def draw_similarity(d_model: int, length: int, base: float, position: int) -> tuple:
    """Every pair of positions, and one of them against all."""
    from transformer_core.ui.figures import positions

    numbers = sinusoids(length, d_model, 10**base)
    row = positions.similarity_row(numbers, min(position, length - 1))
    return positions.similarity(numbers), row


def draw_rotation(d_model: int, _length: int, base: float, p: int, k: int) -> tuple:
    """From position p to p + k: the clocks, the matrix, and how exactly it does it."""
    from transformer_core.ui.figures import positions

    numbers = sinusoids(p + k + 1, d_model, 10**base)
    turn = shift_matrix(k, d_model, 10**base)
    error = shift_error(p, k, d_model, 10**base)
    pairs = [pair for pair in (0, 2, 4, 8) if 2 * pair < d_model]
    sentence = (
        f"Matrix times PE({p}) differs from PE({p + k}) by at most {printed(f'{error:.1e}')} in "
        f"any of {d_model} channels: rounding, nothing else."
        if error
        else f"Matrix times PE({p}) equals PE({p + k}) exactly, in all {d_model} channels."
    )
    clocks = positions.rotation_circles(numbers[p], numbers[p + k], pairs)
    return clocks, positions.rotation_matrix(turn[:SHOWN_CHANNELS, :SHOWN_CHANNELS]), sentence


def config_of(d_model: int, length: int, base: float) -> ModelConfig:
    """A model of these sizes."""
    return ModelConfig(vocab_size=1, d_model=d_model, max_len=length, position_base=10**base)


def table_of(name: str, place: str, config: ModelConfig) -> Tensor:
    """What an encoding makes of every position. (max_len, columns)"""
    return turned_query(name, config) if place == "rotate" else effect(name, config, place)
