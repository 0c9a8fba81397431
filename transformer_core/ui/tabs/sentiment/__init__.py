"""The Sentiment tab: `sentiment.py` lays it out and wires it; the others are its sections.

A section is a module with a docstring (shown as its introduction), TITLE, and build(models, review,
opened): review is the text box, opened the gr.Tab around the section. It returns what is drawn
whenever the section is opened and whenever the text changes while it is open, as (draw, outputs)
with draw(text) -> values of the outputs; a section that wires itself returns None.
"""

from transformer_core.ui.tabs.sentiment import attention, layers, rivals, test_set, trial, words

# by the names that an address gives them
SECTIONS = {
    "attention": attention,
    "trial": trial,
    "words": words,
    "layers": layers,
    "rivals": rivals,
    "test_set": test_set,
}
