"""The tabs, in the order a visitor meets them.

A tab is a module with a docstring (shown as its introduction), TITLE, and build(page), which lays
out its components and wires them.
"""

from transformer_core.ui.tabs import (
    ablations,
    about,
    generate,
    inside,
    lab,
    positions,
    sentiment,
    translate,
)

TABS = (translate, sentiment, generate, inside, lab, positions, ablations, about)
