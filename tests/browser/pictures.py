"""The README's pictures, taken from the app as it is: `make pictures`"""

import io
from pathlib import Path

import pytest
from PIL import Image
from visitor import settle, slide

from transformer_core.ui.tabs import TABS

PICTURES = Path(__file__).parents[2] / "assets" / "pictures"
LOOKS = {
    "": {"width": 1280, "height": 720},
    "-dark": {"width": 1280, "height": 720, "scheme": "dark"},
    "-phone": {"width": 390, "height": 844},
}
STILL = {"quality": 86, "method": 6}
MOVING = {"quality": 60, "method": 6, "loop": 0}
PER_PIECE = 10  # frames of the film for each piece that is written
MS = 100  # that each of them lasts
REST = 2_500  # ms that the last one stays
WIDTH = 960


def taken(page) -> Image.Image:
    """What the window shows."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("tab", [tab.__name__.rsplit(".", 1)[-1] for tab in TABS])
def test_picture_of(tab, look, open_page):
    how = LOOKS[look]
    page = open_page(f"/?tab={tab}&__theme={how.get('scheme', 'light')}", **how)
    settle(page)
    PICTURES.mkdir(exist_ok=True)
    taken(page).save(PICTURES / f"{tab}{look}.webp", **STILL)


def test_film_of_the_flow(open_page):
    page = open_page("/?tab=translate&__theme=light", width=1280, height=720)
    settle(page)
    scrub = page.locator("#translate-flow .flow-scrub")
    begin, end = (float(scrub.get_attribute(side)) for side in ("min", "max"))
    frames = []
    for k in range(round((end - begin) * PER_PIECE) + 1):
        # the clock is set by hand: a film is as smooth as it was taken slowly
        slide(scrub, begin + k / PER_PIECE)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        picture = taken(page)
        frames.append(picture.resize((WIDTH, picture.height * WIDTH // picture.width)))
    durations = [*[MS] * (len(frames) - 1), REST]
    path = PICTURES / "flow.webp"
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations, **MOVING)
    assert path.stat().st_size < 3_000_000
