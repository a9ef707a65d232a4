"""Nothing leaves the machine: refused connections, endpoints, tracing variables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from lexforge import local_only
from lexforge.local_only import TRACING_VARIABLES, Endpoint, parse_endpoint

TRIES = {
    "tcp": "socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "tcp loopback that is not listed": "socket.create_connection(('127.0.0.1', 9), timeout=1)",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "udp by sendmsg": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.1', 53))",
    "ipv6": "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "ipv4 in ipv6": "socket.socket(socket.AF_INET6).connect(('::ffff:192.0.2.1', 80))",
    "the metadata service": "socket.socket().connect(('169.254.169.254', 80))",
    "multicast": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('224.0.0.251', 5353))",
    "name": "socket.getaddrinfo('example.invalid', 443)",
    "name by the old call": "socket.gethostbyname('example.invalid')",
    "name of an address": "socket.gethostbyaddr('192.0.2.1')",
    "name of a socket's address": "socket.getnameinfo(('192.0.2.1', 80), 0)",
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


def test_what_stays_on_the_machine_is_not_refused() -> None:
    code = """
import socket
from lexforge import local_only
local_only.install()
socket.getaddrinfo(None, 80)
socket.getaddrinfo('127.0.0.1', 80)
socket.getnameinfo(('127.0.0.1', 80), socket.NI_NUMERICHOST)
left, right = socket.socketpair()
left.sendmsg([b'x'])
print(right.recv(1).decode(), local_only.refused(), local_only.contacted())
"""
    assert run(code).stdout.strip() == "x () ()"


def test_what_was_contacted_and_what_was_refused_is_told(tmp_path: Path) -> None:
    code = f"""
import socket
from lexforge import local_only
from lexforge.errors import ConnectionRefused
first, second = (socket.create_server(('127.0.0.1', 0)) for _ in 'ab')
unix = socket.socket(socket.AF_UNIX)
unix.bind({str(tmp_path / "s")!r})
unix.listen()
def reach(server, family=socket.AF_INET):
    with socket.socket(family) as caller:
        try:
            caller.connect(server.getsockname())
            return True
        except ConnectionRefused:
            return False
