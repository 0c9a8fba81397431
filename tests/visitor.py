"""What a visitor does on any page of the app, and waits for; for the browser tests."""

from contextlib import contextmanager


@contextmanager
def answered(page, about=None):
    """What is done inside has been asked and answered when this ends, and the answer is drawn.

    about: a value that is asked about, such as the text that is typed.
    """
    before = page.evaluate("watch.asked()")
    yield
    page.wait_for_function(
        "([before, about]) => watch.about(before, about) && watch.rests()", arg=[before, about]
    )


def settle(page):
    """Wait until what the last press asks for has been asked and answered, and is drawn."""
    page.wait_for_function("watch.followed() && watch.rests()")


def enter(page, label, value):
    """Type a slider's value."""
    box = page.get_by_label(f"number input for {label}", exact=True)
    box.fill(str(value))
    box.blur()


def press_section(page, name):
    """Open one of the sections below the open tab."""
    page.locator(".sections:visible").get_by_role("tab", name=name, exact=True).click()


def press_tab(page, name):
    """Press a tab that can be seen."""
    page.get_by_role("tab", name=name).and_(page.locator(":visible")).click()
