"""The live lab's promises, on models that learn in a second."""

import gc
import random
import threading
import time
import weakref
from dataclasses import replace
from itertools import islice

import pytest
import torch
from torch.testing import assert_close

from train.loop import fit_on_cpu
from transformer_core.lab import learner as learning
from transformer_core.lab.plans import Choice, Plan
from transformer_core.lab.toys import PASTED, RULES, drawn, exact_match, held_out, judge, pasted
from transformer_core.lab.training import SLOWEST, Training
from transformer_core.model.models import EncoderDecoder
from transformer_core.model.positions import POSITIONAL_ENCODINGS
from transformer_core.tasks.requests import InputError
from transformer_core.tokenization import BOS, EOS

SMALL = Choice(n_layers=1, d_model=16, d_ff=16, learning_rate=0.02)
PLAN = Plan(task="copy", length=4, letters=3, steps=75, choices=(SMALL,))
NUMBERS = "\n".join(f"{i}+{i}={2 * i}" for i in range(30))


def finished(plan: Plan) -> Training:
    training = Training(fit_on_cpu, plan)
    for _ in training.run():
        pass
    return training


@pytest.fixture(scope="module")
def taught():
    """A training that went through; nobody changes it."""
    return finished(PLAN)


# --- what is learnt


@pytest.mark.parametrize("task, answer", [("copy", "CAB"), ("reverse", "BAC"), ("sort", "ABC")])
def test_a_rule_makes_the_output(task, answer):
    assert drawn(task, 5, 3).answer("CAB") == answer


@pytest.mark.parametrize("length, letters", [(4, 2), (10, 10), (20, 26)])
def test_training_never_shows_what_it_is_judged_by(length, letters):
    toy, rng = drawn("sort", length, letters), random.Random(1)
    assert not any(held_out(toy.draw(rng)[0]) for _ in range(300))
    src, tgt = toy.unseen
    assert len(src) == len(tgt) <= 200
    for row, target in zip(src.tolist(), tgt.tolist(), strict=True):
        text = toy.tokenizer.decode(row)
        assert held_out(text) and 1 <= len(text) <= length
        assert toy.tokenizer.decode(target) == RULES["sort"](text)
        assert target[0] == BOS and EOS in target


@pytest.mark.parametrize("length, letters, least", [(4, 2, 2), (10, 10, 150), (20, 26, 190)])
def test_what_it_is_judged_by_is_counted_once(length, letters, least):
    toy = drawn("copy", length, letters)
    texts = [tuple(row) for row in toy.unseen[0].tolist()]
    assert len(set(texts)) == len(texts) >= least
    assert toy.judged == f"{len(texts)} different sequences that training never shows"


def test_a_batch_follows_from_step_and_seed_alone():
    toy = drawn("copy", 6, 5)
    first, again, other, seeded = (toy.batch_of(*w)[0] for w in [(3, 0), (3, 0), (4, 0), (3, 1)])
    assert torch.equal(first, again)
    assert first.tolist() not in (other.tolist(), seeded.tolist())


def test_pasted_pairs_keep_every_character():
    toy = pasted("fünf → 오\nZoë\t“zwei”\na -> b\nx = y")
    assert [toy.answer(text) for text in ("fünf", "Zoë", "a", "x")] == ["오", "“zwei”", "b", "y"]
    src, tgt = toy.unseen
    assert [toy.tokenizer.decode(row) for row in src.tolist()][:2] == ["fünf", "Zoë"]
    assert [toy.tokenizer.decode(row) for row in tgt.tolist()][:2] == ["오", "“zwei”"]
    assert toy.judged == "the same pairs"


def test_a_pair_that_is_pasted_often_is_one_pair():
    assert "the same pairs" in pasted("a -> b\nc -> d\n" * 15).judged


def test_there_is_room_for_an_output_much_longer_than_its_input():
    plan = Plan(task=PASTED, pairs="hi -> abcdefghijklmnopqrstuvwxyz\nyo -> b")
    training = Training(fit_on_cpu, plan)
    (learner,) = training.learners
    size = learner.model.config.vocab_size
    for parameter in learner.model.parameters():
        if parameter.dim() == 2 and parameter.size(0) == size:
            parameter.data[EOS] = 0  # it hardly ever ends by itself
    assert len(training.attempt(learner, "hi").written.tokens) == 27


