"""What a training can be resumed from: one complete state on disk, whenever it is killed."""

import shutil
from pathlib import Path

from accelerate import Accelerator


def save_newest(accelerator: Accelerator, folder: Path, step: int) -> None:
    """Write a complete state beside the old one, then drop the old: a kill leaves one of them."""
    unfinished = folder / "unfinished"
    if accelerator.is_main_process:
        shutil.rmtree(unfinished, ignore_errors=True)
    accelerator.wait_for_everyone()
    accelerator.save_state(str(unfinished))
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        old = list(folder.glob("step-*"))
        unfinished.rename(folder / f"step-{step:08d}")
        for path in old:
            shutil.rmtree(path)
    accelerator.wait_for_everyone()


def load_newest(accelerator: Accelerator, folder: Path) -> bool:
    """Continue from the last complete state; whether there is one."""
    states = sorted(folder.glob("step-*"))
    if states:
        accelerator.load_state(str(states[-1]))
    return bool(states)


def remove_states(folder: Path) -> None:
    """Forget what an earlier run in this folder could have continued from."""
    for path in [*folder.glob("step-*"), folder / "unfinished"]:
        shutil.rmtree(path, ignore_errors=True)
