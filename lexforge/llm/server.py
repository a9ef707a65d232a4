"""Talking to a llama-server: HTTP over a UNIX socket, loopback or a private address, and its errors as ours.

The endpoints are those of llama.cpp's `tools/server/README.md`. No proxy, no environment setting and no redirect is
ever followed, so the only address that can be reached is the one that was named.
"""

from __future__ import annotations

import ipaddress
from typing import Any, Literal

import httpx

from lexforge.errors import AnswerError, ConnectionRefused, SeatUnavailable

LONGEST_ANSWER = 3600.0
"""Seconds a server may work on one answer: reading 128k tokens takes minutes on old cards, and a queue adds to it."""

LONGEST_GLANCE = 30.0
"""Seconds a server may take to say what it is: it does so at once, but `/slots` waits for the batch under way."""

_CONNECTING = 5.0
_CONNECTIONS = httpx.Limits(keepalive_expiry=2.0)  # llama-server hangs up after 5 s; a request must not meet that

Health = Literal["ok", "loading", "down"]


def is_here(endpoint: str) -> bool:
    """Whether an endpoint is on this machine, so that its files can be looked at."""
    return endpoint.startswith("unix:") or ipaddress.ip_address(endpoint.rpartition(":")[0].strip("[]")).is_loopback


class ServerClient:
    """One server at `endpoint` (`unix:/path` or `host:port`); may be used by several threads."""

    def __init__(self, endpoint: str, seat: str = "seat") -> None:
        self.endpoint = endpoint
        self._seat = seat
        path = endpoint.removeprefix("unix:") if endpoint.startswith("unix:") else None
        self._http = httpx.Client(
            transport=httpx.HTTPTransport(uds=path, retries=0, limits=_CONNECTIONS),
            base_url="http://localhost" if path else f"http://{endpoint}",
            trust_env=False,
            follow_redirects=False,
        )

    def get(self, path: str) -> Any:
        """The JSON at `path`; SeatUnavailable `down` or `loading`, AnswerError for anything else."""
        return self._asked("GET", path, None, LONGEST_GLANCE)

    def post(self, path: str, body: dict[str, Any], timeout: float = LONGEST_ANSWER) -> dict[str, Any]:
        """The JSON answer to `body` within `timeout` seconds; errors as for `get`, and `context_too_small`."""
        found = self._asked("POST", path, body, timeout)
        if not isinstance(found, dict):
            raise self._stranger("what it says is no JSON object")
        return found

    def health(self) -> Health:
        """`loading` while the model is read, `down` when nobody answers; other errors as for `get`."""
        try:
            self.get("/health")
        except SeatUnavailable as error:
            if error.code not in ("loading", "down"):
                raise
            return "loading" if error.code == "loading" else "down"
        return "ok"

    def close(self) -> None:
        """Close the connections; a request that is under way fails as `down`."""
        self._http.close()

    def _asked(self, method: str, path: str, body: dict[str, Any] | None, timeout: float) -> Any:
        try:
            response = self._http.request(method, path, json=body, timeout=httpx.Timeout(timeout, connect=_CONNECTING))
        except ConnectionRefused as error:
            raise SeatUnavailable(
                "address_not_permitted",
                f"The {self._seat} is at {self.endpoint}, which this machine may not connect to: {error.message}",
                "List it under `endpoints` in lexforge.toml if it is a machine of yours on a private network.",
            ) from None
        except (httpx.HTTPError, OSError, RuntimeError) as error:  # RuntimeError: closed while it was waiting
            raise self._down(str(error) or type(error).__name__) from None
        if response.status_code == httpx.codes.OK:
            return self._json(response)
        raise self._failure(response)

    def _json(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise self._stranger("it does not speak JSON") from None

    def _stranger(self, why: str) -> AnswerError:
        return AnswerError(
            f"What answers at {self.endpoint} is no llama-server: {why}.", "Correct `endpoint` in the board file."
        )

    def _down(self, detail: str) -> SeatUnavailable:
        return SeatUnavailable(
            "down",
            f"The {self._seat} does not answer at {self.endpoint}: {detail}.",
            "Start it with `lexforge boards up`; finished steps are kept, and the same command goes on from here.",
        )

    def _failure(self, response: httpx.Response) -> SeatUnavailable | AnswerError:
        error = _error_of(response)
        message, kind = str(error.get("message", response.reason_phrase)), error.get("type", "")
        if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            return SeatUnavailable("loading", f"The {self._seat} is still loading its model.", "Wait a little.")
        if kind == "exceed_context_size_error":
            needed, has = error.get("n_prompt_tokens"), error.get("n_ctx")
            return SeatUnavailable(
                "context_too_small",
                f"The {self._seat} was given {needed} tokens to read; one slot has room for {has}.",
                "Give the seat a larger `context` in its board file.",
            )
        return AnswerError(
            f"The {self._seat} refused the request ({response.status_code}): {message}.",
            "The server's build may be older than this needs; `lexforge boards status` shows it.",
        )


def _error_of(response: httpx.Response) -> dict[str, Any]:
    try:
        found = response.json().get("error", {})
    except (ValueError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {"message": str(found)}