def test_of_many_pasted_pairs_a_fifth_is_held_out():
    toy, rng = pasted(NUMBERS), random.Random(0)
    seen = {toy.draw(rng)[0] for _ in range(1_000)}
    judged = {toy.tokenizer.decode(row) for row in toy.unseen[0].tolist()}
    assert len(seen) == 24 and len(judged) == 6 and not seen & judged


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "2 to 200 lines, not 0"),
        ("a -> b\n" * 201, "2 to 200 lines, not 201"),
        ("a -> b\nc d", "Line 2 has no ->"),
        ("a -> b\nc ->", "Line 2 has 0 characters"),
        ("a -> b\n" + "c" * 31 + " -> d", "Line 2 has 31 characters"),
        (None, "must be text"),
    ],
)
def test_what_are_no_pairs_is_said(text, sentence):
    with pytest.raises(InputError, match=sentence):
        pasted(text)


# --- what is refused


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"n_heads": 0}, "Heads must be a number from 1 to 8, not 0"),
        ({"n_heads": None}, "Heads must be a number from 1 to 8, not empty"),
        ({"n_heads": 1.5}, "n_heads=1.5 must be a whole number"),
        ({"n_heads": 3}, "d_model=16 is not divisible by n_heads=3"),
        ({"n_layers": 99}, "Layers must be a number from 1 to 4"),
        ({"d_model": 100_000}, "d_model must be a number from 4 to 64"),
        ({"norm": "rms"}, "norm='rms' must be"),
        ({"positional_encoding": "<b>"}, "There is no positional encoding '<b>'"),
        ({"positional_encoding": "rotary", "d_model": 15, "n_heads": 5}, "channels in pairs, not"),
        ({"d_model": 33, "n_heads": 3}, "in pairs, not 33 .d_model is 33, 11 channels in each"),
        ({"learning_rate": 1e9}, "Learning rate must be a number from 1e-05 to 1"),
        ({"learning_rate": float("nan")}, "Learning rate must be"),
        ({"learning_rate": 0}, "Learning rate must be"),
    ],
)
def test_an_impossible_model_is_refused_in_a_sentence(changes, sentence):
    choice = replace(SMALL, **changes)
    with pytest.raises(InputError, match=sentence):
        choice.config(PLAN.toy())
    with pytest.raises(InputError, match=sentence):
        Training(fit_on_cpu, replace(PLAN, choices=(choice,)))


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"length": 1_000}, "length must be a number from 4 to 20, not 1000"),
        ({"letters": 1}, "letters must be a number from 2 to 26"),
        ({"steps": 10**9}, "steps must be a number from 25 to 3,000"),
        ({"task": "fly"}, "no task 'fly'"),
        ({"task": PASTED, "pairs": "no"}, "2 to 200 lines"),
    ],
)
def test_an_impossible_task_is_refused_in_a_sentence(changes, sentence):
    with pytest.raises(InputError, match=sentence):
        Training(fit_on_cpu, replace(PLAN, **changes))


def test_an_input_beyond_alphabet_or_positions_is_refused(taught):
    assert taught.check(" cab ") == "CAB"
    assert taught.check("ABC" * 2) == "ABCABC"  # longer than in training
    for text, sentence in (("ABCABCABC", "positions for 8"), ("A9", "not: 9"), ("", "nothing")):
        with pytest.raises(InputError, match=sentence):
            taught.check(text)


def test_symbols_are_refused_as_they_were_typed():
    toy = drawn("copy", 4, 26)
    for text, sentence in (("saß", "not: ß$"), ("aé,", "not: é ,$"), ("a\ud800b", r"not: \?$")):
        with pytest.raises(InputError, match=sentence):
            toy.check(text, 8)


def test_only_letters_that_the_model_lacks_are_read_as_capitals():
    toy = pasted("aB -> Ba\nBa -> aB")
    assert toy.check("ab", 8) == "aB"
    with pytest.raises(InputError, match=r"The model knows [aB] [aB], and not: c$"):
        toy.check("abc", 8)


# --- learning


def test_the_usual_model_is_small():
    model = EncoderDecoder(Choice().config(Plan().toy()))
    assert 25_000 < model.n_parameters < 40_000


@pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
def test_every_encoding_trains_and_is_looked_at(positional_encoding):
    choice = replace(SMALL, positional_encoding=positional_encoding)
    training = Training(fit_on_cpu, replace(PLAN, choices=(choice,)))
    for _ in islice(training.run(), 3):
        pass
    (learner,) = training.learners
    attempt = training.attempt(learner, "CAB")
    assert attempt.step == 2 and attempt.taught.text == "CAB" and attempt.written.steps
    for site in learner.model.sites:
        assert_close(attempt.taught.view(site).weights.sum(-1), torch.ones(2, 4))


def test_it_is_looked_at_less_often_where_looks_cannot_be_drawn_as_quickly():
    training = Training(fit_on_cpu, PLAN)
    before = training.pace
    training.slow_down()
    assert training.pace == 2 * before
    for _ in range(20):
        training.slow_down()
    assert training.pace == SLOWEST


def test_it_learns(taught):
    first, last = taught.learners[0].curve[0], taught.learners[0].curve[-1]
    assert last.loss < first.loss / 4 and last.accuracy > 0.8 and last.exact > first.exact + 0.4


def test_the_curve_tells_what_greedy_decoding_writes(taught):
    for step in (0, 25, 50):
        _, model = taught.learners[0].model_at(step)
        assert judge(model, taught.toy.unseen)["exact"] == pytest.approx(
            exact_match(model, taught.toy.unseen)
        )


def test_without_the_causal_mask_it_cheats_and_fails_unaided():
    choice = replace(SMALL, causal_mask=False)
    plan = replace(PLAN, length=10, letters=10, steps=300, choices=(choice,))
    last = finished(plan).learners[0].curve[-1]
    assert last.accuracy > 0.9 and last.exact < 0.3


def test_racers_have_the_same_start_and_the_same_data(taught):
    race = finished(replace(PLAN, choices=(SMALL, replace(SMALL, norm="none"), SMALL)))
    a, b, c = race.learners
    assert a.curve == c.curve == taught.learners[0].curve != b.curve


def test_racers_share_what_they_have_in_common_whatever_else_they_draw():
    rival = replace(SMALL, positional_encoding="learned")
    ours, theirs = (
        learner.model.state_dict()
        for learner in Training(fit_on_cpu, replace(PLAN, choices=(SMALL, rival))).learners
    )
    assert ours.keys() < theirs.keys()
    assert all(torch.equal(weight, theirs[name]) for name, weight in ours.items())


def test_a_training_that_pauses_is_the_same_training(taught):
    training = Training(fit_on_cpu, PLAN)
    for n in (10, 1, 30):
        run = training.run()
        for _ in islice(run, n):
            pass
        run.close()
    for _ in training.run():
        pass
    assert training.ended and training.learners[0].curve == taught.learners[0].curve


def test_a_pause_ends_a_run_with_the_step_that_it_is_at():
    training = Training(fit_on_cpu, replace(PLAN, steps=3_000))
    thread = threading.Thread(target=lambda: [None for _ in training.run()])
    thread.start()
    while training.step < 3:
        assert thread.is_alive()
        time.sleep(0.001)
    training.pause()
    step = training.step
    thread.join(10)
    assert not thread.is_alive() and training.step == step and not training.ended


def test_a_turn_has_an_end():
    training = Training(fit_on_cpu, PLAN)
    assert len(list(training.run(seconds=0))) == 1 and not training.ended


# --- looking back


def test_moments_are_recorded_and_each_is_another_model(taught):
    assert taught.moments == [0, 25, 50, 75]
    (learner,) = taught.learners
    src, tgt = taught.toy.unseen
    losses = [judge(learner.model_at(step)[1], (src, tgt))["loss"] for step in taught.moments]
    assert losses[0] > losses[1] > losses[-1]


def test_who_goes_back_stays_at_his_moment_while_the_training_goes_on():
    training = Training(fit_on_cpu, PLAN)
    (learner,) = training.learners
    run = training.run()
    for _ in islice(run, 30):
        pass
    training.held = 0
    before = training.attempt(learner, "CAB")
    for _ in islice(run, 25):
        pass
    after = training.attempt(learner, "CAB")
    assert before.step == after.step == 0 and training.step > 50
    assert before.taught.log_prob == after.taught.log_prob
    training.held = None
    assert training.attempt(learner, "CAB").step == training.step


