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
    begun, order = threading.Event(), []

    def other():
        begun.set()
        with seeding():
            order.append("other")

    with seeding(1), seeding():  # what is built inside may build models, too
        thread = threading.Thread(target=other)
        thread.start()
        begun.wait()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]
