import pytest
import torch
from tiny import tiny_classifier, tiny_translator, tiny_writer

from transformer_core.explain.contributions import contributions, origins
from transformer_core.explain.flow import (
    CHARACTERS,
    N_CANDIDATES,
    REVIEW_ROWS,
    main_heads,
    sentiment_flow,
    story_flow,
    translation_flow,
)
from transformer_core.explain.flow_weights import (
    sentiment_weights,
    story_weights,
    translation_weights,
)
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.classification import classify
from transformer_core.tasks.generation import look, prompt_ids, read
from transformer_core.tasks.translation import translate_sentence

LONG = "we proceed any further hear me speak you are all resolved rather to die than to famish "


def translated(text="Speak, hear me speak."):
    trained = tiny_translator()
    sentence = translate_sentence(trained, text)
    return trained, sentence, translation_flow(trained, sentence)


def judged(text):
    trained = tiny_classifier(max_len=120)
    found = classify(trained, text, Trace())
    return trained, found, sentiment_flow(trained, found)


def told(position=None, **changes):
    trained = tiny_writer(max_len=64, **changes)
    ids = prompt_ids(trained, "Before we proceed any further, hear me speak. All: Speak, speak.")
    seen = look(trained, ids, len(ids) if position is None else position)
    return trained, ids, story_flow(trained, seen, ids)


MAKERS = {
    "translation": lambda: translated()[2],
    "review": lambda: judged("speak")[2],
    "long review": lambda: judged(LONG * 2)[2],
    "story": lambda: told()[2],
    "begun story": lambda: told(5)[2],
}
every_flow = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@every_flow
def test_a_flow_is_whole(make):
    flow, n_layers = make(), 2
    for stack in flow.stacks:
        n = len(stack.tokens) + bool(stack.more)
        assert len(stack.self_shares) == n_layers
        for share in stack.self_shares + stack.cross_shares:
            assert len(share) == n and share.min() >= 0
            torch.testing.assert_close(share.sum(1), torch.ones(n))
    for said in flow.said:
        assert 0 <= said.row < len(flow.stacks[-1].self_shares[0])
        assert len(said.lens) == n_layers + 1
        assert said.chosen.id in [one.id for one in said.candidates]
        assert len(said.candidates) <= N_CANDIDATES
        assert all(0 <= one.prob <= 1.0001 for one in [*said.candidates, *said.lens])


def test_a_translation_ends_in_what_was_said():
    _, sentence, flow = translated()
    assert [said.chosen.text for said in flow.said] == [token.text for token in sentence.tokens]
    assert flow.stacks[0].tokens == sentence.src_tokens and flow.stacks[0].more is None
    last = [said.lens[-1] for said in flow.said]
    best = [max(token.alternatives, key=lambda one: one[2]) for token in sentence.tokens]
    assert [one.id for one in last] == [index for index, _, _ in best]
    assert [one.prob for one in last] == pytest.approx([prob for *_, prob in best], abs=1e-4)


def test_a_review_ends_in_its_verdict():
    _, found, flow = judged("hear me speak")
    (said,) = flow.said
    assert said.row == 0 and said.chosen.text == found.label
    assert said.lens[-1].prob == pytest.approx(found.probabilities["positive"], abs=1e-4)


def test_of_a_long_review_the_words_that_matter_are_drawn_and_the_rest_is_one_exact_row():
    trained, found, flow = judged(LONG * 2)
    (stack,) = flow.stacks
    at, count = stack.more
    assert len(stack.tokens) == REVIEW_ROWS - 1 == at and stack.tokens[0] == "[CLS]"
    assert count + len(stack.tokens) == len(found.review.tokens)
    whole = origins(contributions(trained.model, found.trace)).source[0]
    drawn = torch.eye(REVIEW_ROWS)[0]
    for share in reversed(stack.self_shares):
        drawn = drawn @ share
    best = whole[1:].topk(REVIEW_ROWS - 2)
    kept = [0, *sorted((best.indices + 1).tolist())]
    assert stack.tokens == [found.review.tokens[i] for i in kept]
    torch.testing.assert_close(drawn[:-1], whole[kept], atol=1e-5, rtol=0)
    torch.testing.assert_close(drawn[-1], 1 - whole[kept].sum(), atol=1e-5, rtol=0)


def test_a_review_of_as_many_words_as_fit_is_whole():
    _, found, flow = judged("to " * (REVIEW_ROWS - 2))
    assert len(found.review.tokens) == REVIEW_ROWS
    assert flow.stacks[0].more is None and len(flow.stacks[0].tokens) == REVIEW_ROWS


def test_a_story_shows_its_last_characters_and_all_that_is_older_as_one():
    trained, ids, flow = told()
    (stack,) = flow.stacks
    seen = look(trained, ids, len(ids))
    assert stack.tokens == seen.tokens[-CHARACTERS:]
    assert stack.more == (0, len(seen.tokens) - CHARACTERS)
    whole = origins(contributions(trained.model, seen.trace)).source[-1]
    drawn = torch.eye(CHARACTERS + 1)[-1]
    for share in reversed(stack.self_shares):
        drawn = drawn @ share
    torch.testing.assert_close(drawn[1:], whole[-CHARACTERS:], atol=1e-5, rtol=0)


