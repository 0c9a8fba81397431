"""`python app.py`, then open the printed address."""

from pathlib import Path

import torch

from train.loop import fit_on_cpu
from transformer_core.inference import Models
from transformer_core.ui.app import LAUNCH, build_app

torch.set_num_threads(1)  # several visitors compute at once: one core each

demo = build_app(Models(Path(__file__).parent / "checkpoints"), fit_on_cpu)

if __name__ == "__main__":
    demo.launch(**LAUNCH)
