"""Which process listens at an endpoint of this machine, and the command line it was started with (Linux)."""

from __future__ import annotations

import ipaddress
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lexforge.local_only import Endpoint, parse_endpoint

PROC = Path("/proc")
BUSY = 5.0
"""Seconds to wait for one whose queue is full."""
_LISTENING = "0A"  # TCP_LISTEN in proc_net_tcp
_CREDENTIALS = struct.Struct("iII")  # struct ucred: pid, uid, gid; unix(7)


def argv_of(endpoint: str) -> tuple[str, ...] | None:
    """The command line of the process that listens there; None when it is not here or not ours to see."""
    pid = pid_of(endpoint)
    return None if pid is None else command_line(pid)


def pid_of(endpoint: str) -> int | None:
    """The process that listens at a UNIX socket or a loopback port; None when nobody does or it cannot be seen."""
    place = parse_endpoint(endpoint)
    if sys.platform != "linux":
        return None
    if place.path:
        return _of_socket(Path(place.path))
    return _of_port(place) if ipaddress.ip_address(place.host).is_loopback else None


def command_line(pid: int) -> tuple[str, ...] | None:
    """The words a process was started with; None when it has ended."""
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return None
    return tuple(word.decode("utf-8", "surrogateescape") for word in words.split(b"\0")[:-1]) or None


def listens(path: Path) -> bool:
    """Whether somebody listens at a UNIX socket; not a stale file, whose process has ended."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(BUSY)
        try:
            client.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
    return True


def _of_socket(path: Path) -> int | None:
    """SO_PEERCRED tells who called listen(2); 0 when that process is in another PID namespace."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(BUSY)
        try:
            client.connect(str(path))
        except OSError:
            return None
        pid, _, _ = _CREDENTIALS.unpack(client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return int(pid) or None


def _of_port(place: Endpoint) -> int | None:
    inodes = {inode for table in ("tcp", "tcp6") for inode in _listeners(PROC / "net" / table, place)}
    return next((pid for pid, inode in _sockets() if inode in inodes), None) if inodes else None


def _listeners(table: Path, place: Endpoint) -> Iterator[str]:
    """The inodes of what listens at this address and port, or at this port of every address (proc_pid_net(5))."""
    addresses = {_as_the_kernel_prints(place.host), "0" * 8, "0" * 32}
    try:
        lines = table.read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return
    for fields in map(str.split, lines):
        address, _, port = fields[1].partition(":")
        if fields[3] == _LISTENING and int(port, 16) == place.port and address in addresses:
            yield fields[9]


def _as_the_kernel_prints(host: str) -> str:
    """An address as words of 32 bits, each in the machine's own byte order."""
    packed = ipaddress.ip_address(host).packed
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words)


def _sockets() -> Iterator[tuple[int, str]]:
    """Every process and socket inode that this user may see; processes and files may vanish meanwhile."""
    for folder in PROC.glob("[0-9]*/fd"):
        with suppress(OSError):
            for link in list(folder.iterdir()):
                with suppress(OSError):
                    target = str(link.readlink())
                    if target.startswith("socket:["):
                        yield int(folder.parent.name), target.removeprefix("socket:[").removesuffix("]")
