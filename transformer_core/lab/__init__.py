"""Small models that learn while one watches. Imports tasks and what they stand on; ui and
train may import it. Begin with `toys.py`, what is learnt, then `training.py`.
"""