def test_of_a_moment_that_made_room_the_last_one_before_it_is_shown(taught):
    (learner,) = taught.learners
    thin = replace(learner, moments={s: w for s, w in learner.moments.items() if s != 25})
    assert [thin.model_at(step)[0] for step in (0, 25, 60, None)] == [0, 0, 50, 75]


def test_a_snapshot_is_the_model_of_its_moment_and_stays_as_it_is():
    training = Training(fit_on_cpu, PLAN)
    (learner,) = training.learners
    run = training.run()
    for _ in islice(run, 30):
        pass
    step, copied = training.snapshot(learner)
    kept = {name: w.clone() for name, w in copied.model.state_dict().items()}
    assert step == training.step
    assert_close(kept, dict(learner.model.state_dict()))
    for _ in islice(run, 5):
        pass
    assert_close(dict(copied.model.state_dict()), kept)
    assert any(not torch.equal(w, kept[name]) for name, w in learner.model.state_dict().items())
    training.held = 25
    step, copied = training.snapshot(learner)
    assert step == 25
    assert_close(dict(copied.model.state_dict()), dict(learner.model_at(25)[1].state_dict()))


def test_a_moment_differs_from_the_model_by_rounding_alone(taught):
    (learner,) = taught.learners
    (step, past), now = learner.model_at(75), learner.model
    assert step == 75 and past is not now
    for name, tensor in now.state_dict().items():
        assert_close(past.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)


def test_recorded_moments_stay_within_their_room(monkeypatch, taught):
    size = sum(w.nbytes for w in taught.learners[0].moments[0].values())
    monkeypatch.setattr(learning, "ROOM", int(2.5 * size))
    training = finished(replace(PLAN, steps=125))
    (learner,) = training.learners
    assert list(learner.moments) == [0, 100] and learner.every == 100
    assert training.moments == [0, 100, 125] and len(learner.curve) == 6


def test_nothing_known_is_the_right_output_of_an_unknown_pair():
    plan = replace(PLAN, task=PASTED, pairs="ab -> c\nb -> a", steps=25)
    training = Training(fit_on_cpu, plan)
    training.advance()
    look = training.attempt(training.learners[0], "bb")
    assert look.taught is look.written


# --- endings


def test_it_trains_on_the_cpu_where_a_library_promises_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    training = Training(fit_on_cpu, PLAN)
    (learner,) = training.learners
    assert training.advance() and training.advance()
    assert {weight.device.type for weight in learner.model.parameters()} == {"cpu"}


def test_a_loss_that_is_no_number_ends_the_training():
    training = Training(fit_on_cpu, PLAN)
    (learner,) = training.learners
    trained = learner.model
    training.advance()
    average = learner.model
    with torch.no_grad():
        for parameter in [*trained.parameters(), *average.parameters()]:
            parameter.fill_(float("nan"))
    steps = len(list(training.run()))
    assert training.ended and learner.diverged and steps <= 2
    assert training.attempt(learner, "CAB") is None


def test_what_is_stopped_keeps_its_moments_and_what_is_forgotten_nothing():
    training = Training(fit_on_cpu, PLAN)
    for _ in islice(training.run(), 30):
        pass
    training.close()
    assert not training.advance() and training.moments == [0, 25, 29]
    assert training.attempt(training.learners[0], "CAB")
    training.forget()
    assert training.learners == [] and not training.advance()


def test_fifty_abandoned_trainings_leave_no_thread_and_no_memory():
    def tensors() -> int:
        gc.collect()
        return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())

    def abandon(how: int) -> weakref.ref:
        """Start a training in a thread of its own and leave it in one of three ways."""
        training = Training(fit_on_cpu, replace(PLAN, choices=(SMALL, SMALL)))
        model = weakref.ref(training.learners[1].model)

        def work() -> None:
            run = training.run()
            for _ in islice(run, 2):
                pass
            (run.close, training.close, training.forget)[how]()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return model

    abandon(0)  # what is imported or cached at first use is no leak
    threads, before = threading.active_count(), tensors()
    left = [abandon(n % 3) for n in range(9)]
    # there may be fewer: what another test has left may end meanwhile
    assert tensors() <= before and not any(model() for model in left)
    assert threading.active_count() <= threads
