"""Lint the scripts as the page runs them: `shared.js` once, every other view's as a function.

Alone, every function that one file lends another would seem unused.
"""

import json
import subprocess
import sys
from pathlib import Path

ASSETS = Path(__file__).parents[1] / "assets"
# what gradio hands every script, plotly's own name, and those of the page that are used here
KNOWN = [
    "element",
    "props",
    "trigger",
    "watch",
    "Plotly",
    "document",
    "history",
    "innerHeight",
    "innerWidth",
    "devicePixelRatio",
    "matchMedia",
    "getComputedStyle",
    "getSelection",
    "requestAnimationFrame",
    "cancelAnimationFrame",
    "IntersectionObserver",
    "MutationObserver",
    "ResizeObserver",
    "Node",
    "Path2D",
    "XMLSerializer",
]


def numbered(file: Path) -> list[tuple[str, int, str]]:
    """The lines of a script: (its name, number of the line, text)."""
    text = file.read_text(encoding="utf-8").splitlines()
    return [(file.name, number, line) for number, line in enumerate(text, 1)]


def scopes() -> dict[str, list[Path]]:
    """The views' scripts by the view that runs them, its own the last."""
    found: dict[str, list[Path]] = {}
    for file in sorted((ASSETS / "views").glob("*.js"), key=lambda file: file.stem):
        found.setdefault(file.stem.split("_")[0], []).append(file)
    return {
        scope: sorted(members, key=lambda file: file.stem == scope)
        for scope, members in found.items()
    }


def wrapped(members: list[Path]) -> list[tuple[str, int, str]]:
    """Scripts that run in one scope, as a function."""
    lines = [line for file in members for line in numbered(file)]
    return [("", 0, "(() => {"), *lines, ("", 0, "})();")]


def program() -> list[tuple[str, int, str]]:
    """All scripts as one: (file, line in it, text), one for each line of the whole."""
    views = scopes()
    shared = [line for file in views.pop("shared") for line in numbered(file)]
    lines = [line for members in views.values() for line in wrapped(members)]
    return [*numbered(ASSETS / "connection.js"), *shared, *lines]


def as_run() -> list[tuple[str, int, str]]:
    """The same where `shared.js` is in the scope of each: no name may be given anew there."""
    views = scopes()
    shared = views.pop("shared")
    return [line for members in views.values() for line in wrapped([*shared, *members])]


def lint(lines: list[tuple[str, int, str]]) -> tuple[list[tuple[str, str]], list[str]]:
    """What deno's linter finds: (code, where and what), and what it cannot read."""
    told = subprocess.run(
        [Path(sys.executable).with_name("deno"), "lint", "--rules-include=no-undef", "--json", "-"],
        input="\n".join(line for *_, line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(told.stdout)
    findings = []
    for found in report["diagnostics"]:
        name, number, _ = lines[found["range"]["start"]["line"] - 1]
        if not (found["code"] == "no-undef" and found["message"].split()[0] in KNOWN):
            where = f"{name}:{number}: {found['code']}: {found['message']}"
            findings.append((found["code"], where))
    return findings, [error["message"] for error in report["errors"]]


def main() -> None:
    """Print what is found, one line each, and exit with 1 if that is anything."""
    findings, errors = lint(program())
    again, _ = lint(as_run())
    lines = [where for _, where in findings]
    lines += [where for code, where in again if code == "no-redeclare"]
    for line in [*lines, *errors]:
        print(line)
    sys.exit(bool(lines or errors))


if __name__ == "__main__":
    main()
