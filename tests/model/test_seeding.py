"""Weights of one seed are the same, whatever other threads draw meanwhile."""

import threading

import torch

from transformer_core.model.seeding import seeding


def test_what_is_drawn_with_a_seed_leaves_the_generator_as_it_was():
    torch.manual_seed(5)
    plain = torch.rand(3)
    torch.manual_seed(5)
    with seeding(1):
        first = torch.rand(3)
    assert torch.equal(torch.rand(3), plain)
    with seeding(1):
        assert torch.equal(torch.rand(3), first)


def test_while_one_thread_draws_no_other_begins():
    begun, drawing, seen = threading.Event(), True, []

    def other():
        begun.set()
        with seeding():
            seen.append(drawing)

    thread = threading.Thread(target=other)
    with seeding(1), seeding():  # what is built inside may build models, too
        thread.start()
        begun.wait()
        thread.join(0.05)  # if nothing holds it, it gets in meanwhile
        drawing = False  # the last that is done in here
    thread.join()
    assert seen == [False]
