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
    ("model", "tokenization", "files", "wording"),
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


TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def imported(name):
    """Every module that a module names, also inside functions; of our own the innermost."""
    found = set()
    for node in ast.walk(TREES[name]):
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
    found = {name for name in MODULES if f"{name}.".startswith(f"{package}.")}
    assert found, f"there is no {package}"
    return found


def strays(modules, allowed):
    """What modules import of our own that is not allowed them: {module: {import, …}, …}, of those
    that do. allowed: whether a module may name another"""
    ours = {name: IMPORTS[name] & MODULES.keys() for name in modules}
    found = {name: {one for one in named if not allowed(name, one)} for name, named in ours.items()}
    return {name: bad for name, bad in found.items() if bad}


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
    assert importers(other) & inside(package) <= inside(other)


def test_the_core_knows_no_interface():
    assert importers("transformer_core.ui") <= inside("transformer_core.ui")


def test_imports_go_down():
    def goes_down(module, target):
        room, other = room_of(module), room_of(target)
        return other == room or FLOOR_OF[other] < FLOOR_OF[room]

    assert strays(MODULES, goes_down) == {}


def test_a_tab_knows_no_other():
    tabs = inside("transformer_core.ui.tabs")

    def is_its_own(module, target):
        own = ".".join(module.split(".")[:4])  # all of them, for the module that lists them
        return target not in tabs or target in inside(own)

    assert strays(tabs, is_its_own) == {}


@pytest.mark.parametrize("room", ["views", "figures"])
def test_what_draws_knows_results_and_no_models(room):
    addresses = inside("transformer_core.model.trace") | inside("transformer_core.model.heads")
    models = inside("transformer_core.model") - addresses
    loaded = (f"transformer_core.{name}" for name in ("checkpoint", "published", "inference"))
    closed = models.union(*map(inside, loaded))
    drawing = inside(f"transformer_core.ui.{room}")
    assert strays(drawing, lambda _, target: target not in closed) == {}


LOOP = {"train.loop", "train.optimizers", "train.muon", "train.states"}


def test_data_and_the_loop_know_no_command():
    above = inside("train") - inside("train.data") - LOOP
    assert strays(inside("train.data") | LOOP, lambda _, target: target not in above) == {}


def test_what_commands_share_knows_no_command():
    above = inside("train") - inside("train.running") - inside("train.data") - LOOP
    assert strays(inside("train.running"), lambda _, target: target not in above) == {}


def test_only_the_evaluation_looks_a_module_up_by_its_name():
    assert importers("importlib") <= {"train.evaluate"}
    assert importers("train.evaluate") <= {"train.readme", "train.refresh"}


def test_the_model_knows_nothing_of_text():
    model = inside("transformer_core.model")
    assert strays(model, lambda _, target: target in model) == {}


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


def test_nothing_is_unpickled():
    for module in inside("transformer_core"):
        unpickling = {"pickle", "dill", "joblib", "shelve", "marshal", "torch.load"}
        assert not unpickling & IMPORTS[module], module
        for node in ast.walk(TREES[module]):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) != ("torch", "load"), module
