"""What every command does around `fit`: flags, progress, metrics, the checkpoint and its card.
For the commands of train. Begin with `run.py`.
"""
