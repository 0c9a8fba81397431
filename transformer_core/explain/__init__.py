"""Why a model answered so. Imports tasks and what they stand on; ui and train may import it.
Begin with `attribution.py`, whose methods `trial.py` puts on trial.
"""
