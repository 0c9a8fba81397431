"""The models and everything around them that is not training. `inference.py` is what callers
outside import; to read how a Transformer works, begin with `model/config.py`.
"""
