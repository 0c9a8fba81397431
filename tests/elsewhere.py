"""The tests without a browser on other processors (`make test-elsewhere`), to set tolerances by.

The order in which a sum is taken follows the widest registers that a processor has, so the last
digits differ from one to the next. Here PyTorch's own kernels, oneDNN and MKL are told to use less
than there is. What is given on the command line goes to pytest.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

# by what PyTorch calls the processor, from the narrowest on
PROCESSORS = {
    "DEFAULT": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_CBWR": "COMPATIBLE",
    },
    "AVX2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
    "AVX512": {
        "ATEN_CPU_CAPABILITY": "avx512",
        "ONEDNN_MAX_CPU_ISA": "AVX512_CORE",
        "MKL_ENABLE_INSTRUCTIONS": "AVX512",
    },
}
PYTEST = ["-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "--ignore=tests/browser"]
CAPABILITY = "import torch; print(torch.backends.cpu.get_cpu_capability())"


def capability(wishes: dict[str, str]) -> str:
    """What PyTorch takes the processor for in a process with these environment variables."""
    answer = subprocess.run(
        [sys.executable, "-c", CAPABILITY],
        env={**os.environ, **wishes},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    return answer.stdout.strip()


def main(arguments: list[str]) -> int:
    """Run the tests once a processor; 1 if any run failed or was not what it says."""
    for name in {name for wishes in PROCESSORS.values() for name in wishes}:
        os.environ.pop(name, None)
    widest = list(PROCESSORS).index(here) if (here := capability({})) in PROCESSORS else 0
    said = [f"this processor: {here}"]
    failed = False
    for place, (name, wishes) in enumerate(PROCESSORS.items()):
        # PyTorch does not ask whether the processor can do it: the process would be killed
        if place > widest:
            said.append(f"{name}: not run, this processor cannot do it")
            continue
        if (found := capability(wishes)) != name:
            failed = True
            said.append(f"{name}: not run, PyTorch goes on with {found}")
            continue
        settings = " ".join(f"{key}={value}" for key, value in wishes.items())
        print(f"\n{name}: {settings}", flush=True)
        start = time.monotonic()
        code = subprocess.run(
            [sys.executable, *PYTEST, *arguments],
            cwd=Path(__file__).parents[1],
            env={**os.environ, **wishes},
        ).returncode
        failed |= code != 0
        took = f"{time.monotonic() - start:.0f} s"
        said.append(f"{name}: {'passed' if code == 0 else f'FAILED ({code})'}, {took}, {settings}")
    print("\n" + "\n".join(said))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
