"""What the Generate tab shows of a story, and of what the model saw and thought in it."""

import time

from transformer_core.checkpoint import Trained
from transformer_core.decoding.sampling import Sampling
from transformer_core.explain.flow import story_flow
from transformer_core.explain.flow_weights import story_weights
from transformer_core.explain.roles import counted, dearest, labelled, roles_of
from transformer_core.published import Models
from transformer_core.tasks.generation import Look
from transformer_core.ui.choice import RadioChoice
from transformer_core.ui.doors import from_text
from transformer_core.ui.place import Place
from transformer_core.ui.tabs.generate.story import Story, character_in_words
from transformer_core.ui.views.bars import bars_value
from transformer_core.ui.views.doors import doors_value
from transformer_core.ui.views.flow import flow_value
from transformer_core.ui.views.heads import attention_value
from transformer_core.ui.views.story import story_value
from transformer_core.ui.views.weights import weights_value
from transformer_core.wording import amount, percent


def display(models: Models, story: Story, *, step: bool = True) -> tuple:
    """Story -> the outputs of every event that shows another text; step: a visitor wanted it."""
    # by their numbers: their places change when the oldest makes room
    choices, shown = (
        [(f"{b.number}: {b.label}", b.number) for b in story.branches],
        story.branch.number,
    )
    doors = doors_of(models, story, None, step=step)
    return growth(story), RadioChoice(choices, value=shown), doors, shown


def doors_of(models: Models, story: Story, position: int | None, *, step: bool = False) -> dict:
    """Where the text can be taken: what comes before the token looked at, or all of it."""
    text = "".join(token.text for token in story.branch.tokens[:position])
    return doors_value(from_text(models, "shakespeare", text), story.kept, step=step)


def growth(story: Story, first: int = 0) -> dict:
    """What the page gets of a branch that has grown: its tokens from `first` on."""
    branch, before = story.branch, story.before()
    return story_value(
        branch.tokens,
        identity=branch.identity,
        title=branch.title,
        n_prompt=branch.n_prompt,
        goal=branch.goal,
        first=first,
        undo=there(before) if before else "",
        best=there(before.root()) if before else "",
    )


def there(story: Story) -> str:
    """The address of the branch on screen."""
    return Place("generate", settings=story.kept).query


def what(story: Story, seen: Look) -> str:
    """Which character was looked at, in words."""
    beyond = seen.position == len(story.branch.tokens)
    return "the next character" if beyond else f"character {seen.position + 1}"


def distribution(trained: Trained, story: Story, seen: Look, sampling: Sampling) -> dict:
    """What the model thought, and what is drawn from."""
    drawn = seen.drawn_from(sampling, story.branch.ids)
    vocabulary = trained.tokenizer.vocabulary
    best, n_kept = seen.log_probs.argmax(), int((drawn > 0).sum())
    return bars_value(
        vocabulary,
        seen.log_probs.exp(),
        drawn,
        f"For {what(story, seen)} the model prefers {character_in_words(vocabulary[best])} "
        f"({percent(seen.log_probs[best].exp().item())}); sampling keeps "
        f"{amount(n_kept, 'character')}. Filled bars are the model's probabilities, "
        "outlined ones what is drawn from.",
    )


def attention(trained: Trained, story: Story, seen: Look) -> dict:
    """What every head looked at."""
    roles = roles_of(trained)
    return attention_value(
        seen,
        trained.model.sites,
        f"Predicting {what(story, seen)} from {amount(len(seen.tokens), 'character')} before it. "
        "Each small square is one head: rows are queries, columns are keys, and no query sees the "
        "future."
        f"{counted(roles)}{dearest(roles)}",
        rows=True,
        roles=labelled(roles),
    )


def picture(trained: Trained, story: Story, seen: Look) -> dict:
    """The last characters on their way into each one that they led to."""
    branch = story.branch
    return waited_for(flow_value(story_flow(trained, seen, branch.ids, branch.n_prompt)))


def waited_for(value: dict) -> dict:
    """The value with a stamp, so that it differs from the last: gradio does not report an equal
    value to the page, which waits for it."""
    return {**value, "answered": time.monotonic_ns()}


def picture_weights(trained: Trained, seen: Look) -> dict:
    """What every head gave, for the picture to draw."""
    return weights_value(story_weights(trained, seen))
