"""The scripts of the views: a page has each of them once, however many views run it."""

import json
import re

from transformer_core.ui.theme import ASSETS

SCRIPTS = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((ASSETS / "views").glob("*.js"))
}
TELLS = re.compile(r"\b(?:tell|trigger)\('(\w+)'")  # an event of a view


def scripts_head() -> str:
    """What the head of the page has of them."""
    texts = json.dumps(SCRIPTS).replace("</", "<\\/")  # else one would end the element
    return f"<script>viewScripts = {texts};</script>"


def running(*names: str) -> str:
    """JavaScript that runs some of them in one scope, in which gradio has put what a view is given.

    Its comment lists the events they trigger: gradio looks for an event's name in quotes.
    """
    events = sorted({event for name in names for event in TELLS.findall(SCRIPTS[name])})
    texts = f"{list(names)}.map((name) => viewScripts[name]).join('')"
    name = f"'//# sourceURL=views/{names[-1]}.js'"  # for whoever debugs
    return f"eval({texts} + {name}); // {events}"
