"""What a training computes on, and in which precision: found out once, by the command."""

import ctypes
import functools
import math
import os
import platform
import re
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import PartialState
from accelerate.utils import broadcast
from torch import Tensor

from train.loop import PRECISIONS

ASKED = ("auto", *PRECISIONS)  # auto is bf16 where it is fast
FASTER = 1.5  # bfloat16, which rounds more, must be this many times as fast as float32
SIZES = {"cpu": 256, "cuda": 4096}  # of the matrices whose product is timed
SECONDS = 0.02  # of timing
DTYPES = (torch.float32, torch.bfloat16)
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4  # as malloc.h of glibc calls them
TOP_PAD = 256 * 2**20  # bytes that are asked of the system at once
KERNELS = 16  # that oneDNN keeps


@dataclass(frozen=True)
class Hardware:
    """What `fit` is told to compute with."""

    device: str  # "cuda" or "cpu"
    precision: str  # one of PRECISIONS
    why: str = "as asked for"  # the card ends a sentence with it


def device() -> str:
    """A GPU if there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def choose(asked: str = "auto") -> Hardware:
    """The device, and the precision that is asked for or the one that is fast there.

    A processor's features do not tell which that is: of two with instructions for bfloat16, one is
    several times faster with them and the other slower. So both precisions are timed.
    """
    where = device()
    if asked != "auto":
        return Hardware(where, asked)
    single, half = speeds(where)
    why = f"since products run at {single:,.0f} GFLOP/s in float32 and {half:,.0f} in bfloat16"
    return Hardware(where, "bf16" if half >= FASTER * single else "no", why)


@functools.cache
def speeds(where: str) -> tuple[float, float]:
    """GFLOP/s of a matrix product in float32 and in bfloat16, timed once a process.

    Of several processes the first one's numbers hold for all.
    """
    place, size = PartialState(cpu=where == "cpu").device, SIZES[where]
    matrices = [torch.ones(size, size, device=place, dtype=dtype) for dtype in DTYPES]
    for matrix in matrices:
        seconds_of_product(matrix)  # the first is slower than all others
    best, until = [math.inf] * 2, time.monotonic() + SECONDS
    while math.inf in best or time.monotonic() < until:
        best = [min(b, seconds_of_product(m)) for b, m in zip(best, matrices, strict=True)]
    found = torch.tensor([2 * size**3 / seconds / 1e9 for seconds in best], device=place)
    single, half = broadcast(found).tolist()
    return single, half


def seconds_of_product(matrix: Tensor) -> float:
    """How long a matrix takes to be multiplied by itself."""
    started = time.perf_counter()
    product = matrix @ matrix
    product[0, 0].item()  # a GPU has not finished before its result can be read
    return time.perf_counter() - started


def settle_memory() -> None:
    """Have memory kept that the next step needs, and no other; call before anything is computed.

    Otherwise glibc returns large blocks to the system and asks for them anew, and each of their
    pages costs a fault: some 50,000 a second, a tenth of a step in bfloat16. oneDNN would keep a
    kernel, with its own buffers, for each of the last 1,024 shapes: gigabytes where every batch has
    a different shape.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(KERNELS))
    if platform.libc_ver()[0] == "glibc":
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_MAX, 0)
        mallopt(M_TRIM_THRESHOLD, -1)
        mallopt(M_TOP_PAD, TOP_PAD)


def name_of(where: str) -> str:
    """What the system calls a device."""
    return torch.cuda.get_device_name() if where == "cuda" else processor()


def processor() -> str:
    """The CPU's name as the system tells it."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else []
    return f"{os.cpu_count()} cores of {names[0] if names else platform.processor()}"