def test_each_character_is_what_the_story_went_on_with():
    trained, ids, flow = told(30)
    names = [trained.tokenizer.token(index) for index in ids]
    assert [said.chosen.text for said in flow.said] == names[1:31]
    probs = [token.prob for token in read(trained, "".join(names))[1:31]]
    assert [said.chosen.prob for said in flow.said] == pytest.approx(probs, abs=1e-4)
    assert not flow.guess
    whole = told()[2]
    end = whole.said[-1]
    assert whole.guess and end.chosen == end.candidates[0]  # nothing stands there yet


@pytest.mark.parametrize("position", [5, 50, None])
def test_a_flow_says_where_in_the_text_it_begins(position):
    _, ids, flow = told(position)
    stand = flow.said[: len(flow.said) - flow.guess]
    for n, said in enumerate(stand):
        assert said.chosen.id == ids[flow.start + n]
    assert flow.start + len(flow.said) - 1 == (position or len(ids))


def test_what_the_visitor_wrote_is_told_apart():
    trained, ids, _ = told()
    short, long = look(trained, ids, 20), look(trained, ids, len(ids))
    assert story_flow(trained, short, ids, prompt=8).begin == 7
    assert story_flow(trained, short, ids).begin == 0
    assert story_flow(trained, long, ids, prompt=8).begin == 0  # no longer to be seen


@torch.inference_mode()
def test_the_main_head_is_the_one_without_which_most_is_missing():
    trained, sentence, _ = translated()
    for site in (Site("decoder", 1, "cross"), Site("encoder", 0, "self")):
        seen = sentence.trace.attention[site]
        block = getattr(trained.model, site.stack).blocks[site.layer]
        attention = block.cross_attention if site.kind == "cross" else block.self_attention
        per_head = attention.output.weight.unflatten(1, (attention.n_heads, -1))
        sizes = [
            (seen.weights[0, h, 1, 2] * per_head[:, h] @ seen.value[0, h, 2]).norm(1)
            for h in range(attention.n_heads)
        ]
        found = main_heads(trained.model, sentence.trace, site)
        assert found.shape == seen.weights.shape[2:]
        assert found[1, 2] == torch.stack(sizes).argmax()


def test_a_head_that_is_off_brought_nothing():
    trained = tiny_translator()
    site = Site("encoder", 0, "self")
    n_heads = trained.model.config.n_heads
    for number in range(n_heads):
        off = [(site, other) for other in range(n_heads) if other != number]
        sentence = translate_sentence(trained, "Speak.", off=off)
        assert (main_heads(trained.model, sentence.trace, site) == number).all()


@every_flow
def test_a_flow_names_the_head_behind_every_ribbon(make):
    flow = make()
    for stack in flow.stacks:
        n = len(stack.tokens)
        assert len(stack.places) == n and sorted(set(stack.places)) == stack.places
        assert [heads.shape for heads in stack.self_heads] == [(n, n)] * 2
        before = (n, len(flow.stacks[0].tokens))
        assert [heads.shape for heads in stack.cross_heads] == [before] * len(stack.cross_shares)


def looked_at(trained, ids):
    return story_weights(trained, look(trained, ids, len(ids)))


def weighed(trained, found):
    (stack,) = sentiment_flow(trained, found).stacks
    return sentiment_weights(trained, found, stack.places)


GIVEN = {
    "translation": (translated, translation_weights),
    "review": (lambda: judged("speak"), weighed),
    "long review": (lambda: judged(LONG * 2), weighed),
    "story": (told, looked_at),
}


@pytest.mark.parametrize("which", GIVEN)
def test_what_every_head_gave_is_given_for_the_tokens_of_the_flow(which):
    make, give = GIVEN[which]
    trained, found, flow = make()
    for stack, own in zip(flow.stacks, give(trained, found), strict=True):
        assert own.tokens == stack.tokens
        n, before = len(stack.tokens), len(flow.stacks[0].tokens)
        assert len(own.self_weights) == 2
        assert len(own.cross_weights) == len(stack.cross_shares)
        for weights, keys in [(w, n) for w in own.self_weights] + [
            (w, before) for w in own.cross_weights
        ]:
            assert weights.shape == (4, n, keys) and weights.min() >= 0
            whole = weights.sum(-1)
            assert whole.max() <= 1 + 1e-5
            if not flow.stacks[0].more:  # else a part goes to what is not drawn
                torch.testing.assert_close(whole, torch.ones(4, n))


def test_heads_of_a_shortened_flow_are_those_of_its_tokens():
    trained, ids, flow = told()
    (stack,), seen, site = flow.stacks, look(trained, ids, len(ids)), Site("decoder", 1, "self")
    assert [seen.tokens[place] for place in stack.places] == stack.tokens
    whole = main_heads(trained.model, seen.trace, site)
    assert stack.self_heads[1].equal(whole[stack.places][:, stack.places])
    given = seen.trace.attention[site].weights[0]
    (own,) = story_weights(trained, seen)
    assert own.self_weights[1].equal(given[:, stack.places][:, :, stack.places])
    trained, found, flow = judged(LONG * 2)
    (stack,), site = flow.stacks, Site("encoder", 1, "self")
    assert [found.review.tokens[place] for place in stack.places] == stack.tokens
    whole = main_heads(trained.model, found.trace, site)
    assert stack.self_heads[1].equal(whole[stack.places][:, stack.places])
    given = found.trace.attention[site].weights[0]
    (own,) = sentiment_weights(trained, found, stack.places)
    assert own.self_weights[1].equal(given[:, stack.places][:, :, stack.places])
