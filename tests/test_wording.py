"""Numbers in sentences."""

from transformer_core.wording import large, percent, quoted, signed


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
