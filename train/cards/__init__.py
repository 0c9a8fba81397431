"""The prose of the model cards, a module per task; `train.running.card` sets it between numbers."""
