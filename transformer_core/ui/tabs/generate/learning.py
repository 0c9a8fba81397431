"""What is said of a decoder while it learns to write."""

from transformer_core.checkpoint import CheckpointError, Trained
from transformer_core.model.models import DecoderLM
from transformer_core.studies.learning import Learning, Snapshot, learning_of
from transformer_core.ui.views.learning import learning_value
from transformer_core.wording import percent

TITLE = "Learning"


def learning_said(trained: Trained[DecoderLM]) -> dict:
    """The whole recording; CheckpointError, with the remedy, if there is none."""
    learning = learning_of(trained.folder)
    if learning is None:
        raise CheckpointError("No training was recorded yet: `python -m train.learning`.")
    note = (
        f"A training of {learning.minutes:.0f} minutes on {learning.device}, recorded as it went; "
        "the published weights learned for longer. It always goes on from the same prompt with the "
        "same dice. Losses are of text that training never saw."
    )
    return learning_value(learning, [told(learning, one) for one in learning.snapshots], note)


def told(learning: Learning, one: Snapshot) -> str:
    """How much a model knows after so many steps, in a sentence."""
    begun = f"After {one.step:,} {'step' if one.step == 1 else 'steps'}"
    if not one.step:
        begun = "Before the first step"
    writes = f"{percent(one.known)} of its words are words of the plays"
    if len(set(one.text)) == 1:
        writes = (
            "It repeats what it read last, for a letter is read and written by the same numbers"
        )
    return f"{begun}: {one.loss:.2f} nats a character, {as_good(learning, one)}. {writes}."


def as_good(learning: Learning, one: Snapshot) -> str:
    """What counting a model beats."""
    beaten = [level.name for level in learning.levels if one.loss < level.loss]
    return f"better than counting {beaten[-1]}" if beaten else "worse than counting single letters"
