"""Training: `loop.py` knows batches and losses and no task; every other module here is a
command, `python -m train.<name>`. Begin with `copy_task.py`. It never imports the ui.
"""
