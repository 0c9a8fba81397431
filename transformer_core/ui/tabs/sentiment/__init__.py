"""The Sentiment tab: `sentiment.py` lays it out and wires it, `verdict.py` is its first screen, the
others its sections.

A section is a module with a docstring (shown as its introduction), TITLE, and build(models, review,
opened): review is the text box, opened the gr.Tab around the section. It returns a Follower, which
is drawn whenever the section is opened and whenever the text changes while it is open; a section
that wires itself returns None.
"""

from transformer_core.ui.tabs.sentiment import heads, layers, rivals, test_set, trial, words

SECTIONS = (words, trial, heads, layers, rivals, test_set)
