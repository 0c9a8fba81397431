"""The Translate tab: `translate.py` wires what `layout.py` lays out and `handlers.py` answers.

`work.py` is what a visitor has made, `shown.py` what is shown of it, and `report.py` nine sentences
that another model could not translate.
"""
