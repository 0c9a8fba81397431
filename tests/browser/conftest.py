"""The real app in a subprocess, and Chromium to use it as a visitor would."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WATCH = Path(__file__).with_name("watch.js")  # what `visitor` waits by
# the shell has no windows to draw: a page costs a third less than in Chromium itself
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
LOCAL = ("http://127.0.0.1", "data:", "blob:")


def pytest_collection_modifyitems(items):
    """Without a browser these tests are skipped, each saying so, or none runs at all."""
    if not CHROMIUM and os.environ.get("REQUIRE_BROWSER"):
        pytest.exit("no Chromium, and REQUIRE_BROWSER is set", returncode=1)
    if not CHROMIUM:
        reason = "NO CHROMIUM ON THIS MACHINE: the browser tests did not run (set CHROMIUM=path)"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test fails whose pages logged an error, or asked for anything but the app."""
    result = yield
    problems = getattr(item.funcargs.get("open_page"), "problems", ())
    assert not problems, "\n".join(problems)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With a failure stands what its pages were still waiting for."""
    report = yield
    pages = getattr(item.funcargs.get("open_page"), "pages", ())
    if report.when == "call" and report.failed:
        said = "\n".join(f"{page.url}: {under_way(page)}" for page in pages)
        report.sections.append(("What was under way", said))
    return report


def under_way(page) -> str:
    """What a page waits for; of one that is closed or never came, that it is."""
    try:
        return str(page.locator("html").evaluate("() => watch.state()", timeout=5_000))
    except Exception as error:
        return repr(error)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url: str) -> bool:
    try:
        return urllib.request.urlopen(url, timeout=2).status == 200
    except OSError:
        return False


@contextmanager
def running(folder: Path, port: int):
    """`python app.py` at a port: its process, and the file that it logs to."""
    log = folder / "log"
    environment = {
        **os.environ,
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(folder / "files"),
    }
    with log.open("w") as file:
        app = subprocess.Popen(
            [sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=file, stderr=file
        )
    try:
        yield app, log
    finally:
        app.terminate()
        try:
            app.wait(60)
        except subprocess.TimeoutExpired:  # it must not outlive the tests
            app.kill()
            app.wait()
            raise


def started(app, url: str) -> bool:
    """Wait until an app answers; False if it ended before, or takes too long."""
    deadline = time.monotonic() + 120
    while app.poll() is None and time.monotonic() < deadline:
        if answers(url):
            return True
        time.sleep(0.2)
    return False


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of `python app.py`; fails afterwards if the app logged a traceback."""
    for _ in range(3):  # others may have taken its port before it is ready to listen
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        with running(tmp_path_factory.mktemp("app"), port) as (app, log):
            if started(app, url):
                yield url
                assert "Traceback" not in log.read_text(), log.read_text()[-3000:]
                return
    pytest.fail("the app did not start:\n" + log.read_text()[-3000:])


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
    with playwright.sync_playwright() as api:
        chromium = api.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            ],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def shared_context(browser):
    """For the first page of every test: what the app serves it is fetched and compiled once."""
    context = new_context(browser)
    yield context
    context.close()


def new_context(browser):
    context = browser.new_context(locale="en-US", reduced_motion="reduce", accept_downloads=True)
    context.set_default_timeout(60_000)
    context.add_init_script(path=WATCH)
    return context


@pytest.fixture
def open_page(browser, shared_context, server):
    """open_page(path, width, scheme, motion): a page of a new visitor, watched for errors and
    requests; script runs before what the page itself runs."""
    pages, problems = [], []

    def visit(path="/", width=1280, height=900, scheme="light", motion="reduce", script=None):
        # pages of one context have six connections between them, and each keeps two of them
        page = (new_context(browser) if pages else shared_context).new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion=motion)
        page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
        page.on(
            "console",
            lambda line: problems.append(f"console: {line.text}") if line.type == "error" else None,
        )
        page.on(
            "request",
            lambda request: (
                problems.append(f"request: {request.url}")
                if not request.url.startswith(LOCAL)
                else None
            ),
        )
        if script:
            page.add_init_script(script=script)
        page.goto(server + path)
        return page

    visit.pages, visit.problems = pages, problems
    yield visit
    for page in pages[1:]:
        page.context.close()
    for page in shared_context.pages:  # the next visitor has never been here and allowed nothing
        with suppress(Exception):  # of a page that crashed, or that is none of the app
            page.evaluate("localStorage.clear()")
        page.close()
    shared_context.clear_permissions()
