import itertools
import math

import pytest
import torch
from alike import assert_ranked_alike, said
from tiny import build, empty_cache, padded, words

from transformer_core.decoding.search import Hypothesis, beam_search
from transformer_core.model.models import EncoderDecoder
from transformer_core.tokenization import BOS, EOS

# Toy languages: what follows depends on the language, the position and the last token.
START, END, VOCAB, MAX_NEW = 1, 0, 5, 4
LANGUAGES = torch.randn(4, MAX_NEW, VOCAB, VOCAB, generator=torch.Generator().manual_seed(3)) * 2
LANGUAGES = LANGUAGES.log_softmax(-1)
WIDE = 1000  # more than there are sentences


def step_of(*languages):
    """A Step whose every row keeps its language, as a cache keeps its keys."""
    language = torch.tensor(languages)

    def step(tokens, parents):
        nonlocal language
        language = language[parents]
        return LANGUAGES[language, tokens.size(1) - 1, tokens[:, -1]]

    return step


def search(*languages, beam_size=2, max_new=None, **options):
    limits = max_new or [MAX_NEW] * len(languages)
    step = step_of(*languages)
    return beam_search(step, len(languages), START, END, limits, beam_size=beam_size, **options)


def log_prob(language, tokens):
    """The sum over tokens, of which END may be the last."""
    path = [START, *tokens]
    places = enumerate(itertools.pairwise(path))
    return sum(LANGUAGES[language, i, last, token].item() for i, (last, token) in places)


def sentences(prefix=()):
    """Everything that can be said in MAX_NEW tokens, END included."""
    for length in range(MAX_NEW - len(prefix)):
        for rest in itertools.product(range(1, VOCAB), repeat=length):
            yield *prefix, *rest, END


def told(hypothesis):
    """Its tokens, END included."""
    return hypothesis.tokens + (END,) * hypothesis.ended


@pytest.mark.parametrize("language", range(4))
def test_greedy_takes_the_most_probable_token_every_time(language):
    tokens = [START]
    while len(tokens) <= MAX_NEW and tokens[-1] != END:
        tokens.append(LANGUAGES[language, len(tokens) - 1, tokens[-1]].argmax().item())
    (found,) = search(language, beam_size=1)[0].hypotheses()
    assert told(found) == tuple(tokens[1:])


@pytest.mark.parametrize("beam_size", [1, 2, 3, WIDE])
@pytest.mark.parametrize("language", range(4))
def test_a_log_prob_is_the_sum_over_the_tokens(language, beam_size):
    beam = search(language, beam_size=beam_size)[0]
    assert beam.hypotheses()
    for hypothesis in beam.ended + beam.alive:
        assert hypothesis.log_prob == pytest.approx(log_prob(language, told(hypothesis)), abs=1e-5)


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("language", range(4))
def test_a_wide_beam_finds_the_best_of_all_sentences(language, length_penalty):
    found = search(language, beam_size=WIDE)[0].hypotheses(length_penalty)
    ranked = sorted(
        sentences(), key=lambda s: log_prob(language, s) / len(s) ** length_penalty, reverse=True
    )
    assert [told(hypothesis) for hypothesis in found] == ranked


def test_the_length_penalty_divides_by_the_tokens_and_the_end():
    ended, growing = Hypothesis((7, 8), -6.0, ended=True), Hypothesis((7, 8), -6.0)
    assert [ended.score(penalty) for penalty in (0, 1, 2)] == [-6, -2, -6 / 9]
    assert growing.score(1) == -3
    assert Hypothesis().score(1) == 0


@pytest.mark.parametrize("beam_size", [1, 3, WIDE])
@pytest.mark.parametrize("language", range(4))
def test_nothing_follows_the_end_and_no_limit_is_passed(language, beam_size):
    beam = search(language, beam_size=beam_size)[0]
    for hypothesis in beam.ended + beam.alive:
        assert END not in hypothesis.tokens
    assert all(len(told(hypothesis)) <= MAX_NEW for hypothesis in beam.ended)
    assert all(len(hypothesis.tokens) == MAX_NEW for hypothesis in beam.alive)
    assert len(beam.ended) + len(beam.alive) <= beam_size


