"""Files that are whole at every moment, and how it is noticed that one has changed."""

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
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


def stamp_of(files: Iterable[Path]) -> tuple[tuple[str, int, int, int], ...]:
    """What differs once one of these files is changed, added or removed; any may be missing."""
    found = []
    for path in sorted(files):
        with suppress(FileNotFoundError):  # another process may be tidying up
            now = path.stat()
            # the last of the times also tells what keeps the other two: a copy, or new permissions
            found.append((str(path), now.st_size, now.st_mtime_ns, now.st_ctime_ns))
    return tuple(found)
