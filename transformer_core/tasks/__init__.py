"""What a visitor asks for, each a function from text to a frozen result. Imports decoding,
checkpoint and what they stand on. Begin with `translation.py`; `requests.py` is shared, and
`batches.py` decodes many texts at once, with nothing to look at.
"""
