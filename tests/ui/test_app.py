import functools
import itertools
import json
import logging
import re
import shutil
from collections import Counter
from pathlib import Path
from types import FunctionType

import gradio as gr
import httpx
import pytest
from shipped import CHECKPOINTS
from tiny import TEXT, tiny_translator, write_tinies, write_tiny

from train.loop import fit_on_cpu
from transformer_core.inference import Models, classify, generate, translate
from transformer_core.ui.app import LAUNCH, build_app, tab_id
from transformer_core.ui.harden import HEADERS, UNUSED_ROUTES
from transformer_core.ui.page import KEPT_FOR
from transformer_core.ui.tabs import TABS

# seconds: more than any answer takes beside whatever else computes
get, post, stream = (
    functools.partial(call, timeout=60) for call in (httpx.get, httpx.post, httpx.stream)
)

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
API = "/gradio_api"
FILES = ("assets", "static", "svelte")
# what gradio answers here: pages and their files, events of a page, and calls of programs; of the
# rest that nobody is known, no run is kept, and no component is anybody's own
OPEN = {
    *("", "/config", "/theme.css", f"{API}/theme.css", f"{API}/app_id", f"{API}/startup-events"),
    *(f"/{folder}/{{path:path}}" for folder in FILES),
    *("/favicon.ico", "/manifest.json", "/pwa_icon", "/pwa_icon/{size}", "/robots.txt"),
    *(f"{API}/file/{{path:path}}", f"{API}/file={{path_or_url:path}}"),  # of its own cache alone
    *(f"{API}/queue/join", f"{API}/queue/data", f"{API}/queue/status"),
    *(f"{API}/heartbeat/{{session_hash}}", f"{API}/cancel", f"{API}/reset"),
    *(f"{API}/info", f"{API}/openapi.json", f"{API}/run/{{api_name}}", f"{API}/api/{{api_name}}"),
    *(f"{API}/call/{version}{{api_name}}" for version in ("", "v2/")),
    *(f"{API}/call/{version}{{api_name}}/{{event_id}}" for version in ("", "v2/")),
    *("/login", "/logout", f"{API}/login_check", f"{API}/token", f"{API}/user"),
    *(f"{API}/runs", f"{API}/dev/reload"),
    f"{API}/custom_component/{{id}}/{{environment}}/{{type}}/{{file_name}}",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoints folder with tiny random models."""
    return write_tinies(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(scope="module")
def demo(folder):
    """The app around tiny random models."""
    return build_app(Models(folder), fit_on_cpu)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """The app without any model."""
    return build_app(Models(tmp_path_factory.mktemp("empty") / "nothing here"), fit_on_cpu)


@pytest.fixture(scope="module")
def published():
    """The app around the models that are there."""
    return build_app(Models(CHECKPOINTS), fit_on_cpu)


@pytest.fixture(scope="module")
def served(demo):
    """The address of the app around tiny models, with the settings of the real one."""
    quiet = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    _, url, _ = demo.launch(**LAUNCH, **quiet)
    yield url.rstrip("/")
    demo.close()


def ask(url: str, arguments, name: str = "generate") -> list:
    """Post to an endpoint as any program may, and return its (event, data) pairs."""
    body = arguments if isinstance(arguments, str) else json.dumps({"data": arguments})
    base = f"{url}/gradio_api/call/{name}"
    headers = {"content-type": "application/json"}
    event = post(base, content=body, headers=headers).json()["event_id"]
    lines = get(f"{base}/{event}").text.split("\n\n")
    pairs = [line.split("\n", 1) for line in lines if line.strip()]
    return [(kind[7:], json.loads(data[6:])) for kind, data in pairs]


def tabs_of(demo) -> list[str]:
    return [block.label for block in demo.blocks.values() if type(block).__name__ == "Tab"]


def test_no_two_handlers_of_one_trigger_wait_for_each_other(published):
    # with the models that are there: see events.after_any
    waiting = Counter()
    for one in published.fns.values():
        if one.fn is not None and one.trigger_mode == "always_last":
            waiting.update(target for target in one.targets if target[0] is not None)
    assert waiting, "there are such handlers"
    assert {target: n for target, n in waiting.items() if n > 1} == {}


def test_what_follows_a_review_has_one_listener(published):
    def follows(listener):
        while listener.trigger_after is not None:
            listener = published.fns[listener.trigger_after]
        return any(happening == "change" for _, happening in listener.targets)

    writers = Counter(
        output.elem_id
        for listener in published.fns.values()
        if listener.fn is not None and follows(listener)
        for output in listener.outputs
    )
    # of two that write one view the older answer could come last, and stay
    views = ("verdict", "sentiment-flow", "words", "review-heads", "review-switches")
    assert {view: writers[view] for view in views} == dict.fromkeys(views, 1)


def test_a_number_beyond_its_limits_reaches_the_handler_that_names_them(demo):
    # gradio's own refusal would stop every event that is given all settings, as a new place is
    numbers = [b for b in demo.blocks.values() if isinstance(b, gr.Number | gr.Slider)]
    assert len(numbers) > 10
    for block in numbers:
        for typed in (-1e9, 1e9, None):
            block.preprocess(typed)


def test_every_tab_is_built_around_a_model_and_without_one(demo, empty):
    titles = [tab.TITLE for tab in TABS]
    for app in (demo, empty):
        assert titles == [label for label in tabs_of(app) if label in titles]


def test_every_tab_is_built_whatever_file_is_damaged(folder, tmp_path):
    shutil.copytree(folder, damaged := tmp_path / "checkpoints")
    study = damaged / "ablations" / "translation"
    write_tiny(study / "full", tiny_translator())
    (study / "full" / "tokenizer.json").rename(study / "tokenizer.json")
    for name in ("run.json", "scores.json", "README.md"):
        (damaged / "sentiment" / name).write_text('---\n## Data\n[{"minutes": 1.0}]\n## Scores')
    (damaged / "shakespeare" / "run.json").write_text('[{"minutes": 1.0')
    files = sorted(path for path in damaged.rglob("*.*") if path.is_file())
    tasks = ("shakespeare", "sentiment", "translation")
    of_task = [[path for path in files if task in path.parts] for task in tasks]
    assert sorted(itertools.chain(*of_task)) == files
    for paths in itertools.zip_longest(*of_task):  # one damage could hide another of its task
        whole = {path: path.read_bytes() for path in paths if path}
        for path, content in whole.items():
            path.write_bytes(content[: len(content) // 2])
        labels = tabs_of(build_app(Models(damaged), fit_on_cpu))
        assert {tab.TITLE for tab in TABS} <= set(labels), list(whole)
        for path, content in whole.items():
            path.write_bytes(content)


def test_a_page_is_told_numbers_and_texts_alone(demo):
    """gradio copies whatever it tells a page for each visitor, with all that hangs on it."""

    def forgets(value):  # what is done when a visitor leaves, which json cannot say
        assert isinstance(value, FunctionType), value
        return ""

    json.dumps(demo.get_config_file(), default=forgets)


def test_the_page_and_the_server_forget_a_visitor_after_the_same_time():
    script = (ROOT / "assets" / "connection.js").read_text(encoding="utf-8")
    (kept,) = re.findall(r"const KEPT = ([\d_]+);", script)
    assert int(kept) == 1000 * KEPT_FOR


def test_a_missing_model_is_a_sentence_with_the_command(empty):
    said = [block.value for block in empty.blocks.values() if type(block).__name__ == "Markdown"]
    for script in ("shakespeare", "translation", "sentiment"):
        assert any(f"python -m train.{script}" in str(text) for text in said)


def test_tab_names_in_addresses_are_distinct():
    assert len({tab_id(tab) for tab in TABS}) == len(TABS)


def test_generate_streams_what_python_returns(served, folder, monkeypatch):
    monkeypatch.setattr("transformer_core.ui.events.SECONDS_PER_UPDATE", 0)
    events = ask(served, ["All:\n", 30, 0.8, 0, 1.0, 5])
    expected = "".join(generate(Models(folder).language_model, "All:\n", 30, 0.8, seed=5))
    assert events[-1] == ("complete", [expected])
    partial = [data[0] for kind, data in events if kind == "generating" and data[0]]
    assert len(partial) > 3 and all(expected.startswith(text) for text in partial)
    assert sorted(set(map(len, partial))) == [*map(len, partial)], "each says more"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["a" * 100_000, 20, 0.8, 0, 1.0, 1], "at most 20,000 fit"),
        (["日本語 🎭", 20, 0.8, 0, 1.0, 1], "not: 日 本 語 🎭"),
        (["<img src=x>", 20, 0.8, 0, 1.0, 1], "not: &lt;"),
        ([None, 20, 0.8, 0, 1.0, 1], "must be text"),
        (["All", 0, 0.8, 0, 1.0, 1], "length must be"),
        (["All", "many", 0.8, 0, 1.0, 1], "length must be"),
        (["All", 20, "hot", 0, 1.0, 1], "temperature must be"),
        (["All", 20, 0.8, 0, 7, 1], "Top-p must be"),
        (["All", 20, 0.8, 0, 1.0, -3], "seed must be"),
        ('{"data": ["All", 20, NaN, 0, 1.0, 1]}', "temperature must be"),
        ('{"data": ["All", 20, 0.8, 0, Infinity, 1]}', "Top-p must be"),
    ],
)
def test_bad_input_gets_a_sentence(served, arguments, sentence):
    (event, data), *_ = ask(served, arguments)
    assert event == "error" and sentence in data["error"]


def test_the_http_calls_that_the_readme_shows_run(served, capsys):
    (code,) = re.findall(r"```python\n(from gradio_client.*?)```", README, re.DOTALL)
    # the tiny model knows the letters of its own text alone
    exec(code.replace("http://127.0.0.1:7860", served).replace("ROMEO:", "All:"), {})
    said = capsys.readouterr().out
    translated, written = re.fullmatch(r"(.+)\n\{'label': '.+\}\n(.+)\n", said, re.DOTALL).groups()
    assert translated.strip() and len(written) >= 200


def test_translate_returns_what_python_returns(served, folder):
    text = "Speak to all of them. Hear me!"
    expected = translate(Models(folder).translator, text, 3).text
    assert ask(served, [text, 3], "translate")[-1] == ("complete", [expected])


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["", 4], "nothing to translate"),
        (["speak " * 5_000, 4], "at most 3,000"),
        (["日本語日本語", 4], "and not: 日 本 語"),
        ([["a"], 4], "must be text"),
        (["Speak", 0], "beam size must be"),
        (["Speak", "four"], "beam size must be"),
        ('{"data": ["Speak", NaN]}', "beam size must be"),
    ],
)
def test_what_cannot_be_translated_gets_a_sentence(served, arguments, sentence):
    (event, data), *_ = ask(served, arguments, "translate")
    assert event == "error" and sentence in data["error"]


def test_classify_returns_what_python_returns(served, folder):
    found = classify(Models(folder).classifier, "Speak to all of them!")
    event, (answer,) = ask(served, ["Speak to all of them!"], "classify")[-1]
    assert event == "complete" and answer["label"] == found.label
    assert answer["probabilities"] == pytest.approx(found.probabilities)


@pytest.mark.parametrize("text", ["a", "日本語", "<b>${1}</b>", "<s>[CLS]", "speak " * 16_000])
def test_odd_reviews_are_answered(served, text):
    event, (answer,) = ask(served, [text], "classify")[-1]
    assert event == "complete" and sum(answer["probabilities"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "text, sentence",
    [("", "Type a review"), (["a"], "Type a review"), ("a" * 100_001, "at most 100,000 fit")],
)
def test_what_cannot_be_classified_gets_a_sentence(served, text, sentence):
    (event, data), *_ = ask(served, [text], "classify")
    assert event == "error" and sentence in data["error"]


@pytest.mark.parametrize("settings", [(0, 0, 1.0), (1.0, 1, 1.0), (1.0, 0, 0.0)])
def test_no_temperature_one_candidate_and_no_mass_all_take_the_best(served, settings):
    best = ask(served, [TEXT[:20], 15, 0.0, 0, 1.0, 1])[-1]
    assert ask(served, [TEXT[:20], 15, *settings, 9])[-1] == best


def test_an_empty_prompt_is_answered(served):
    event, (text,) = ask(served, ["", 12, 0.8, 0, 1.0, 1])[-1]
    assert event == "complete" and len(text) == 12


def paths_of(router) -> set[str]:
    """Of all routes that gradio has; what is variable in them stands in braces."""
    found = set()
    for route in router.routes:
        included = getattr(route, "original_router", None)  # older fastapis copy its routes
        found |= paths_of(included) if included else {route.path}
    return found


def is_closed(path: str) -> bool:
    return path.startswith(UNUSED_ROUTES)


def test_unused_routes_are_closed(served, demo):
    for path in filter(is_closed, paths_of(demo.app)):
        url = served + re.sub(r"\{.*?\}", "1", path)
        for answer in (get(url), post(url)):  # gradio's own would be JSON
            assert (answer.status_code, answer.text) == (404, "Not Found"), path


@pytest.mark.parametrize("prefix", UNUSED_ROUTES)
def test_what_is_closed_is_there(served, demo, prefix):
    assert any(path.startswith(prefix) for path in paths_of(demo.app)), "gradio has renamed it"


def test_what_is_open_is_known(served, demo):
    """A route that a new gradio brings is either used here or closed."""
    assert {path.rstrip("/") for path in paths_of(demo.app) if not is_closed(path)} == OPEN


def test_pages_allow_nothing_foreign(served):
    found = get(served + "/").headers
    assert {name: found[name] for name in HEADERS} == HEADERS
    policy = found["content-security-policy"]
    assert "default-src 'self'" in policy and "object-src 'none'" in policy


def test_what_is_named_by_its_content_is_kept_and_nothing_else(served):
    page = get(served + "/")
    name = re.search(r"assets/index-[\w-]+\.js", page.text)[0]
    assert "immutable" in get(f"{served}/{name}").headers["cache-control"]
    absent = get(f"{served}/assets/none.js")
    assert absent.status_code == 404
    assert all("immutable" not in one.headers.get("cache-control", "") for one in (page, absent))


@pytest.mark.parametrize("content", [b"x" * 600_000, iter([b"x" * 600_000])])
def test_large_bodies_are_refused_announced_or_not(served, content):
    response = post(f"{served}/gradio_api/call/generate", content=content)
    assert response.status_code == 413


@pytest.fixture
def server_log(monkeypatch, caplog):
    """What the server logs; of an error that nobody handles that is a traceback."""
    monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)
    return caplog


@pytest.mark.parametrize(
    "route, body, place",
    [
        ("v2/generate", {}, ["body", "prompt"]),
        ("v2/generate", {"prompt": "All", "nope": 1}, ["body", "nope"]),
        ("v2/translate", {}, ["body", "text"]),
        ("v2/translate/", {"beam_size": 2}, ["body", "text"]),
        ("v2/translate", {"text": "Speak", "<b>": 2}, ["body", "<b>"]),
        ("v2/classify", {"data": ["Speak"]}, ["body", "review"]),
        ("generate", {"data": []}, ["body", "data", "prompt"]),
        ("translate", {"data": ["Speak"]}, ["body", "data", "beam_size"]),
        ("classify", {"data": ["Speak", 2]}, ["body", "data", 1]),
    ],
)
def test_arguments_that_do_not_fit_are_named(served, server_log, route, body, place):
    response = post(f"{served}/gradio_api/call/{route}", json=body)
    assert response.status_code == 422
    assert place in [problem["loc"] for problem in response.json()["detail"]]
    assert "Traceback" not in server_log.text


@pytest.mark.parametrize("body", [b"", b"not json", b"\xff", b"[" * 100_000, b"null", b"[1]", b"{"])
@pytest.mark.parametrize("route", ["translate", "v2/translate"])
def test_what_is_no_call_at_all_is_refused(served, server_log, route, body):
    headers = {"content-type": "application/json"}
    response = post(f"{served}/gradio_api/call/{route}", content=body, headers=headers)
    assert response.status_code in (400, 422)
    assert "Traceback" not in server_log.text


@pytest.mark.parametrize("name", ["nothing", "0", "%3Cb%3E", "pick_sentence", "v2/nothing"])
def test_what_is_no_public_endpoint_is_not_found(served, server_log, name):
    response = post(f"{served}/gradio_api/call/{name}", json={"data": []})
    assert response.status_code == 404
    assert "Traceback" not in server_log.text


def test_arguments_by_name_are_those_in_order(served):
    named = ask(served, json.dumps({"text": "Speak to all."}), "v2/translate")
    assert named[-1] == ask(served, ["Speak to all.", 4], "translate")[-1]
    assert named[-1][0] == "complete"


def test_the_page_is_sent_compressed(served):
    with stream("GET", served + "/") as response:
        sent = sum(map(len, response.iter_raw()))
    assert response.headers["content-encoding"] == "gzip" and sent < 250_000
    assert len(get(served + "/").text) > 2 * sent
