"""Files that are whole at every moment."""

import os
import threading
from pathlib import Path


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace a file in one step: a reader or a kill sees the old content or the new."""
    content = content.encode() if isinstance(content, str) else content
    writer = f"{os.getpid()}-{threading.get_ident()}"  # two may write the same file at once
    unfinished = path.with_name(f".{path.name}.{writer}.unfinished")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except Exception:
        unfinished.unlink(missing_ok=True)
        raise
