"""The command line and the environment of a seat's llama-server, and what of a command line is identity."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lexforge.domain.record import Record
from lexforge.llm.boards import Board, SeatConfig, SeatName, Speculation, devices

BATCH = 2048
"""Tokens a server takes up at once, llama.cpp's `-b`; memory follows `-ub`, not this."""
CHECKPOINTS = 32
"""Recurrent states that are kept for each slot of a hybrid model: what lets it reuse the evidence."""

TRANSPORT = frozenset(("--host", "--port", "--slot-save-path", "--log-file", "--api-key", "--api-key-file"))
"""Where a server listens and writes, and who may ask: options with a value that change nothing in an answer."""

NEVER = {
    "--props": "lets any client change the server's settings",
    "--tools": "runs programs for whoever asks",
    "--agent": "runs programs for whoever asks",
    "--ui-mcp-proxy": "opens connections for whoever asks",
    "--webui-mcp-proxy": "opens connections for whoever asks",
    "--mcp-servers-config": "connects to other programs",
    "--mcp-servers-json": "connects to other programs",
    "--reuse-port": "lets a second server answer at the same address",
    "--context-shift": "drops the beginning of the evidence without a word",
    "--models-dir": "answers with whichever model was asked for, and downloads models",
    "--models-preset": "answers with whichever model was asked for, and downloads models",
    "--hf-repo": "downloads its model",
    "-hf": "downloads its model",
    "--model-url": "downloads its model",
    "-mu": "downloads its model",
    "--docker-repo": "downloads its model",
    "-dr": "downloads its model",
    "--rpc": "computes on other machines",
}
"""Options of llama-server that no seat may have been started with, each with what it does."""

_PASSED_ON = frozenset(
    "PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TMPDIR LD_LIBRARY_PATH CUDA_CACHE_PATH CUDA_CACHE_MAXSIZE".split()
)
"""What a server needs of the environment. Nothing else: `LLAMA_ARG_*` would change its settings, `HF_*`, `*_proxy` and
the like could make it call out, `GGML_*` and `CUDA_*` choose other kernels."""


class Places(Record):
    """What a server is made of on this machine.

    `program` is llama-server, `model` the first shard, `socket` the UNIX socket it listens on (llama.cpp knows one by
    its ending `.sock`), `slots` the folder of saved slots.
    """

    program: str
    model: Path
    socket: Path
    slots: Path


def argv(seat: SeatConfig, board: Board, name: SeatName, at: Places) -> tuple[str, ...]:
    """The command line that serves a seat; every value that llama.cpp would otherwise choose by itself is given.

    Options as of llama.cpp b11549, `tools/server/README.md`.
    """
    return (
        at.program,
        *("--model", str(at.model), "--alias", name.value),
        *("--host", str(at.socket), "--slot-save-path", str(at.slots)),
        *_memory(seat),
        *_cards(seat, board),
        *("--threads", str(seat.threads), "--jinja", "--metrics", "--slots"),
        *("--offline", "--no-ui", "--no-context-shift"),
        *(("--spec-type", "ngram-mod") if seat.speculation is Speculation.NGRAM else ()),
    )


def _memory(seat: SeatConfig) -> tuple[str, ...]:
    return (
        # `-c` is for all slots; without `--no-kv-unified` one long request takes the others' share and aborts them.
        *("--ctx-size", str(seat.slots * seat.context), "--parallel", str(seat.slots), "--no-kv-unified"),
        *("--fit", "off"),  # it would shrink what does not fit without a word
        *("--batch-size", str(max(BATCH, seat.ubatch)), "--ubatch-size", str(seat.ubatch)),
        *("--flash-attn", "on" if seat.flash_attention else "off"),
        *("--cache-type-k", seat.kv_type.value, "--cache-type-v", seat.kv_type.value),
        *("--cache-ram", str(seat.cache_ram_mib), "--ctx-checkpoints", str(CHECKPOINTS)),
        *("--slot-prompt-similarity", "0"),  # we say which slot, the server must not choose another
    )


def _cards(seat: SeatConfig, board: Board) -> tuple[str, ...]:
    if not board.accelerators:
        return ("--device", "none")
    if seat.split == "none" or len(board.accelerators) == 1:
        return ("--gpu-layers", "all", "--split-mode", "none")
    shares = seat.tensor_split or (1,) * len(board.accelerators)
    return ("--gpu-layers", "all", "--split-mode", "layer", "--tensor-split", ",".join(map(str, shares)))


def environment(board: Board, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a server of this board is given: its own accelerators, and of `inherited` only what it cannot do without."""
    return {**{name: value for name, value in inherited.items() if name in _PASSED_ON}, **devices(board)}


def identifying(argv: Sequence[str]) -> tuple[str, ...]:
    """A command line without the program and without TRANSPORT: what two servers must share to be the same.

    A program may be started by an interpreter, so that it ends where the first option begins.
    """
    return tuple(_kept(_options(argv)))


def _options(argv: Sequence[str]) -> Sequence[str]:
    first = next((index for index, word in enumerate(argv) if word.startswith("-")), len(argv))
    return argv[first:]


def _kept(words: Sequence[str]) -> Iterator[str]:
    of_transport = False
    for word in words:
        if not of_transport and word not in TRANSPORT:
            yield word
        of_transport = word in TRANSPORT and not of_transport


def forbidden(argv: Sequence[str]) -> tuple[str, ...]:
    """The options of NEVER in a command line, with what each does: `--tools: runs programs for whoever asks`."""
    return tuple(f"{word}: {NEVER[word]}" for word in dict.fromkeys(argv) if word in NEVER)
