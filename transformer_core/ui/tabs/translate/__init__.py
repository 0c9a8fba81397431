"""The Translate tab: `translate.py` lays it out and wires it, `work.py` is a visitor's work."""
