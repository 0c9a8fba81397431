"""What a visitor's hands do on any page of the app; for the browser tests."""


def enter(page, label, value):
    """Type a slider's value."""
    box = page.get_by_label(f"number input for {label}")
    box.fill(str(value))
    box.blur()


def press_section(page, name):
    """Open one of the sections below the open tab."""
    page.locator(".sections:visible").get_by_role("tab", name=name, exact=True).click()


def press_tab(page, name):
    """Press a tab, also one that a narrow page keeps in its menu."""
    tab = page.get_by_role("tab", name=name)
    if not tab.is_visible():
        page.locator(".overflow-menu > button").last.click()
        tab = page.locator(".overflow-dropdown button", has_text=name).last
    tab.click()
