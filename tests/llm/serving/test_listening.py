"""Who listens at an endpoint."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from lexforge.llm.serving.listening import argv_of, command_line, listens, pid_of
from tests.llm.llama_server import serve, smollm2

if sys.platform != "linux":
    pytest.skip("it reads Linux's table of processes", allow_module_level=True)


@pytest.mark.parametrize("tcp", [False, True], ids=["unix", "tcp"])
def test_the_command_line_of_a_server(tcp: bool, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with serve(tmp_path, smollm2(), alias="mine", tcp=tcp, ctx_size=512) as (endpoint, process):
        assert pid_of(endpoint) == process.pid
        told = argv_of(endpoint)
    assert told is not None
    assert told[told.index("--alias") + 1] == "mine"
    assert pid_of(endpoint) is None, "nobody listens any more"


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::1", "::"])  # noqa: S104
def test_a_port_of_this_process(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as server:
        try:
            server.bind((address, 0))
        except OSError:
            pytest.skip(f"no {address} here")
        host, port = ("[::1]" if ":" in address else "127.0.0.1"), server.getsockname()[1]
        assert pid_of(f"{host}:{port}") is None, "bound and not listening"
        server.listen()
        assert pid_of(f"{host}:{port}") == os.getpid()


def test_another_machine_is_not_looked_at() -> None:
    assert argv_of("10.0.0.1:8080") is None


def test_sockets_that_nobody_answers(runtime: Path) -> None:
    path = runtime.parent / "a.sock"
    assert not listens(path), "no such file"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert not listens(path), "bound and not listening"
        server.listen()
        assert listens(path)
        assert pid_of(f"unix:{path}") == os.getpid()
    assert not listens(path), "the file is left, its process has ended"
    assert argv_of(f"unix:{path}") is None


def test_a_process_that_is_not_there() -> None:
    assert command_line(2**22 + 1) is None