@pytest.mark.parametrize("beam_size", [1, 2, 3])
def test_a_batch_of_sources_equals_each_alone(beam_size):
    languages, max_new = (2, 0, 3, 1), [4, 2, 3, 4]
    options = {"beam_size": beam_size, "n_candidates": 3}
    together = search(*languages, max_new=max_new, **options)
    for beam, language, limit in zip(together, languages, max_new, strict=True):
        assert [beam] == search(language, max_new=[limit], **options)


def test_a_source_that_may_say_nothing_leaves_the_others_alone():
    silent, beam = search(3, 2, max_new=[0, MAX_NEW])
    assert silent.hypotheses() == [Hypothesis()]
    assert [beam] == search(2)


def test_parents_say_which_row_each_row_continues():
    history, language = torch.empty(3, 0, dtype=torch.long), step_of(0, 1, 2)

    def step(tokens, parents):
        nonlocal history
        assert torch.equal(tokens[:, :-1], history[parents])
        history = tokens
        return language(tokens, parents)

    beam_search(step, 3, START, END, [MAX_NEW] * 3, beam_size=3)
    assert history.size(1) == MAX_NEW


@pytest.mark.parametrize("n_candidates", [1, 4, 50])
@pytest.mark.parametrize("language", range(4))
def test_every_step_keeps_the_best_extensions_of_the_one_before(language, n_candidates):
    size = 3
    beam = search(language, beam_size=size, n_candidates=n_candidates)[0]
    alive, ended = [Hypothesis()], []
    for i, candidates in enumerate(beam.steps):
        room = size - len(ended)
        every = {}
        for parent, hypothesis in enumerate(alive):
            log_probs = LANGUAGES[language, i, (START, *hypothesis.tokens)[-1]]
            for token in range(VOCAB):
                every[parent, token] = hypothesis.log_prob + log_probs[token].item()
        best = sorted(every, key=every.get, reverse=True)

        n = min(max(n_candidates, room), len(every))
        assert [(c.parent, c.token) for c in candidates] == best[:n]
        assert [c.kept for c in candidates] == [rank < room for rank in range(n)]
        before, alive = alive, []
        for candidate in candidates:
            parent = before[candidate.parent]
            assert candidate.total == pytest.approx(every[candidate.parent, candidate.token])
            assert candidate.total == pytest.approx(parent.log_prob + candidate.log_prob)
            if candidate.kept and candidate.token == END:
                ended.append(Hypothesis(parent.tokens, candidate.total, ended=True))
            elif candidate.kept:
                alive.append(Hypothesis((*parent.tokens, candidate.token), candidate.total))
    assert (beam.alive, beam.ended) == (alive, ended)


def kept_paths(beam):
    """The tokens of all that grew to the last step, and of all that ended, as the candidates tell
    them: each in the place that its index gives it."""
    alive, ended = {0: ()}, {}
    for candidates in beam.steps:
        before, alive = alive, {}
        for candidate in candidates:
            tokens = before[candidate.parent]
            if candidate.kept and candidate.token == END:
                ended[candidate.index] = tokens
            elif candidate.kept:
                alive[candidate.index] = (*tokens, candidate.token)
    return [[paths[i] for i in range(len(paths))] for paths in (alive, ended)]


@pytest.mark.parametrize("beam_size", [1, 2, 3, WIDE])
@pytest.mark.parametrize("language", range(4))
def test_a_kept_candidate_names_the_hypothesis_that_it_became(language, beam_size):
    beam = search(language, beam_size=beam_size, n_candidates=4)[0]
    assert kept_paths(beam) == [[h.tokens for h in found] for found in (beam.alive, beam.ended)]


