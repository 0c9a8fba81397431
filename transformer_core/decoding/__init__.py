"""From probabilities to text. Imports model and tokenization; everything above may import it.
Begin with `search.py`, which like `sampling.py` never sees a model; `steps.py` asks one.
"""
