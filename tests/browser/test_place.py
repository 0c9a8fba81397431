"""Where a visitor is: the address, Back, and the doors between tabs."""

import pytest
from playwright.sync_api import expect
from shipped import config_of, needs
from visitor import answered, arrive, go_back, press_section, press_tab, rest

pytestmark = needs("translation")
TEXT = "Where is my red hat?"
FIRST = "A man in a red shirt is riding a horse on the beach."


def opened(open_page, path="/"):
    page = open_page(path)
    page.wait_for_selector("#german .piece")
    return page


def chosen_tab(page):
    return page.locator("#tabs > .tab-wrapper [aria-selected=true]")


def chosen_section(page):
    return page.locator(".sections:visible > .tab-wrapper [aria-selected=true]")


def visit(page, path):
    """Open another address of the app in the open page, as if it had been there before."""
    with answered(page):
        page.evaluate("path => history.pushState(null, '', path)", path)
        page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")


# a door is opened, and what the place is while it is entered and when whoever waits for it is told
WAIT = """query => {
    const is = () => ['#inside-choice input', '#inside-text textarea'].map(box =>
        document.querySelector(box).value);
    window.before_ = is();
    document.dispatchEvent(new CustomEvent('place:go', {detail: [query, {}]}));
    document.dispatchEvent(new CustomEvent('place:wait', {detail: () =>
        requestAnimationFrame(() => { window.after_ = is(); })}));
}"""


@needs("shakespeare")
def test_who_waits_for_a_place_is_told_once_all_of_it_is_there(open_page):
    page = open_page("/?tab=inside")
    expect(page.locator("#inside-model")).to_contain_text("EncoderDecoder")
    rest(page)
    page.evaluate(WAIT, "tab=inside&model=shakespeare&text=To+be")
    page.wait_for_function("window.after_")
    assert page.evaluate("window.before_") == ["Translator", FIRST]
    assert page.evaluate("window.after_") == ["Shakespeare", "To be"]


def asked(page) -> int:
    return page.evaluate("watch.asked()")


def test_back_returns_through_door_section_and_text_to_the_beginning(open_page):
    page = opened(open_page)
    rest(page)
    first = page.locator("#german .pieces-text").inner_text()
    press_tab(page, "Translate")  # open already: no other place
    with answered(page, about=TEXT):
        page.get_by_label("English").fill(TEXT)
    german = page.locator("#german .pieces-text").inner_text()
    assert german != first
    press_section(page, "Heads")
    head = page.locator("#translation-heads .heads-title")
    page.locator("#translation-heads .heads-grid button").nth(2).click()
    expect(head).to_contain_text("head 3")
    with answered(page, about=TEXT):
        page.get_by_role("button", name="Look inside the model").and_(
            page.locator(":visible")
        ).click()
    expect(chosen_tab(page)).to_have_text("Inside")
    expect(page.locator("#inside-text textarea")).to_have_value(TEXT)
    expect(page.locator("#inside-model")).to_contain_text("EncoderDecoder")
    press_section(page, "Logit lens")
    expect(chosen_section(page)).to_have_text("Logit lens")
    rest(page)
    before = asked(page)

    go_back(page)
    expect(chosen_section(page)).to_have_text("All stages")
    expect(page.locator("#inside-text textarea")).to_have_value(TEXT)
    go_back(page)
    expect(chosen_tab(page)).to_have_text("Translate")
    expect(chosen_section(page)).to_have_text("Heads")
    expect(head).to_contain_text("head 3")
    expect(page.get_by_label("English")).to_have_value(TEXT)
    go_back(page)
    expect(chosen_section(page)).to_have_text("Alternatives")
    expect(page.get_by_label("English")).to_have_value(TEXT)
    expect(page.locator("#german .pieces-text")).to_have_text(german)
    rest(page)
    # where to, thrice, and two for the sections to which the first and the last step led: which is
    # open, and what it shows; nothing else
    assert asked(page) == before + 3 + 2 + 2


DOG = "A dog sleeps."
ADDRESSES = (  # and what is seen of them, by label
    (f"/?tab=inside&text={DOG}", {"Your text": DOG}),
    ("/?tab=inside&model=nothing&section=2", {"Your text": FIRST}),
    ("/?tab=translate&text=" + 3_001 * "x", {"English": 3_001 * "x"}),  # refused in words
    (
        "/?tab=generate&prompt=JULIET%3A&temperature=0.5",
        {"Prompt": "JULIET:", "number input for Temperature": "0.5"},
    ),
)


@pytest.mark.parametrize("path, seen", ADDRESSES, ids=range(len(ADDRESSES)))
def test_an_address_opens_what_it_says(open_page, path, seen):
    page = open_page(path)
    for label, value in seen.items():
        box = page.get_by_label(label, exact=True).and_(page.locator(":visible"))
        expect(box).to_have_value(value)
    arrive(page)


def test_a_text_of_an_address_is_translated_once_and_back_and_forward_bring_it_again(open_page):
    page = opened(open_page, "/?tab=translate&text=A+dog+sleeps.&beam=2&section=heads")
    english, german = page.get_by_label("English", exact=True), page.locator("#german .pieces-text")
    expect(chosen_section(page)).to_have_text("Heads")
    expect(english).to_have_value(DOG)
    arrive(page)
    assert page.evaluate("watch.times('A dog sleeps.')") == 1
    first = german.inner_text()
    press_section(page, "Alternatives")
    expect(page.get_by_label("number input for Beam size", exact=True)).to_have_value("2")
    rest(page)
    press_section(page, "Switch off")
    with answered(page, about=TEXT):
        english.fill(TEXT)
    page.go_back()
    expect(english).to_have_value(DOG)
    expect(german).to_have_text(first)
    page.go_forward()
    expect(english).to_have_value(TEXT)
    expect(german).not_to_have_text(first)


