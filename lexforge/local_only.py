"""Nothing leaves the machine: tracing off, and connections refused except to listed endpoints.

The audit hook (PEP 578) sees the connections that Python code makes, the standard library's included, and cannot be
removed once installed. It is a tripwire and no wall; it does not see

- connections that C code makes through its own system calls, or through ctypes;
- those of a child process, unless that installs the hook itself, as the engines and the readers do;
- the look-up of a name that is given to `socket.connect` or `sendto`: CPython resolves it before it asks the hook.

A network namespace (`lexforge.sealed`) stops all of these.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lexforge.errors import ConnectionRefused

TRACING_VARIABLES = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
)
"""All four spellings are set to `false`: with one of them true and another false, runs are still posted."""

TRACING_PREFIXES = ("LANGSMITH_", "LANGCHAIN_", "OTEL_EXPORTER_OTLP_")
"""Whatever else begins so is deleted: langsmith 0.15 reads each of its settings under both names, and where to post,
with which key, and through which exporter, from many of them."""

PRIVATE_NETWORKS = tuple(
    ipaddress.ip_network(text)
    for text in ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)
"""Loopback, RFC 1918 and RFC 4193, and nothing else: `ipaddress.is_private` also takes in link-local, documentation,
benchmark and reserved addresses, and the unspecified one."""

_METADATA = tuple(ipaddress.ip_network(text) for text in ("fd00:ec2::/32", "fd20:ce::/32"))
"""Metadata services of hosting providers that lie inside fc00::/7; all others are outside PRIVATE_NETWORKS."""

_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname"}
_UNIX = "unix:"
_LONGEST_PATH = 103 if sys.platform == "darwin" else 107  # bytes of sun_path, unix(7), without the final NUL


@dataclass(frozen=True)
class Endpoint:
    """Where a seat may be reached: a loopback or private IP address and a port, or the `path` of a UNIX socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.path:
            return _UNIX + self.path
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Guard:
    """What kept a process local.

    `hook`: the audit hook is on; `sealed`: there is no network interface (`lexforge.sealed.is_sealed`); `contacted` and
    `refused` as the functions of these names. Child processes are not in it.
    """

    hook: bool
    sealed: bool
    contacted: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass
class _State:
    """What is allowed, and what was seen, in this process."""

    installed: bool = False
    allowed: set[Endpoint] = field(default_factory=set)
    contacted: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    tracing: set[str] = field(default_factory=set)


_state = _State()


def force_tracing_off() -> None:
    """Set every tracing variable to false and delete what belongs to them; call before langgraph is imported."""
    for name in [name for name in os.environ if name.startswith(TRACING_PREFIXES)]:
        if name not in TRACING_VARIABLES or os.environ[name] != "false":
            _state.tracing.add(name)
        del os.environ[name]
    os.environ.update(dict.fromkeys(TRACING_VARIABLES, "false"))


def tracing_found() -> tuple[str, ...]:
    """The variables that `force_tracing_off` found with another value than false, sorted."""
    return tuple(sorted(_state.tracing))


def parse_endpoint(text: str) -> Endpoint:
    """`"127.0.0.1:8080"`, `"[::1]:8080"` or `"unix:/run/seat.sock"` as an endpoint.

    ValueError unless the address is in PRIVATE_NETWORKS (an IPv4-mapped one counts as its IPv4 address), or the path is
    absolute and short enough for a socket. Names are refused: they could resolve to anything.
    """
    if text.startswith(_UNIX):
        return Endpoint(path=_socket_path(text.removeprefix(_UNIX)))
    host, _, port = text.rpartition(":")
    if host.startswith("[") != (":" in host) or host.startswith("[") != host.endswith("]"):
        raise ValueError(f"{text} is not an address and a port; an IPv6 address stands in brackets")
    address = _plain(ipaddress.ip_address(host.strip("[]")))
    if not any(address in network for network in PRIVATE_NETWORKS) or any(address in network for network in _METADATA):
        raise ValueError(f"{text} is not a loopback or private address")
    if not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise ValueError(f"{port} is not a port")
    return Endpoint(str(address), int(port))


def _socket_path(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        raise ValueError(f"{path!r} is not the absolute path of a UNIX socket")
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise ValueError(f"{path} is longer than the {_LONGEST_PATH} bytes that the path of a UNIX socket may have")
    return path


def _plain(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An IPv4-mapped IPv6 address as the IPv4 address that is reached under it."""
    return getattr(address, "ipv4_mapped", None) or address


def install(endpoints: Iterable[Endpoint] = ()) -> None:
    """Refuse, from now on and in this process, every connection except to `endpoints` and UNIX sockets.

    Called again, it adds endpoints. UNIX sockets need not be listed: nothing leaves the machine by them, unless a
    program that listens there passes it on.
    """
    _state.allowed.update(endpoints)
    if not _state.installed:
        sys.addaudithook(_audit)
        _state.installed = True


def is_installed() -> bool:
    """Whether connections are refused in this process."""
    return _state.installed


def contacted() -> tuple[str, ...]:
    """The endpoints that something in this process was let through to, whether or not anybody answered; sorted.

    As in `lexforge.toml`: `10.0.0.2:8080`, `unix:/run/seat.sock`; an abstract UNIX socket is `unix:@name`.
    """
    return tuple(sorted(_state.contacted))


def refused() -> tuple[str, ...]:
    """The addresses and names that something in this process tried to reach and could not; sorted."""
    return tuple(sorted(_state.refused))


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in _CONNECTING:
        _check_address(args[0], args[1])
    elif event in _RESOLVING:
        _check_name(args[0])
    elif event == "socket.gethostbyaddr":
        _check_reverse(args[0])
    elif event == "socket.getnameinfo":
        _check_reverse(args[0][0])


def _check_address(own: socket.socket, address: Any) -> None:
    if address is None:  # the socket was connected before
        return
    if own.family == socket.AF_UNIX:
        path = os.fsdecode(address if isinstance(address, str) else bytes(address))
        _state.contacted.add(_UNIX + path.replace("\0", "@"))
        return
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[1], int):
        _refuse(str(address))
    endpoint = Endpoint(_canonical(address[0]), address[1])
    if endpoint not in _state.allowed:
        _refuse(str(endpoint))
    _state.contacted.add(str(endpoint))


def _canonical(host: object) -> str:
    try:
        return str(_plain(ipaddress.ip_address(str(host))))
    except ValueError:
        return str(host)


def _check_name(host: object) -> None:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
    try:
        if name:  # without one, it is the machine's own address that is asked for
            ipaddress.ip_address(name)
    except ValueError:
        _refuse(name)


def _check_reverse(host: object) -> None:
    """Asking for the name of an address sends the address to a name server, except for loopback."""
    try:
        if ipaddress.ip_address(str(host)).is_loopback:
            return
    except ValueError:
        pass
    _refuse(str(host))


def _refuse(where: str) -> NoReturn:
    _state.refused.add(where)
    raise ConnectionRefused(
        f"A connection to {where} was refused: nothing leaves this machine.",
        "If this is a seat of yours on a private network, list it under `endpoints` in lexforge.toml.",
    )
