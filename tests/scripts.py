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


def program() -> list[tuple[str, int, str]]:
    """All scripts as one: (file, line in it, text), one for each line of the whole."""
    lines = numbered(ASSETS / "connection.js")
    files = sorted(
        (ASSETS / "views").glob("*.js"), key=lambda file: (file.stem != "shared", file.stem)
    )
    scopes = {}
    for file in files:
        scopes.setdefault(file.stem.split("_")[0], []).append(file)
    for scope, members in scopes.items():
        lines += [] if scope == "shared" else [("", 0, "(() => {")]
        for file in sorted(members, key=lambda file: file.stem == scope):
            lines += numbered(file)
        lines += [] if scope == "shared" else [("", 0, "})();")]
    return lines


def main() -> None:
    """Print what deno's linter finds, one line each, and exit with 1 if that is anything."""
    lines = program()
    told = subprocess.run(
        [Path(sys.executable).with_name("deno"), "lint", "--rules-include=no-undef", "--json", "-"],
        input="\n".join(line for *_, line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(told.stdout)
    findings = [
        found
        for found in report["diagnostics"]
        if not (found["code"] == "no-undef" and found["message"].split()[0] in KNOWN)
    ]
    for found in findings:
        name, number, _ = lines[found["range"]["start"]["line"] - 1]
        print(f"{name}:{number}: {found['code']}: {found['message']}")
    for error in report["errors"]:
        print(error["message"])
    sys.exit(bool(findings or report["errors"]))


if __name__ == "__main__":
    main()
