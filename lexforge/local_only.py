"""Nothing leaves the machine: tracing off, and connections refused except to listed endpoints.

The audit hook (PEP 578) sees every connection that Python code makes, the standard library's included, and cannot be
removed once installed. It does not see connections made by C code through its own system calls or by a child process;
engines that run as children install it themselves.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lexforge.errors import ConnectionRefused

TRACING_VARIABLES = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
)
"""All four spellings are set to `false`: with one of them true and another false, runs are still posted."""

_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


@dataclass(frozen=True)
class Endpoint:
    """An address a seat may be reached at; loopback or private only."""

    host: str
    port: int


@dataclass
class _Guard:
    """What is allowed, and what was refused, in this process."""

    installed: bool = False
    allowed: set[Endpoint] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)


_guard = _Guard()


def force_tracing_off() -> None:
    """Set every tracing variable to false; call before langgraph is imported."""
    for name in TRACING_VARIABLES:
        os.environ[name] = "false"


def parse_endpoint(text: str) -> Endpoint:
    """`"127.0.0.1:8080"` or `"[::1]:8080"` as an endpoint; ValueError unless loopback or private."""
    host, _, port = text.rpartition(":")
    address = ipaddress.ip_address(host.strip("[]"))
    if not (address.is_loopback or address.is_private) or address.is_unspecified:
        raise ValueError(f"{text} is not a loopback or private address")
    if not 1 <= int(port) <= 65535:
        raise ValueError(f"{port} is not a port")
    return Endpoint(str(address), int(port))


def install(endpoints: Iterable[Endpoint] = ()) -> None:
    """Refuse, from now on and in this process, every connection except to `endpoints` and UNIX sockets."""
    _guard.allowed.update(endpoints)
    if not _guard.installed:
        sys.addaudithook(_audit)
        _guard.installed = True


def is_installed() -> bool:
    """Whether connections are refused in this process."""
    return _guard.installed


def refused() -> tuple[str, ...]:
    """The addresses that something in this process tried to reach and could not."""
    return tuple(_guard.refused)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in _CONNECTING:
        _check_address(args[1])
    elif event in _RESOLVING:
        _check_name(args[0])


def _check_address(address: object) -> None:
    if not isinstance(address, tuple):  # a path: AF_UNIX never leaves the machine; None: already connected
        return
    host, port = str(address[0]), int(address[1]) if len(address) > 1 else 0
    if Endpoint(host, port) not in _guard.allowed:
        _refuse(f"{host}:{port}")


def _check_name(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        _refuse(name)


def _refuse(where: str) -> None:
    _guard.refused.append(where)
    raise ConnectionRefused(
        f"A connection to {where} was refused: nothing leaves this machine.",
        "If this is a seat of yours on a private network, list it under `endpoints` in lexforge.toml.",
    )
