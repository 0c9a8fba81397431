"""What a public page should refuse: routes that this app does not use, and foreign content."""

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from transformer_core.ui.calls import CheckCalls

MAX_BODY = 512_000  # bytes of one request; the longest text a visitor may send is far below

UNUSED_ROUTES = (
    "/gradio_api/upload",
    "/gradio_api/process_recording",
    "/gradio_api/proxy=",
    "/gradio_api/vibe",
    "/gradio_api/undo-vibe",
    "/gradio_api/deep_link",
    "/gradio_api/stream/",
    "/gradio_api/component_server",
    "/monitoring",
)

HEADERS = {
    # eval is what gr.HTML compiles its templates with; everything else stays on this host
    "content-security-policy": "; ".join(
        [
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'none'",
            "frame-ancestors 'self' https://huggingface.co https://*.hf.space",
        ]
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}

# gradio's own files, whose names change with their content: without this a browser asks at a later
# visit whether its copies, some eighty, still hold
HASHED = "/assets/"
FOREVER = {"cache-control": "public, max-age=31536000, immutable"}


class Harden:
    """ASGI middleware: 404 on unused routes, 413 on large bodies, headers on everything else."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"].startswith(UNUSED_ROUTES):
            await refuse(send, 404, b"Not Found")
        elif body_size(scope) > MAX_BODY:  # fastapi's own limit is missing from older versions
            await refuse(send, 413, b"Content Too Large")
        else:
            await self.app(scope, receive, with_headers(send, scope["path"].startswith(HASHED)))


def body_size(scope: Scope) -> float:
    """Bytes that a request announces; infinite if that cannot be told, as of a chunked body."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return float("inf")
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else float("inf")


async def refuse(send: Send, status: int, body: bytes) -> None:
    """Answer without asking the app."""
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})


def with_headers(send: Send, hashed: bool) -> Send:
    """Add HEADERS to whatever response is sent, and FOREVER to a file whose name is a hash."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = {**HEADERS, **(FOREVER if hashed and message["status"] == 200 else {})}
            extra = [(name.encode(), value.encode()) for name, value in said.items()]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return send_with_headers


def app_kwargs() -> dict:
    """For `launch(app_kwargs=…)`."""
    return {
        "docs_url": None,
        "redoc_url": None,
        "openapi_url": None,
        "max_body_size": MAX_BODY,
        # the page itself is 0.7 MB, most of it scripts, and plotly 4.6; event streams are left as
        # they are. Level 4 takes less than half of level 9's time for 5 % more bytes
        "middleware": [
            Middleware(Harden),
            Middleware(GZipMiddleware, minimum_size=10_000, compresslevel=4),
            Middleware(CheckCalls),
        ],
    }
