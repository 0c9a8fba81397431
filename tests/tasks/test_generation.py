import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from tiny import TEXT, tiny_writer

from transformer_core.decoding.sampling import Sampling, sample
from transformer_core.decoding.steps import language_model_step, window_start
from transformer_core.model.heads import head_mask
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.generation import (
    MAX_PROMPT,
    bits_per_token,
    generate,
    look,
    read,
    write,
)
from transformer_core.tasks.requests import InputError

MAX_LEN = 16  # of a tiny_writer
OFF = [
    (Site("decoder", 0, "self"), 1),
    (Site("decoder", 0, "self"), 3),
    (Site("decoder", 1, "self"), 0),
]
every_encoding = pytest.mark.parametrize("encoding", POSITIONAL_ENCODINGS)


def first_that_fits(n):
    """The half window from which n tokens fit into the context."""
    return next(start for start in itertools.count(0, MAX_LEN // 2) if n - start <= MAX_LEN)


def over_characters(logits):
    """Log-probs over all but the six special tokens."""
    special = torch.full_like(logits[..., :6], -math.inf)
    return torch.cat([special, logits[..., 6:].log_softmax(-1)], dim=-1)


def full_forward(writer, ids, n, off=()):
    """Log-probs of token n, from all of its window at once and without a cache."""
    window = torch.tensor([ids[first_that_fits(n) : n]])
    with torch.no_grad():
        logits = writer.model(window, Trace(head_mask(writer.model, off)))
    return over_characters(logits[0, -1])


def assert_alike(some, others):
    """The same alternatives and probabilities; such as are as likely may have swapped places."""
    near = partial(pytest.approx, abs=1e-5)
    assert [prob for *_, prob in some] == near([prob for *_, prob in others])
    ours, theirs = ({index: rest for index, *rest in these} for these in (some, others))
    for index in ours.keys() & theirs.keys():
        (text, prob), (their_text, their_prob) = ours[index], theirs[index]
        assert text == their_text and prob == near(their_prob)
    for index in ours.keys() ^ theirs.keys():  # as likely as the last that is named
        assert {**ours, **theirs}[index][1] == near(others[-1][2])


@pytest.mark.parametrize("max_len", [1, 2, 7, 16])
def test_a_window_fits_moves_rarely_and_keeps_at_least_half(max_len):
    half = max(1, max_len // 2)
    starts = [window_start(n, max_len) for n in range(6 * max_len)]
    assert all(n - start <= max_len for n, start in enumerate(starts))
    assert all(n - start >= min(n, half) for n, start in enumerate(starts))
    assert {late - early for early, late in itertools.pairwise(starts)} <= {0, half}
    assert starts[max_len] == 0


@every_encoding
@pytest.mark.parametrize("off", [[], OFF], ids=["all heads", "some heads"])
def test_reading_equals_a_full_forward_over_every_tokens_window(encoding, off):
    writer = tiny_writer(positional_encoding=encoding)
    tokens = read(writer, TEXT, off)
    ids = [token.id for token in tokens]
    assert "".join(token.text for token in tokens) == TEXT
    assert len(ids) > 3 * MAX_LEN
    assert math.isnan(tokens[0].log_prob)
    for n, token in enumerate(tokens[1:], 1):
        log_probs = full_forward(writer, ids, n, off)
        assert token.log_prob == pytest.approx(log_probs[token.id].item(), abs=1e-4)
        assert token.prob == pytest.approx(log_probs[token.id].exp().item(), abs=1e-5)
        assert len({index for index, _, _ in token.alternatives}) == 10
        best = log_probs.topk(10).values.exp().tolist()  # as likely ones may swap places
        assert [prob for *_, prob in token.alternatives] == pytest.approx(best, abs=1e-5)
        for index, text, prob in token.alternatives:
            assert text == writer.tokenizer.token(index)
            assert prob == pytest.approx(log_probs[index].exp().item(), abs=1e-5)


@every_encoding
@pytest.mark.parametrize("off", [[], OFF], ids=["all heads", "some heads"])
@pytest.mark.parametrize("prompt", ["All", TEXT[:50]], ids=["short", "long"])
def test_reading_what_was_written_finds_the_same_probabilities(encoding, off, prompt):
    writer = tiny_writer(positional_encoding=encoding)
    written = list(write(writer, prompt, 60, Sampling(), seed=3, off=off))
    again = read(writer, prompt + "".join(token.text for token in written), off)[len(prompt) :]
    assert len(written) == 60
    for one, other in zip(written, again, strict=True):
        assert (one.id, one.text) == (other.id, other.text)
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
        assert_alike(one.alternatives, other.alternatives)


@every_encoding
def test_looking_at_a_token_repeats_its_prediction(encoding):
    writer = tiny_writer(positional_encoding=encoding)
    tokens = read(writer, TEXT, OFF)
    ids = [token.id for token in tokens]
    for position in (1, 2, 16, 17, 24, 25, len(ids) - 1):
        seen = look(writer, ids, position, OFF)
        assert seen.start == first_that_fits(position)
        assert "".join(seen.tokens) == TEXT[seen.start : position]
        assert seen.log_probs[ids[position]].item() == pytest.approx(
            tokens[position].log_prob, abs=1e-4
        )


def test_surprise_is_the_mean_of_all_tokens_but_the_first():
    writer = tiny_writer()
    tokens = read(writer, TEXT)
    surprises = [math.log2(1 / token.prob) for token in tokens[1:]]
    assert bits_per_token(tokens) == pytest.approx(sum(surprises) / len(surprises))
    assert bits_per_token(read(writer, "")) == 0


@pytest.mark.parametrize("n", [5, 3 * MAX_LEN], ids=["all in sight", "a part in sight"])
def test_a_token_is_drawn_from_what_a_look_at_it_says(n):
    writer, ids = tiny_writer(), tiny_writer().tokenizer.encode(TEXT)
    sampling = Sampling(temperature=0.7, top_k=20, top_p=0.9, repetition_penalty=1.5)
    _, _, drawn = next(sample(language_model_step(writer.model), ids[:n], sampling, seed=1))
    seen = look(writer, ids, n)
    assert seen.position == n
    torch.testing.assert_close(seen.drawn_from(sampling, ids).float(), drawn)
    cold = seen.drawn_from(Sampling(temperature=0.05), ids)
    assert torch.equal(cold > 0, seen.log_probs.isfinite()), "nothing is cut"


@pytest.mark.parametrize("text", [TEXT, ""])
def test_nothing_predicted_the_first_token(text):
    writer = tiny_writer()
    with pytest.raises(InputError, match="Nothing comes before the first character"):
        look(writer, writer.tokenizer.encode(text), 0)


def test_an_alternative_takes_the_place_of_what_was_said():
    token = read(tiny_writer(), TEXT)[7]
    index, text, prob = other = token.alternatives[3]
    swapped = token.said_instead(other)
    assert (swapped.id, swapped.text, swapped.prob) == (index, text, pytest.approx(prob))
    assert swapped.alternatives == token.alternatives
    assert math.isfinite(token.said_instead((index, text, 0.0)).log_prob)


def test_looking_past_the_end_predicts_what_would_be_written():
    writer = tiny_writer()
    ids = writer.tokenizer.encode(TEXT)
    (token,) = write(writer, TEXT, 1, Sampling(temperature=0))
    assert look(writer, ids, len(ids)).log_probs.argmax() == token.id


def test_a_view_pairs_every_heads_weights_with_their_tokens():
    writer = tiny_writer()
    seen = look(writer, writer.tokenizer.encode(TEXT), 30)
    for site in writer.model.sites:
        view = seen.view(site)
        assert torch.equal(view.weights, seen.trace.attention[site].weights[0])
        assert view.weights.shape == (4, len(view.query_tokens), len(view.key_tokens))
        assert "".join(view.query_tokens) == "".join(view.key_tokens) == TEXT[16:30]


@every_encoding
def test_writing_without_chance_takes_the_most_probable_every_time(encoding):
    writer = tiny_writer(positional_encoding=encoding)
    ids = writer.tokenizer.encode("All")
    for token in write(writer, "All", 40, Sampling(temperature=0)):
        assert token.id == full_forward(writer, ids, len(ids)).argmax()
        ids.append(token.id)


def test_special_tokens_are_never_written_and_have_no_share():
    writer = tiny_writer()
    writer.model.decoder.norm.bias.data.fill_(1.0)
    writer.model.decoder.embedding.weight.data[:6] = 1.0  # now their logits are the largest by far
    written = list(write(writer, "All", 30, Sampling(temperature=5)))
    seen = look(writer, writer.tokenizer.encode("All"), 3).log_probs
    assert all(index >= 6 for token in written for index, *_ in [(token.id,), *token.alternatives])
    assert seen[:6].tolist() == [-math.inf] * 6
    assert seen.exp().sum().item() == pytest.approx(1)


def test_the_same_seed_writes_the_same_text_and_another_seed_another():
    writer = tiny_writer()
    one, same, other = ("".join(generate(writer, "All", 60, seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert len(one) == 60


def test_generate_streams_the_text_that_write_explains():
    writer = tiny_writer()
    sampling = Sampling(temperature=0.7, top_k=20, top_p=0.9, repetition_penalty=1.2)
    pieces = list(generate(writer, "All", 50, 0.7, 20, 0.9, 1.2, seed=5))
    assert pieces == [token.text for token in write(writer, "All", 50, sampling, seed=5)]


def test_a_text_continues_from_the_middle_as_if_it_had_not_been_interrupted():
    writer = tiny_writer()
    whole = "".join(generate(writer, "All", 60, seed=5))
    assert "".join(generate(writer, "All" + whole[:25], 35, seed=5)) == whole[25:]


@pytest.mark.parametrize("prompt", ["", "\u0301"], ids=["nothing", "an accent on nothing"])
def test_an_empty_prompt_begins_a_new_line(prompt):
    writer = tiny_writer()
    assert list(generate(writer, prompt, 20)) == list(generate(writer, "\n", 20))
    assert [token.text for token in read(writer, prompt)] == ["\n"]


def test_switched_off_heads_change_the_result_of_that_call_alone():
    writer = tiny_writer()

    def text(off=()):
        return "".join(token.text for token in write(writer, "All", 40, Sampling(), off=off))

    before = text()
    assert text(OFF) != before
    assert text() == before


@every_encoding
def test_a_step_follows_its_rows_through_every_window(encoding):
    model = tiny_writer(positional_encoding=encoding).model
    step, tokens = language_model_step(model), torch.randint(6, 30, (3, 5))
    moves = itertools.cycle([[0, 1, 2], [2, 0], [1], [0, 0, 0], [1, 2, 0]])
    for rows in itertools.islice(moves, 40):
        cached = step(tokens := tokens[rows], torch.tensor(rows))
        whole = model(tokens[:, first_that_fits(tokens.size(1)) :])[:, -1]
        torch.testing.assert_close(cached, over_characters(whole))
        tokens = torch.cat([tokens, torch.randint(6, 30, (len(rows), 1))], dim=1)


GOOD = {"prompt": "All", "max_new_tokens": 5}
BAD = [
    ({"prompt": None}, "The prompt must be text"),
    ({"prompt": b"All"}, "The prompt must be text"),
    ({"prompt": "A" * (MAX_PROMPT + 1)}, "The prompt has 20,001 characters; at most 20,000 fit"),
    ({"prompt": "A" * 100_000}, "The prompt has 100,000 characters; at most 20,000 fit"),
    ({"prompt": "All λ and λ and 語"}, ": λ 語$"),
    ({"prompt": "αβγδεζηθικ"}, ": α β γ δ ε ζ η θ …$"),
    *(
        (
            {setting: value},
            f"{name} must be {limits}, not {'empty' if value is None else repr(value)}",
        )
        for setting, name, limits, values in [
            ("max_new_tokens", "The length", "a whole number from 1 to 2,000", [0, 2_001, 1.5]),
            ("temperature", "The temperature", "a number from 0 to 5", [-0.1, 5.1]),
            ("top_k", "Top-k", "a whole number from 0 to 1,000,000", [-1, 10**7, 0.5]),
            ("top_p", "Top-p", "a number from 0 to 1", [-0.1, 1.1]),
            ("repetition_penalty", "The repetition penalty", "a number from 0.5 to 3", [0.0, 4.0]),
            ("seed", "The seed", "a whole number from 0 to 2,147,483,647", [-1, 2**31, 1.7]),
        ]
        for value in [*values, math.nan, math.inf, -math.inf, "1", None, True]
    ),
]


@pytest.mark.parametrize("changes, complaint", BAD, ids=lambda value: str(value)[:40])
def test_what_a_visitor_can_mend_is_said_with_the_limit(changes, complaint):
    with pytest.raises(InputError, match=complaint):
        list(generate(tiny_writer(), **{**GOOD, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"prompt": "A" * MAX_PROMPT},
        {"prompt": "All\ud83d"},
        {"max_new_tokens": 5.0, "top_k": 3.0, "seed": 7.0},
        {"temperature": 0, "top_p": 0, "repetition_penalty": 0.5},
        {"temperature": 1e-300},
        {
            "temperature": 5,
            "top_k": 1_000_000,
            "top_p": 1,
            "repetition_penalty": 3,
            "seed": 2**31 - 1,
        },
    ],
    ids=lambda value: str(value)[:40],
)
def test_everything_within_the_limits_is_answered(changes):
    assert len(list(generate(tiny_writer(), **{**GOOD, **changes}))) == 5


@pytest.mark.parametrize("bad", [None, "A" * 100_000, "λ"], ids=["none", "long", "unknown"])
def test_reading_refuses_the_same_texts(bad):
    with pytest.raises(InputError):
        read(tiny_writer(), bad)


def test_gradients_are_on_again_between_two_tokens():
    written = write(tiny_writer(), "All", 5, Sampling())
    next(written)
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


def test_four_threads_writing_at_once_get_what_each_gets_alone():
    writer = tiny_writer()
    requests = [("All", 1, []), ("All", 2, OFF), ("Speak, speak", 3, []), (TEXT, 4, OFF[:1])]

    def texts(request):
        prompt, seed, off = request
        return [
            "".join(token.text for token in write(writer, prompt, 40, Sampling(), seed, off))
            for _ in range(3)
        ]

    alone = [texts(request) for request in requests]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(texts, requests)) == alone
