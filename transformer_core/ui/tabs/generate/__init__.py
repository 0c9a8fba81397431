"""The Generate tab: `generate.py` wires what `layout.py` lays out; `story.py` is the texts."""
