"""What is seen of a training: its progress in sentences, and the values of the lab's views."""

from transformer_core.lab.training import SECONDS, Learner, Training
from transformer_core.ui.views.curves import curves_value
from transformer_core.ui.views.heads import attention_value
from transformer_core.ui.views.steps import steps_value

FIRST = "Press **Start**. The first look is at a model that knows nothing."


def progress(name: str, learner: Learner) -> str:
    """One model's progress in a sentence."""
    if learner.diverged:
        return (
            f"{name}: at step {learner.step:,} the loss was no longer a number. A learning rate "
            f"of {learner.choice.learning_rate:g} is too large for it; take a smaller one."
        )
    now = learner.curve[-1]
    sentence = (
        f"{name} at step {now.step:,}: {now.accuracy:.1%} of the symbols foreseen, {now.exact:.1%} "
        f"of the outputs without a mistake. It has computed for {learner.seconds:.1f} s."
    )
    if learner.exact_at:
        step, seconds = learner.exact_at
        sentence += f" All were right first at step {step:,}, after {seconds:.1f} s."
    if not learner.choice.causal_mask and now.accuracy - now.exact > 0.5:
        sentence += (
            " It cheats: in training it sees the symbol it should foresee; unaided it fails."
        )
    return sentence


def status_of(training: Training | None, running: bool = False) -> str:
    """The line under the buttons."""
    if training is None:
        return FIRST
    step, steps = training.step, training.plan.steps
    if training.ended:
        return f"Ended at step {step:,}. Go back with the slider, or type an input of your own."
    if running:
        return f"Training: step {step:,} of {steps:,}."
    return (
        f"Paused at step {step:,} of {steps:,}. **Start** goes on, for {SECONDS:.0f} s at most so "
        "that others get their turn; **Step** does one more."
    )


def verdict(written: str, answer: str | None) -> str:
    """Whether an output is right."""
    if answer is None:
        return "What it writes unaided."
    return "Right." if written == answer else f"Wrong: {answer} would be right."


def curves_of(training: Training) -> dict:
    """The value of the curves."""
    names = training.names
    # there are no learners any more if their visitor leaves at this moment
    said = [progress(*pair) for pair in zip(names, training.learners, strict=False)]
    said.append(f"Measured on {training.toy.judged}.")
    return curves_value(training, names, " ".join(said))


def looks_of(training: Training, text: str) -> list:
    """The values of the attention maps and the outputs: of the first model, then of its rival.

    text is a checked input; the moment is the one that the visitor has gone back to.
    """
    values = []
    answer = training.toy.answer(text)
    for name, learner in zip(training.names, training.learners, strict=False):
        look = training.look(learner, text)
        if look is None:
            values += [None, None]
            continue
        target = None if answer is None else [*answer, "[EOS]"]
        fed = (
            "the right output" if answer is not None else "its own, since the right one is unknown"
        )
        sites = sorted(learner.model.sites, key=lambda site: site.kind)  # cross comes first
        values += [
            attention_value(
                look.taught,
                sites,
                f"{name}, step {look.step:,}. The decoder was fed {fed}.",
            ),
            steps_value(
                look.written, training.toy.tokenizer, target, verdict(look.written.text, answer)
            ),
        ]
    return values + [None] * (4 - len(values))


def display(training: Training, text: str, running: bool = False) -> tuple:
    """Everything that changes while a model learns: status line, curves, and the looks."""
    return status_of(training, running), curves_of(training), *looks_of(training, text)
