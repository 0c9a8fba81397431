"""Who may import whom."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in ("transformer_core", "train")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
FLOORS = (  # from the bottom; the rooms of one floor do not know each other
    ("model", "tokenization", "files"),
    ("decoding", "checkpoint"),
    ("tasks", "published"),
    ("explain", "inside", "studies", "lab", "inference"),
    ("train",),
    ("ui",),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(module):
    """train, or what stands directly in transformer_core; "" for that package itself."""
    package, _, rest = module.partition(".")
    return package if package == "train" else rest.split(".")[0]


def imported(name):
    """Every module that a module names, also inside functions; of our own the innermost."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            targets = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= targets if targets <= MODULES.keys() else {node.module, *targets}
    return found


IMPORTS = {name: imported(name) for name in MODULES}


def importers(target):
    """Who imports a module or anything in it."""
    return {
        name
        for name, targets in IMPORTS.items()
        if any(f"{imported}.".startswith(f"{target}.") for imported in targets)
    }


def inside(package):
    return {name for name in MODULES if f"{name}.".startswith(f"{package}.")}


@pytest.mark.parametrize(
    "library, home",
    [
        ("tokenizers", "transformer_core.tokenization"),
        ("safetensors", "transformer_core.checkpoint"),
        ("datasets", "train.data.hub"),
        ("gradio", "transformer_core.ui"),
        ("plotly", "transformer_core.ui"),
        ("accelerate", "train"),
    ],
)
def test_a_library_stays_where_it_belongs(library, home):
    assert importers(library) <= inside(home)


def test_only_tables_need_pandas():
    assert importers("pandas") <= inside("transformer_core.ui") | inside("transformer_core.studies")


@pytest.mark.parametrize(
    "package, other", [("transformer_core", "train"), ("train", "transformer_core.ui")]
)
def test_a_package_never_imports_the_other(package, other):
    assert inside(package)
    assert importers(other) & inside(package) <= inside(other)


def test_the_core_knows_no_interface():
    assert importers("transformer_core.ui") <= inside("transformer_core.ui")


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_down(module):
    room = room_of(module)
    others = {room_of(target) for target in IMPORTS[module] & MODULES.keys()} - {room}
    assert {other for other in others if FLOOR_OF[other] >= FLOOR_OF[room]} == set()


@pytest.mark.parametrize("module", sorted(inside("transformer_core.ui.tabs")))
def test_a_tab_knows_no_other(module):
    tabs = inside("transformer_core.ui.tabs")
    own = ".".join(module.split(".")[:4])  # all of them, for the module that lists them
    assert IMPORTS[module] & tabs <= inside(own)


@pytest.mark.parametrize("room", ["views", "figures"])
def test_what_draws_knows_results_and_no_models(room):
    addresses = inside("transformer_core.model.trace") | inside("transformer_core.model.heads")
    models = inside("transformer_core.model") - addresses
    loaded = (f"transformer_core.{name}" for name in ("checkpoint", "published", "inference"))
    closed = models.union(*map(inside, loaded))
    drawing = inside(f"transformer_core.ui.{room}")
    assert drawing
    assert {name: IMPORTS[name] & closed for name in drawing if IMPORTS[name] & closed} == {}


LOOP = {"train.loop", "train.optimizers", "train.muon", "train.states"}


@pytest.mark.parametrize("module", sorted(inside("train.data") | LOOP))
def test_data_and_the_loop_know_no_command(module):
    assert IMPORTS[module] & inside("train") <= inside("train.data") | LOOP


@pytest.mark.parametrize("module", sorted(inside("train.running")))
def test_what_commands_share_knows_no_command(module):
    below = inside("train.running") | inside("train.data") | LOOP
    assert IMPORTS[module] & inside("train") <= below


def test_only_the_evaluation_looks_a_module_up_by_its_name():
    assert importers("importlib") <= {"train.evaluate"}
    assert importers("train.evaluate") <= {"train.readme", "train.refresh"}


@pytest.mark.parametrize("module", sorted(inside("transformer_core.model")))
def test_the_model_knows_nothing_of_text(module):
    assert IMPORTS[module] & MODULES.keys() <= inside("transformer_core.model")


def test_decoding_knows_nothing_of_models():
    search, sampling = "transformer_core.decoding.search", "transformer_core.decoding.sampling"
    assert IMPORTS[search] & MODULES.keys() == set()
    assert IMPORTS[sampling] & MODULES.keys() <= {search}


def test_imports_go_one_way():
    remaining = {name: targets & MODULES.keys() - {name} for name, targets in IMPORTS.items()}
    while leaves := {name for name, targets in remaining.items() if not targets & remaining.keys()}:
        remaining = {name: t for name, t in remaining.items() if name not in leaves}
    assert set(remaining) == set()


def test_inference_is_for_those_outside():
    assert importers("transformer_core.inference") == set()


def test_inference_loads_no_interface_and_no_data_sets():
    code = "import sys, transformer_core.inference; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "torch" in loaded
    assert not {"gradio", "plotly", "pandas", "datasets", "accelerate"} & loaded


@pytest.mark.parametrize("module", sorted(inside("transformer_core")))
def test_nothing_is_unpickled(module):
    assert not {"pickle", "dill", "joblib", "shelve", "marshal"} & IMPORTS[module]
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) != ("torch", "load"), module
    assert "torch.load" not in IMPORTS[module]
