"""What `make bench` runs still finds all that it measures; how fast that is, it says itself."""

import runpy
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_benchmark_can_be_loaded_and_says_what_it_measures(script):
    names = runpy.run_path(str(script), run_name=script.stem)
    assert callable(names["main"]) and names["__doc__"]
