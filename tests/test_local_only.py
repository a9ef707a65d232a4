"""Nothing leaves the machine: refused connections, endpoints, tracing variables."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lexforge.local_only import TRACING_VARIABLES, parse_endpoint

TRIES = {
    "tcp": "socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "tcp loopback that is not listed": "socket.create_connection(('127.0.0.1', 9), timeout=1)",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "name": "socket.getaddrinfo('example.invalid', 443)",
    "http": "__import__('urllib.request').request.urlopen('http://192.0.2.1/', timeout=1)",
}


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A process of its own: an audit hook cannot be taken out of this one again."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **env}
    )


@pytest.mark.parametrize("attempt", TRIES.values(), ids=TRIES)
def test_connections_are_refused_and_recorded(attempt: str) -> None:
    code = f"""
import socket
from lexforge import local_only
from lexforge.errors import ConnectionRefused
local_only.install()
try:
    {attempt}
except ConnectionRefused as error:
    print('refused', len(local_only.refused()), error.exit_code)
"""
    assert run(code).stdout.split() == ["refused", "1", "9"]


def test_a_listed_endpoint_can_be_reached() -> None:
    code = """
import socket
from lexforge import local_only
server = socket.create_server(('127.0.0.1', 0))
port = server.getsockname()[1]
local_only.install([local_only.parse_endpoint(f'127.0.0.1:{port}')])
socket.create_connection(('127.0.0.1', port)).close()
print('reached', local_only.refused())
"""
    assert run(code).stdout.strip() == "reached ()"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("8.8.8.8:443", "a public address"),
        ("0.0.0.0:80", "every address of the machine"),
        ("example.com:443", "a name: it could resolve to anything"),
        ("127.0.0.1:0", "no port"),
        ("127.0.0.1:99999", "no port"),
        ("127.0.0.1", "no port at all"),
    ],
)
def test_endpoints_that_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError):
        parse_endpoint(text)


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "[::1]:8080", "192.168.1.4:9000", "10.0.0.2:1"])
def test_private_endpoints_are_accepted(text: str) -> None:
    assert parse_endpoint(text).port == int(text.rpartition(":")[2])


def test_tracing_stays_off_whatever_the_shell_says() -> None:
    code = """
from lexforge import local_only
local_only.install()
import graphs.drafting
from langgraph.graph import StateGraph, START, END
from langsmith.utils import tracing_is_enabled
graph = StateGraph(dict)
graph.add_node('a', lambda state: {'secret': 1})
graph.add_edge(START, 'a'); graph.add_edge('a', END)
graph.compile().invoke({})
import time; time.sleep(0.5)
print(tracing_is_enabled(), local_only.refused())
"""
    done = run(code, **dict.fromkeys(TRACING_VARIABLES, "true"))
    assert done.stdout.strip() == "False ()", done.stderr