HEADS_OFF = "encoder-self:0:1.encoder-self:1:0"
# tab -> of its views: an address, where what it says is seen, and what is not so at first
OWN_PARTS = {
    "sentiment": (
        (
            f"/?tab=sentiment&section=layers&review-switches={HEADS_OFF}",
            "#review-switches .view-note >> nth=0",
            "heads are off: the probability",
        ),
    ),
    "generate": (
        (
            "/?tab=generate&section=switch-off&story-switches=decoder-self:1:1",
            "#story-switches .view-note >> nth=0",
            "heads is off: the log-probability",
        ),
    ),
    "positions": (
        ("/?tab=positions&section=distance&distance=24.-3", "#distance .finding", "place 24"),
        ("/?tab=positions&section=rotation&p=17", "#pe-proof", "PE(17)"),
        (
            "/?tab=positions&section=longer&longer=200",
            "#longer .longer-after",
            "After 200 characters",
        ),
    ),
}


def is_in_the_address(page, path, where, seen):
    """What is seen belongs to the last part of the address, goes with it and comes back."""
    expect(page.locator(where)).to_contain_text(seen)
    arrive(page)
    bare, part = path.rsplit("&", 1)
    assert page.evaluate("decodeURIComponent(location.search)").endswith(f"&{part}")
    visit(page, bare)
    expect(page.locator(where)).not_to_contain_text(seen)
    rest(page)
    assert part.split("=")[0] + "=" not in page.url.replace("section=", "")
    page.go_back()
    expect(page.locator(where)).to_contain_text(seen)


@pytest.mark.parametrize("tab", OWN_PARTS)
def test_what_was_chosen_in_a_view_is_in_the_address(open_page, tab):
    first, *others = OWN_PARTS[tab]
    page = open_page(first[0])
    is_in_the_address(page, *first)
    for part in others:
        rest(page)
        visit(page, part[0])
        is_in_the_address(page, *part)


def test_heads_stay_off_for_another_text(open_page):
    page = open_page("/?tab=sentiment&section=layers")
    heads = page.locator("#review-switches .switch-grid button")
    note = page.locator("#review-switches .view-note").first
    config = config_of("sentiment")
    one_is_off = f"1 of {config.n_layers * config.n_heads} heads is off"
    heads.nth(1).click()
    expect(note).to_contain_text(one_is_off)
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "false")
    before = note.inner_text()
    page.get_by_label("Review", exact=True).fill("The music is fine, but the plot is not.")
    expect(note).not_to_have_text(before)
    expect(note).to_contain_text(one_is_off)
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "false")
    page.wait_for_function("location.search.includes('review-switches=encoder-self%3A0%3A1')")
    page.locator("#review-switches").get_by_role("button", name="All on").click()
    expect(note).to_contain_text("press one to switch it off")
    page.wait_for_function("!location.search.includes('review-switches')")
    page.go_back()
    expect(note).to_contain_text(one_is_off)
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "false")


def test_the_address_keeps_to_the_tab_that_is_open(open_page):
    page = opened(open_page, "/?tab=translate&text=A+dog+sleeps.&__theme=dark")
    press_tab(page, "About")
    assert page.evaluate("location.search") == "?__theme=dark&tab=about"
    press_tab(page, "Translate")
    page.wait_for_function("location.search.includes('text=A+dog+sleeps.')")


def test_a_tab_that_is_pressed_at_once_is_remembered(open_page):
    page = open_page("/?tab=about")
    press_tab(page, "Positional encodings")
    page.wait_for_selector("#positions-figure .encoding-bars")
    arrive(page)
    expect(chosen_tab(page)).to_have_text("Positional encodings")
    assert "tab=positions" in page.url


def test_a_text_too_long_for_an_address_is_in_the_history_and_of_a_longer_one_the_tab(open_page):
    page, long = open_page("/?tab=sentiment&review=Quite+good"), "good " * 2_000
    review = page.get_by_label("Review", exact=True)
    expect(review).to_have_value("Quite good")
    arrive(page)
    with answered(page, about=long):
        review.fill(long)
    page.wait_for_function("!location.search.includes('review=')")
    press_section(page, "Heads")
    with answered(page, about="bad"):
        review.fill("bad")
    page.wait_for_function("location.search.includes('review=bad')")
    page.go_back()
    expect(review).to_have_value(long)
    rest(page)

    with answered(page, about="Quite good"):
        review.fill("Quite good")
    page.wait_for_function("location.search.includes('review=')")
    review.fill("good " * 60_000)
    page.wait_for_function("!location.search.includes('review=')")
    press_tab(page, "Generate")
    page.wait_for_function("location.search.includes('tab=generate')")
    page.go_back()
    expect(chosen_tab(page)).to_have_text("Sentiment")
    expect(review).to_be_visible()


def test_a_link_that_is_copied_says_if_a_text_is_too_long_for_it(open_page):
    page = opened(open_page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    said = page.locator(".tools [role=status]")
    page.get_by_role("button", name="Share").click()
    expect(said).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_label("English").fill("A dog. " * 1_000)
    page.wait_for_function("history.state?.place.includes('A+dog')")
    page.get_by_role("button", name="Share").click()
    expect(said).to_have_text("Link copied; the text is too long for it")
    assert "dog" not in page.evaluate("navigator.clipboard.readText()")
