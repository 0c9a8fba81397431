"""The Generate tab: `generate.py` lays it out and wires it, `story.py` is a visitor's texts."""
