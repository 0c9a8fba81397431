"""What is seen of a training: its progress in sentences, and the values of the lab's views."""

import time

import gradio as gr

from transformer_core.lab.learner import Learner
from transformer_core.lab.training import SECONDS, Attempt, Training
from transformer_core.ui.views.curves import curves_value
from transformer_core.ui.views.moment import moment_value
from transformer_core.ui.views.shared import by_kind
from transformer_core.ui.views.steps import steps_value
from transformer_core.wording import share_counted

FIRST = "This model knows nothing yet: press **Start** and watch it learn."
UNMASKED = (
    " It wrote symbol by symbol; what it looked at is that of one pass over the whole output, in "
    "which each symbol sees those after it."
)
UNTAUGHT = "It has learned nothing yet: it writes what its random numbers prefer."
HINT = "Press Start: the lines grow from here while it learns."


def progress(name: str, learner: Learner) -> str:
    """One model's progress in a sentence."""
    if learner.diverged:
        return (
            f"{name}: at step {learner.step:,} the loss was no longer a number. A learning rate "
            f"of {learner.choice.learning_rate:g} is too large for it; take a smaller one."
        )
    now = learner.curve[-1]
    sentence = (
        f"{name} at step {now.step:,}: {share_counted(now.accuracy)} of the symbols right, "
        f"{share_counted(now.exact)} of the outputs without a mistake. It has computed for "
        f"{learner.seconds:.1f} s."
    )
    if learner.exact_at:
        step, seconds = learner.exact_at
        sentence += f" It first got all of them right at step {step:,}, after {seconds:.1f} s."
    if not learner.choice.causal_mask and now.accuracy - now.exact > 0.5:
        sentence += (
            " It cheats: in training it sees the symbol that it should predict; unaided it does "
            "much worse."
        )
    return sentence


def status_of(training: Training | None, running: bool = False) -> str:
    """The line under the buttons."""
    if training is None:
        return FIRST
    step, steps = training.step, training.plan.steps
    if training.ended:
        return f"Ended at step {step:,}. Replay it, or type an input of your own below."
    if running:
        return f"Training: step {step:,} of {steps:,}."
    return (
        f"Stopped at step {step:,} of {steps:,}. **Start** goes on, for {SECONDS:.0f} s at "
        "most so that other visitors get their turn; **Step** does one more step. After a change "
        "of settings both begin anew."
    )


def verdict(written: str, answer: str | None) -> str:
    """Whether an output is right."""
    if answer is None:
        return "What it writes unaided."
    return "Right." if written == answer else f"Wrong: {answer} would be right."


def curves_of(training: Training, hint: str = "", sent: float | None = None) -> dict:
    """The value of the curves; sent, as in curves_value."""
    # there are no learners any more if their visitor leaves at this moment
    learners = dict(zip(training.names, training.learners, strict=False))
    said = [progress(name, learner) for name, learner in learners.items()]
    said.append(f"Measured on {training.toy.judged}.")
    return curves_value(
        {name: learner.curve for name, learner in learners.items()},
        steps=training.plan.steps,
        moments=training.moments,
        held=training.held,
        summary=" ".join(said),
        hint=hint,
        sent=sent,
    )


def looks_of(training: Training) -> tuple:
    """The values of the attention maps and the outputs: of the first model, then of its rival."""
    learners = zip(training.names, training.learners, strict=False)
    looks = [look_of(training, name, learner) for name, learner in learners]
    first, rival = [*looks, (None, None), (None, None)][:2]
    return *first, *rival


def look_of(training: Training, name: str, learner: Learner) -> tuple[dict | None, dict | None]:
    """The values of one model's attention maps and of its output.

    Of what the training reads, at the moment that its visitor has gone back to; None if the model
    was not looked at then.
    """
    text, toy = training.reads, training.toy
    attempt = training.attempt(learner, text)
    if attempt is None:
        return None, None
    answer, written = toy.answer(text), attempt.written
    target = None if answer is None else [*answer, "[EOS]"]
    said = verdict(written.text, answer) if attempt.step else UNTAUGHT
    if not learner.choice.causal_mask:
        said += UNMASKED
    output = steps_value(written, toy.tokenizer, target, said)
    return maps_of(name, learner, text, attempt, answer), output


def maps_of(name: str, learner: Learner, text: str, attempt: Attempt, answer: str | None) -> dict:
    """The value of one model's attention maps, those of its cross-attention first."""
    fed = "the right output" if answer is not None else "its own, since the right one is unknown"
    groups = []
    for (stack, kind), sites in by_kind(learner.model.sites).items():
        name_of_kind = "cross" if kind == "cross" else f"{stack} self"
        groups.append((name_of_kind, [attempt.taught.view(site) for site in sites]))
    written = [token.text for token in attempt.written.tokens]
    return moment_value(
        groups,
        list(text),
        written[:-1] if written[-1:] == ["[EOS]"] else written,
        None if answer is None else list(answer),
        f"{name}, step {attempt.step:,}. The decoder was fed {fed}.",
    )


def stop_button(running: bool) -> gr.Button:
    """Stop can be pressed while there is something to stop."""
    return gr.Button(interactive=running)


def course_of(training: Training, running: bool = False) -> tuple:
    """How far a training has come: status line, Stop and curves."""
    curves = curves_of(training, sent=time.time() if running else None)
    return status_of(training, running), stop_button(running), curves
