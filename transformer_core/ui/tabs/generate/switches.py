"""What the text loses without some of the heads, and what it would go on with instead."""

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.explain.knock_out import knock_out_text, text_without
from transformer_core.explain.roles import labelled, roles_of
from transformer_core.model.heads import Head, every_head
from transformer_core.model.models import DecoderLM
from transformer_core.tasks.generation import Look, write_on
from transformer_core.tasks.requests import InputError
from transformer_core.ui.head_switches import Measured, damage_to, heads_off, worth
from transformer_core.ui.tabs.generate.story import Story
from transformer_core.ui.views.switches import INVITATION, switches_value
from transformer_core.wording import signed

LENGTH = 80  # characters of a continuation
NOTHING = "Nothing was predicted up to here: look at a character further on."


def read_of(story: Story, seen: Look) -> list[int]:
    """What the model had read at the place that is looked at."""
    return story.branch.ids[seen.start : seen.position]


def measured(trained: Trained[DecoderLM], story: Story, seen: Look) -> Measured:
    """What the text before the place that is looked at loses without each head.

    InputError if nothing of it was predicted.
    """
    ids = read_of(story, seen)
    if len(ids) < 2:
        raise InputError(NOTHING)
    return Measured(ids, knock_out_text(trained.model, ids))


def switched(
    trained: Trained[DecoderLM],
    story: Story,
    seen: Look,
    sampling: Sampling,
    seed: float,
    off: tuple[Head, ...] = (),
    kept: Measured | None = None,
) -> dict:
    """The head switches, with what each is worth if that was measured of this text."""
    model, ids = trained.model, read_of(story, seen)
    heads, roles = every_head(model), roles_of(trained)
    n = len(ids) - 1
    if n < 1:
        return switches_value(heads, off, None, NOTHING, roles=labelled(roles))
    damage = damage_to(ids, kept)
    change = f"the log-probability of the last {'character' if n == 1 else f'{n:,} characters'}"
    summary, texts = INVITATION, []
    if damage:
        summary = worth(damage, roles, f"much {change} changes")
    if off:
        summary = (
            f"{heads_off(heads, off)}: {change} changes by "
            f"{signed(text_without(model, ids, off), 2)}. With the same dice it goes on:"
        )
        before = story.branch.ids[: seen.position]
        for name, some in (("all heads", ()), ("without", off)):
            tokens = write_on(trained, before, LENGTH, sampling, seed, some)
            texts.append((name, "".join(token.text for token in tokens)))
    return switches_value(heads, off, damage, summary, texts=texts, roles=labelled(roles))
