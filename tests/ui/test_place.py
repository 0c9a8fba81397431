"""What an address says of a place, and what becomes of what it should not say."""

import pytest

from transformer_core.ui.doors import PART
from transformer_core.ui.place import (
    IDS,
    MAX_WORD,
    Allowed,
    Place,
    ids_of,
    joined,
    number,
    read_place,
    spelled,
)

TABS = {
    "translate": Allowed(
        ("alternatives", "heads"), (), {"beam": number(1, 12, 1), "forced": spelled(IDS)}
    ),
    "sentiment": Allowed(("words", "layers")),
    "inside": Allowed((), ("translation", "Live lab"), {"part": spelled(PART)}),
    "generate": Allowed((), (), {"temperature": number(0, 2, 0.05), "seed": number(0, 99, 1)}),
}
PLACES = (
    Place("translate"),
    Place("translate", "heads", "Where & how?", head=(2, 3, 1), settings={"beam": 2}),
    Place("translate", text=""),
    Place("sentiment", "layers", "Gut — “oder” 100 %+\n"),
    Place("inside", text="So?", choice="Live lab"),
    Place("inside", settings={"part": "encoder:1:feed-forward:add"}),
    Place("translate", settings={"forced": "7.1.52"}),
    Place("translate", settings={"forced": ""}),
    Place("generate", text="JULIET:\n", settings={"temperature": 0.35, "seed": 7}),
)


@pytest.mark.parametrize("place", PLACES)
def test_an_address_says_a_place_and_nothing_else(place):
    assert read_place(place.query, TABS) == place
    assert read_place("?" + place.query + "&__theme=dark&other=1", TABS) == place


def test_the_names_in_addresses_stay_as_they_were():
    place = read_place("?tab=sentiment&section=layers&review=Quite+good", TABS)
    assert place == Place("sentiment", "layers", "Quite good")
    place = read_place("?text=Speak&beam=2&tab=translate&translation-heads=2.3.1", TABS)
    assert place == Place("translate", text="Speak", head=(2, 3, 1), settings={"beam": 2})


@pytest.mark.parametrize(
    "said",
    [
        "section=nowhere",
        "section=layers",  # of another tab
        "model=translation",
        "beam=0",
        "beam=13",
        "beam=2.5",
        "beam=nan",
        "beam=inf",
        "beam=1e999",
        "beam=four",
        "beam=" + 5_000 * "1",
        "beam=",
        "forced=1.",
        "forced=-1",
        "forced=٣",
        "forced=1234567",
        "forced=" + ".".join(["1"] * 5_000),
        "translation-heads=0.1.1",
        "translation-heads=1.1",
        "translation-heads=1.1.1e9",
        "translation-heads=٣.١.١",
        "review=<script>",
    ],
)
def test_what_cannot_be_is_as_if_it_had_not_been_said(said):
    assert read_place("tab=translate&" + said, TABS) == Place("translate")


def test_a_text_that_no_tab_would_read_is_kept_for_the_tab_to_say_so():
    place = Place("translate", text=5_000 * "x")
    assert read_place(place.query, TABS) == place


def test_a_word_that_is_too_long_is_none():
    longest = Place("inside", settings={"part": "x" * MAX_WORD})
    assert read_place(longest.query, TABS) == longest
    assert read_place(longest.query + "x", TABS) == Place("inside")


@pytest.mark.parametrize(
    "query",
    ["", "?", None, 7, ["tab"], "tab=nowhere", "tab", "&&==", 300_000 * "x", "a=1&" * 90, "%ff=%"],
)
def test_what_is_no_address_is_the_first_tab(query):
    assert read_place(query, TABS) == Place("translate")


def test_of_two_parts_of_one_name_the_first_counts():
    assert read_place("tab=translate&text=one&text=two", TABS).text == "one"


@pytest.mark.parametrize("ids", [(), (0,), (7, 1, 52)])
def test_ids_survive_an_address(ids):
    assert ids_of(spelled(IDS)(joined(ids))) == ids


def test_half_a_surrogate_pair_is_said_as_a_question_mark():
    assert read_place(Place("inside", text="a\ud83db").query, TABS).text == "a?b"
