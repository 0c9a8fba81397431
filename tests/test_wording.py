"""Numbers in sentences."""

from transformer_core.wording import large, percent, quoted, share_counted, signed, sure


def test_what_is_rounded_away_has_no_minus():
    assert [signed(x, 1) for x in (-0.31, -0.04, 0.04, 0.31)] == ["−0.3", "+0.0", "+0.0", "+0.3"]


def test_large_numbers_are_rounded_as_one_says_them():
    found = [large(n) for n in (999_400, 999_600, 39_315_624, 591_759_360, 999_600_000, 1.2e9)]
    said = ["1 million", "39.3 million", "592 million", "1 billion", "1.2 billion"]
    assert found == ["999,400", *said]


def test_a_piece_is_quoted_as_it_is_read():
    pieces = ["▁red", "▁", "\n", "[EOS]", "[CLS]"]
    assert [quoted(piece) for piece in pieces] == ["“red”", "“␣”", "“↵”", "“[end]”", "“[CLS]”"]


def test_a_share_stays_on_one_line():
    assert percent(0.8266) == "83\N{NO-BREAK SPACE}%"
    assert percent(-0.123, 1, "+") == "−12.3\N{NO-BREAK SPACE}%"
    assert percent(-0.0003, 1, "+") == "+0.0\N{NO-BREAK SPACE}%"


def test_what_is_nearly_certain_is_not_said_to_be():
    found = [sure(p) for p in (0.0, 0.00049, 0.0006, 0.9734, 0.99949, 0.9995, 1.0)]
    said = ["< 0.1 %", "< 0.1 %", "0.1 %", "97.3 %", "99.9 %", "> 99.9 %", "> 99.9 %"]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in found] == said


def test_rounding_brings_no_answer_to_the_other_side_of_a_half():
    found = [sure(p).replace("\N{NO-BREAK SPACE}", " ") for p in (0.4994, 0.49996, 0.5, 0.50004)]
    assert found == ["49.9 %", "just under 50 %", "50.0 %", "just over 50 %"]


def test_of_what_was_counted_all_is_all_and_nothing_nothing():
    found = [share_counted(share) for share in (0, 1e-5, 0.5, 0.99956, 1)]
    said = ["0.0 %", "< 0.1 %", "50.0 %", "> 99.9 %", "100.0 %"]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in found] == said
