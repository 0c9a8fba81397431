"""What the text loses without some of the heads, and what it would go on with instead."""

import torch

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.decoding.steps import next_log_probs
from transformer_core.explain.knock_out import knock_out_text, said
from transformer_core.explain.roles import called, roles_of
from transformer_core.model.heads import Head, head_mask
from transformer_core.model.models import DecoderLM
from transformer_core.model.trace import Trace
from transformer_core.tasks.generation import Look, write_on
from transformer_core.tasks.wording import signed
from transformer_core.ui.tabs.generate.desk import Desk, Measured
from transformer_core.ui.views.switches import INVITATION, heads_off, switches_value

LENGTH = 80  # characters of a continuation


def read_of(desk: Desk, seen: Look) -> list[int]:
    """What the model had read at the place that is looked at."""
    return desk.story.branch.ids[seen.start : seen.position]


def measured(trained: Trained[DecoderLM], desk: Desk, seen: Look) -> Measured:
    """What the text before the place that is looked at loses without each head."""
    ids = read_of(desk, seen)
    return Measured(ids, knock_out_text(trained.model, ids))


def switched(
    trained: Trained[DecoderLM], desk: Desk, seen: Look, sampling: Sampling, seed: float
) -> dict:
    """The head switches, with what each is worth if that was measured of this text."""
    model, ids, off = trained.model, read_of(desk, seen), desk.off
    written = (continued(trained, desk, seen, sampling, seed, some) for some in ((), off))
    texts = list(zip(("all heads", "without"), written, strict=True)) if off else []
    n_heads, kept = model.config.n_heads, desk.measured
    damage = kept.damage if kept and kept.ids == ids else None
    length = f"the last {len(ids) - 1:,} characters"
    summary = INVITATION
    if damage:
        head, worst = min(damage.items(), key=lambda item: item[1])
        summary = (
            f"The number in each square is how much the log-probability of {length} changes "
            f"without that head. It needs {called(head, roles_of(trained))} most "
            f"({signed(worst, 2)})."
        )
    if off:
        summary = (
            f"{heads_off(off, len(model.sites) * n_heads)}: the log-probability of {length} "
            f"changes by {signed(lost(model, ids, off), 2)}. With the same dice it goes on:"
        )
    return switches_value(model.sites, n_heads, off, damage, [], summary, texts=texts)


@torch.inference_mode()
def lost(model: DecoderLM, ids: list[int], off: tuple[Head, ...]) -> float:
    """How much the log-probability of a text changes without some heads."""
    text = torch.tensor([ids])
    traces = (Trace(head_mask(model, some), record=False) for some in (off, ()))
    rows = (next_log_probs(model(text[:, :-1], trace)) for trace in traces)
    without, whole = (said(row, text).item() for row in rows)
    return without - whole


def continued(
    trained: Trained[DecoderLM],
    desk: Desk,
    seen: Look,
    sampling: Sampling,
    seed: float,
    off: tuple[Head, ...],
) -> str:
    """What stands behind the place that is looked at, without some heads."""
    ids = desk.story.branch.ids[: seen.position]
    return "".join(token.text for token in write_on(trained, ids, LENGTH, sampling, seed, off))
