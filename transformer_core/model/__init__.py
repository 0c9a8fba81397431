"""The Transformer, written out: config, masks, positions, attention, blocks, models, in this
order; then rivals, trace and heads. It imports nothing else of the project and knows no text.

The app shows lines of this code beside the numbers that they make: `inside/which_line.py` finds
them by their first words, and a test says when one is gone.
"""
