"""Threads that part where the model hesitates, and texts that go on as one of them does."""

from types import SimpleNamespace

import pytest
import torch
from tiny import tiny_writer

from transformer_core.decoding.sampling import Sampling
from transformer_core.tasks.generation import THREAD_LENGTH, Thread, agreed, read
from transformer_core.tasks.requests import InputError
from transformer_core.ui.tabs.generate.garden import garden, taken, told
from transformer_core.ui.tabs.generate.story import Story, begun, grow, wanting


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    return tiny_writer(max_len=200)


@pytest.fixture(scope="module")
def story(trained):
    return grow(trained, wanting(begun(trained, Story(), "All:\n"), 24), 1_000, Sampling(0.8), 1)


def lines(*texts):
    return [Thread(tuple(text.ljust(THREAD_LENGTH)), (n,), ()) for n, text in enumerate(texts)]


def test_what_half_of_the_threads_begin_with_is_said():
    found = lines("my lord, I", "my lord, he", "my lady", "thou")
    assert agreed(found) == ("my lord, ", 2)
    assert told(found, 0.6) == (
        "At temperature 0.6, 2 of 4 threads begin with “my lord,”; all 4 end in 4 different texts."
    )
    assert told(lines("a", "b", "c"), 1.5) == (
        "At temperature 1.5 the 3 threads end in 3 different texts."
    )
    assert told(lines("a") * 2, 0) == "At temperature 0 all 2 threads end in the same text."


def test_the_garden_grows_from_the_place_that_is_looked_at(trained, story):
    value = garden(trained, story, 12, Sampling(0.8), 1)
    assert value["before"] == story.branch.text[:12] and value["position"] == 12
    assert len(value["lines"]) == len(value["ids"]) == len(value["probs"]) == 17
    cold = garden(trained, story, 12, Sampling(0), 1)
    assert value["ids"][value["likeliest"]] == cold["ids"][0]
    assert {len(line) for line in value["lines"]} == {THREAD_LENGTH}
    assert value["lines"][3] == tuple(map(trained.tokenizer.token, value["ids"][3]))


def test_a_thread_that_is_taken_is_a_branch_and_read_like_any_text(trained, story):
    value = garden(trained, story, 12, Sampling(0.8), 1)
    ids = list(value["ids"][5][:7])
    new = taken(trained, story, SimpleNamespace(id=value["id"], position=12, ids=ids)).branch
    assert new.text == story.branch.text[:12] + "".join(value["lines"][5][:7])
    assert (new.parent, new.n_prompt, new.goal) == (story.branch.number, 5, 19)
    again = read(trained, new.text)
    for token, other in zip(new.tokens[5:], again[5:], strict=True):
        assert token.id == other.id and token.log_prob == pytest.approx(other.log_prob, abs=1e-4)


@pytest.mark.parametrize(
    "position, ids",
    [
        *[(place, [9]) for place in (0, 10_000, "1", None, True)],
        *[
            (12, ids)
            for ids in ([], [0], [10_000], ["9"], [True], 9, None, [9] * (THREAD_LENGTH + 1))
        ],
    ],
)
def test_what_is_no_thread_is_refused(trained, story, position, ids):
    with pytest.raises(InputError):
        event = SimpleNamespace(id=story.branch.identity, position=position, ids=ids)
        taken(trained, story, event)
