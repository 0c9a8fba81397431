"""The tabs, in the order a visitor meets them.

A tab is a folder with a module of its name in it: a docstring (its first paragraph is shown above
the work, the rest on demand), TITLE, and build(page), which lays out its components, wires them and
returns the Addressed of which an address speaks. `about` is the smallest of them, `positions` a
usual one, and `translate` has everything.
"""

from transformer_core.ui.tabs.ablations import ablations as ablations_tab
from transformer_core.ui.tabs.about import about as about_tab
from transformer_core.ui.tabs.generate import generate as generate_tab
from transformer_core.ui.tabs.inside import inside as inside_tab
from transformer_core.ui.tabs.lab import lab as lab_tab
from transformer_core.ui.tabs.positions import positions as positions_tab
from transformer_core.ui.tabs.sentiment import sentiment as sentiment_tab
from transformer_core.ui.tabs.translate import translate as translate_tab

TABS = (
    translate_tab,
    sentiment_tab,
    generate_tab,
    inside_tab,
    lab_tab,
    positions_tab,
    ablations_tab,
    about_tab,
)