named = [local_only.parse_endpoint('127.0.0.1:%d' % server.getsockname()[1]) for server in (first, second)]
local_only.install(named[:1])
print(reach(first), reach(second), reach(second), reach(unix, socket.AF_UNIX), reach(unix, socket.AF_UNIX))
assert local_only.refused() == (str(named[1]),)
local_only.install(named[1:])
print(reach(first), reach(second))
assert local_only.contacted() == tuple(sorted([*map(str, named), 'unix:{tmp_path / "s"}']))
"""
    done = run(code)
    assert done.stderr == ""
    assert done.stdout.split() == "True False False True True True True".split()


REFUSED_ENDPOINTS = [
    ("8.8.8.8:443", "a public address"),
    ("[2606:4700::1111]:443", "a public address"),
    ("[::ffff:8.8.8.8]:443", "a public address in an IPv6 one"),
    ("0.0.0.0:80", "every address of the machine"),
    ("[::]:80", "every address of the machine"),
    ("255.255.255.255:80", "everybody on the network"),
    ("224.0.0.1:80", "multicast"),
    ("[ff02::1]:80", "multicast"),
    ("169.254.169.254:80", "link-local: the metadata service of most hosting providers"),
    ("[fe80::1]:80", "link-local"),
    ("[fd00:ec2::254]:80", "a metadata service among the private addresses"),
    ("192.0.0.192:80", "a metadata service; reserved, and private only to Python"),
    ("100.100.100.200:80", "a metadata service; shared by the customers of a carrier"),
    ("192.0.2.1:80", "for documentation"),
    ("240.0.0.1:80", "reserved"),
    ("[64:ff9b::8.8.8.8]:80", "a public address through NAT64"),
    ("example.com:443", "a name: it could resolve to anything"),
    ("localhost:8080", "a name"),
    ("::1:8080", "an IPv6 address without brackets: where does the port begin?"),
    ("[127.0.0.1:8080", "half a bracket"),
    ("127.0.0.1:0", "no port"),
    ("127.0.0.1:99999", "no port"),
    ("127.0.0.1:+80", "no port"),
    ("127.0.0.1", "no port at all"),
    ("unix:", "no path"),
    ("unix:seat.sock", "a path that depends on the working folder"),
    ("unix:@seat", "an abstract socket: a network namespace hides it"),
    ("unix:/run/\0seat", "no path"),
    ("unix:/" + "x" * 107, "longer than the system allows"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED_ENDPOINTS)
def test_endpoints_that_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError):
        parse_endpoint(text)


ENDPOINTS = [
    ("127.0.0.1:8080", Endpoint("127.0.0.1", 8080)),
    ("[::1]:8080", Endpoint("::1", 8080)),
    ("192.168.1.4:9000", Endpoint("192.168.1.4", 9000)),
    ("172.31.0.1:9000", Endpoint("172.31.0.1", 9000)),
    ("10.0.0.2:1", Endpoint("10.0.0.2", 1)),
    ("[fd12:3456::1]:8080", Endpoint("fd12:3456::1", 8080)),
    ("unix:/run/lexforge/workhorse.sock", Endpoint(path="/run/lexforge/workhorse.sock")),
]


@pytest.mark.parametrize(("text", "endpoint"), ENDPOINTS)
def test_private_endpoints_are_accepted_and_written_alike(text: str, endpoint: Endpoint) -> None:
    assert parse_endpoint(text) == endpoint
    assert str(endpoint) == text


def test_an_ipv4_address_within_an_ipv6_one_is_the_same_endpoint() -> None:
    assert parse_endpoint("[::ffff:10.0.0.2]:80") == Endpoint("10.0.0.2", 80)


def named_variables() -> list[str]:
    """Every variable with a prefix of ours that the source of the installed libraries names."""
    found = set(TRACING_VARIABLES)
    for library in ("langsmith", "langchain_core", "langgraph", "langgraph_sdk"):
        spec = find_spec(library)
        assert spec is not None
        for folder in spec.submodule_search_locations or ():
            for path in Path(folder).rglob("*.py"):
                text = path.read_text(encoding="utf-8", errors="replace")
                found.update(re.findall(r"\b(?:LANGSMITH|LANGCHAIN|OTEL_EXPORTER_OTLP)_[A-Z0-9_]*[A-Z0-9]", text))
                found.update(
                    f"LANGSMITH_{n}"
                    for n in re.findall(r"(?:get_env_var|is_env_var_truish)\(\s*\"([A-Z0-9_]+)\"", text)
                )
    return sorted(found)


INVOKED = """
import sys
tried = []
sys.addaudithook(lambda event, args: tried.append(event) if event in {
    'socket.connect', 'socket.sendto', 'socket.sendmsg', 'socket.getaddrinfo', 'socket.gethostbyname'} else None)
from lexforge import local_only
local_only.install()
{first}
from langgraph.graph import StateGraph, START, END
from langchain_core.tracers.langchain import wait_for_all_tracers
graph = StateGraph(dict)
graph.add_node('a', lambda state: {'secret': 1})
graph.add_edge(START, 'a'); graph.add_edge('a', END)
graph.compile().invoke({})
wait_for_all_tracers()
print(len(tried), local_only.refused())
"""


def test_no_connection_is_tried_whatever_the_shell_says() -> None:
    names = named_variables()
    assert {"LANGSMITH_ENDPOINT", "LANGSMITH_RUNS_ENDPOINTS", "LANGCHAIN_API_KEY", "LANGSMITH_OTEL_ENABLED"} <= {*names}
    done = run(INVOKED.replace("{first}", "import graphs.drafting"), **dict.fromkeys(names, "true"))
    assert done.stdout.strip() == "0 ()", done.stderr


def test_the_watch_on_tracing_can_fail() -> None:
    """Without the variables forced off a run is posted, and the hook refuses that."""
    done = run(INVOKED.replace("{first}", ""), LANGSMITH_TRACING_V2="true")
    count, _, refused = done.stdout.strip().partition(" ")
    assert int(count) > 0
    assert "langchain" in refused


def test_variables_are_switched_off_or_deleted_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = {
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGCHAIN_ENDPOINT": "http://192.0.2.1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1",
        "LANGUAGE": "en",
    }
    monkeypatch.setattr(os, "environ", shell)
    monkeypatch.setattr(local_only, "_state", local_only._State())
    for _ in "again":
        local_only.force_tracing_off()
    assert shell == {**dict.fromkeys(TRACING_VARIABLES, "false"), "LANGUAGE": "en"}
    assert local_only.tracing_found() == ("LANGCHAIN_ENDPOINT", "LANGCHAIN_TRACING_V2", "OTEL_EXPORTER_OTLP_ENDPOINT")
