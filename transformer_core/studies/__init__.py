"""What the ablations measured. Imports tasks and what they stand on; ui and train may import
it. Begin with `records.py`, which reads the files; `twins.py`, `orders.py` and `longer.py` ask the
models.
"""
