"""Training. A module with a `main` is a command, `python -m train.<name>`; begin with
`copy_task.py`. `loop.py` knows batches and losses and no task. Nothing here imports the ui.
"""
