"""Something that stands between LexForge and a server and changes what passes, as gateways do; for tests."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


class Gone(Exception):
    """Raised by a change: the connection ends there, as when the server dies."""


class Proxy:
    """Passes everything on to `upstream`, an endpoint that may be changed at any time; "" drops every connection.

    `request` is given path and body and gives the body that is passed on, `reply` likewise for what comes back; None
    as a body stands for a GET. `asked` holds the paths that were passed on.
    """

    def __init__(self, upstream: str) -> None:
        self.reset(upstream)
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def reset(self, upstream: str) -> None:
        """Nothing is changed any more, and nothing was asked."""
        self.upstream = upstream
        self.request: Callable[[str, Body], Body] = lambda _, body: body
        self.reply: Callable[[str, Any], Any] = lambda _, reply: reply
        self.asked: list[str] = []

    @property
    def endpoint(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def chats(self) -> int:
        """How many answers were asked for."""
        return self.asked.count("/v1/chat/completions")

    def pass_on(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of what the server, or a change, answers."""
        if not self.upstream:
            raise Gone
        if body:
            body = json.dumps(self.request(path, json.loads(body))).encode()
        self.asked.append(path)
        upstream = _Connection(self.upstream)
        try:
            upstream.request(method, path, body or None, {"Content-Type": "application/json"})
            response = upstream.getresponse()
            told = response.read()
        finally:
            upstream.close()
        if response.status != http.client.OK:
            return response.status, told
        return response.status, json.dumps(self.reply(path, json.loads(told))).encode()

    @contextmanager
    def serving(self) -> Iterator[Proxy]:
        """Itself, until the context ends."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            status, told = self.proxy.pass_on(self.command, self.path, body)
        except (Gone, OSError, http.client.HTTPException):
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


class _Connection(http.client.HTTPConnection):
    """To a loopback port or a UNIX socket."""

    def __init__(self, endpoint: str) -> None:
        self._path = endpoint.removeprefix("unix:") if endpoint.startswith("unix:") else ""
        super().__init__("localhost" if self._path else endpoint)

    def connect(self) -> None:
        if not self._path:
            super().connect()
            return
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)
