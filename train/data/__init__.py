"""Data sets to batches; `datasets` is known to `hub.py` alone. For the commands and studies of
train. Begin with `hub.py`, then `pairs.py`.
"""
