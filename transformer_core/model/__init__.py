"""The Transformer, written out: config, masks, positions, attention, blocks, models, in this
order; then rivals, trace and heads. It imports nothing else of the project and knows no text.
"""
