"""A run in a network namespace without interfaces: what no hook can promise, C code and child processes included.

`enter` executes the command line again under unshare(1), in a user and a network namespace of its own
(user_namespaces(7), network_namespaces(7)). There the loopback is down as well, so that a seat must be embedded or
listen on a UNIX socket: path sockets belong to the file system and are reached from inside, abstract ones are not.

What is left open: a program outside that listens on a path socket is not sealed itself and can pass on what it is sent.
For a llama-server there is `sealed_command`; the C library asks nscd and systemd-resolved in that way, so that C code
(the hook refuses it to Python code) may still have a name looked up. A socket that was inherited stays what it was.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from lexforge import local_only
from lexforge.errors import ConnectionRefused
from lexforge.local_only import Endpoint, Guard

SEALED_VARIABLE = "LEXFORGE_SEALED"
"""Set to 1 by `reexecute`. It proves nothing, and is only there so that a process is not executed again and again."""

DEVICES = Path("/proc/self/net/dev")
"""What the kernel tells a process of the interfaces in its own network namespace (proc_pid_net(5))."""

_WAYS = (("--map-current-user", "--net"), ("--map-root-user", "--net"))
"""The first leaves an ordinary user without capabilities over the namespace; util-linux has it since 2.34."""

_FALLBACK_TUNNELS = frozenset("tunl0 gre0 gretap0 erspan0 ip_vti0 sit0 ip6tnl0 ip6gre0 ip6_vti0".split())
"""What Linux puts, switched off, into every new network namespace where its modules are loaded
(kernel documentation, sysctl/net, fb_tunnels_only_for_init_net)."""

_SYSTEMS = {"darwin": "macOS", "win32": "Windows"}
_SIOCGIFFLAGS, _IFF_UP, _IFREQ = 0x8913, 0x1, struct.Struct("16sH14x")  # netdevice(7)


def can_seal() -> str | None:
    """None when a sealed run is possible here, else why not; found by trying it in a child."""
    return None if is_sealed() else _way()[1]


def _way() -> tuple[tuple[str, ...], str | None]:
    """The beginning of the command line that seals, and None; or why none does."""
    if sys.platform != "linux":
        return (), f"it needs network namespaces, which {_SYSTEMS.get(sys.platform, sys.platform)} does not have"
    program = shutil.which("unshare")
    if program is None:
        return (), "the program unshare (package util-linux) is not installed"
    said = ""
    for options in _WAYS:
        way = (program, *options, "--")
        try:
            done = subprocess.run(  # noqa: S603 - a fixed command
                [*way, sys.executable, "-I", "-S", "-c", ""], capture_output=True, text=True, check=False, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return (), f"unshare could not be tried: {error}"
        if done.returncode == 0:
            return way, None
        said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
    return (), f"this system does not let an ordinary user make a network namespace ({said})"


def sealed_command(command: Sequence[str]) -> list[str]:
    """`command` as a command line that runs it sealed, in the same process; ConnectionRefused when that cannot be."""
    if is_sealed():
        return list(command)
    way, reason = _way()
    if reason is not None:
        raise _impossible(reason)
    return [*way, *command]


def reexecute(argv: Sequence[str]) -> NoReturn:
    """Become `python argv...` inside a new user and network namespace; ConnectionRefused when that is not possible.

    The process stays the same one: its number, its exit code, and the signals it gets.
    """
    command = sealed_command([sys.executable, *argv])
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(command[0], command, {**os.environ, SEALED_VARIABLE: "1"})  # noqa: S606 - no shell is wanted
    except OSError as error:
        raise _impossible(f"{command[0]} could not be executed: {error.strerror}") from None


def enter() -> None:
    """Return inside a namespace without interfaces only; from outside, execute this command line again in one.

    To be called before anything is opened or printed. ConnectionRefused says why a sealed run is not possible.
    """
    if is_sealed():
        return
    if os.environ.get(SEALED_VARIABLE):
        raise _impossible(f"{SEALED_VARIABLE} is set, and yet this process can see a network")
    reexecute(sys.orig_argv[1:])


def _impossible(reason: str) -> ConnectionRefused:
    return ConnectionRefused(
        f"A sealed run is not possible here: {reason}. Nothing was run.",
        "Allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
        "kernel.apparmor_restrict_unprivileged_userns), start LexForge in a systemd unit with PrivateNetwork=yes, or "
        "leave out --sealed: connections of Python code are refused all the same.",
    )


def is_sealed() -> bool:
    """Whether this process can reach no network whatever it does; read from the system, not from a variable.

    It is when its network namespace has no interface but the loopback, and is not that of process 1, which could be
    given one at any time (where /proc lets us see that; an ordinary user is not shown it).
    """
    found = interfaces()
    return found is not None and not found and not _is_that_of_process_1()


def interfaces() -> tuple[str, ...] | None:
    """The interfaces of this process's network namespace except loopback; None where the system does not say.

    Tunnels that Linux adds by itself are left out while they are down.
    """
    try:
        lines = DEVICES.read_text(encoding="utf-8", errors="replace").splitlines()[2:]
    except OSError:
        return None
    names = [line.rpartition(":")[0].strip() for line in lines]
    return tuple(name for name in names if name != "lo" and not (name in _FALLBACK_TUNNELS and not _is_up(name)))


def _is_up(name: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, _IFREQ.pack(name.encode(), 0))
        except OSError:
            return True
    return bool(_IFREQ.unpack(answer[: _IFREQ.size])[1] & _IFF_UP)


def _is_that_of_process_1() -> bool:
    try:
        return Path("/proc/self/ns/net").readlink() == Path("/proc/1/ns/net").readlink()
    except OSError:
        return False


def require_unix(endpoints: Iterable[Endpoint]) -> None:
    """ConnectionRefused names the endpoints that a sealed run cannot reach: all but UNIX sockets."""
    others = [str(endpoint) for endpoint in endpoints if not endpoint.path]
    if others:
        raise ConnectionRefused(
            f"A sealed run has no network, not even the loopback, and cannot reach {', '.join(others)}.",
            "Start that llama-server with `--host /run/lexforge/NAME.sock` and name it as "
            "`unix:/run/lexforge/NAME.sock`, or give the seat an embedded engine.",
        )


def guard() -> Guard:
    """What keeps this process local, and what it has contacted and tried so far."""
    return Guard(
        hook=local_only.is_installed(),
        sealed=is_sealed(),
        contacted=local_only.contacted(),
        refused=local_only.refused(),
    )