def test_a_kept_candidate_names_its_hypothesis_also_among_many_of_exactly_equal_totals():
    def step(tokens, parents):
        return torch.full((len(tokens), VOCAB), -math.log(VOCAB))

    beam = beam_search(step, 1, START, END, [MAX_NEW], beam_size=WIDE, n_candidates=4)[0]
    # all of one length have the same total: nothing but the index says which is which
    totals = [hypothesis.log_prob for hypothesis in [*beam.alive, *beam.ended]]
    assert len(totals) == 4**4 + sum(4**n for n in range(4)) and len(set(totals)) == MAX_NEW
    assert kept_paths(beam) == [[h.tokens for h in found] for found in (beam.alive, beam.ended)]


@pytest.mark.parametrize("beam_size", [2, WIDE])
@pytest.mark.parametrize("max_new", [1, MAX_NEW])
def test_the_ranking_says_where_each_hypothesis_is_found(beam_size, max_new):
    beam = search(1, beam_size=beam_size, max_new=[max_new])[0]
    ranked, found = beam.ranked(), beam.ended or beam.alive
    assert sorted(index for index, _ in ranked) == list(range(len(found)))
    assert all(found[index] is hypothesis for index, hypothesis in ranked)
    assert [hypothesis for _, hypothesis in ranked] == beam.hypotheses()


def test_no_candidates_are_recorded_unless_asked_for():
    assert search(0)[0].steps == []


def test_an_impossible_token_is_never_kept():
    def step(tokens, parents):
        return torch.tensor([-math.inf, -math.inf, 0.0, -math.inf, -math.inf]).expand(
            len(tokens), -1
        )

    beam = beam_search(step, 1, START, END, [3], beam_size=3)[0]
    assert beam.hypotheses() == [Hypothesis((2, 2, 2), 0.0)]


@pytest.mark.parametrize("prefix", [(4,), (2, 2), (3, 1, 4)])
@pytest.mark.parametrize("language", range(4))
def test_a_forced_prefix_is_followed_at_its_true_probability(language, prefix):
    beam = search(language, beam_size=WIDE, forced=prefix, n_candidates=2)[0]
    found = beam.hypotheses(length_penalty=0.0)
    best = sorted(sentences(prefix), key=lambda s: log_prob(language, s), reverse=True)
    assert [told(hypothesis) for hypothesis in found] == best
    for hypothesis in found + beam.alive:
        assert hypothesis.log_prob == pytest.approx(log_prob(language, told(hypothesis)), abs=1e-5)
    for token, candidates in zip(prefix, beam.steps, strict=False):
        assert [c.token for c in candidates if c.kept] == [token]
        assert len(candidates) >= 2


def test_a_forced_end_ends_the_sentence():
    beam = search(1, beam_size=3, forced=(2, END))[0]
    assert [told(hypothesis) for hypothesis in beam.hypotheses()] == [(2, END)]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_cached_batch_of_translations_equals_each_alone_without_a_cache(beam_size):
    model, limits = build(EncoderDecoder, positional_encoding="rotary"), [12, 5, 9]
    sources = [words(length) for length in (4, 9, 6)]

    def cached(src):
        memory, cache = model.encode(src), empty_cache()

        def step(tokens, parents):
            nonlocal src, memory
            src, memory = src[parents], memory[parents]
            cache.select(parents)
            logits = model.decode(tokens[:, cache.length :], memory, src, cache=cache)
            return logits[:, -1].log_softmax(-1)

        return step

    def whole(src):
        return lambda tokens, _: model(src.expand(len(tokens), -1), tokens)[:, -1].log_softmax(-1)

    with torch.inference_mode():
        together = beam_search(cached(padded(sources)), 3, BOS, EOS, limits, beam_size=beam_size)
        for beam, source, limit in zip(together, sources, limits, strict=True):
            step = whole(source[None])
            (alone,) = beam_search(step, 1, BOS, EOS, [limit], beam_size=beam_size)
            assert_ranked_alike(said(beam.hypotheses()), said(alone.hypotheses()))
