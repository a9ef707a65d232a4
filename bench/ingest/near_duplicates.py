"""Planted copies and pasted blocks: what is found, what is found wrongly, and the time beside datasketch.

    .venv/bin/python -m bench.ingest.near_duplicates [--documents N] [--peer PYTHON] [--rounds N] [--json OUT]

PYTHON is the interpreter of an environment that has datasketch; without one the peer is left out. Both get the same
texts and cut them into the same words. Ours compares the candidates' own runs as well; the peer's candidates are
taken as they come.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexforge.ingest.copies.containment import BLOCK, inside
from lexforge.ingest.copies.minhash import PERMUTATIONS, near, runs_of
from lexforge.ingest.fingerprint import RUN, words
from tests.ingest.copies.truth_set import Planted, pasted, planted, similarity

ROOT = Path(__file__).parents[2]
THRESHOLD = 0.7
Pairs = set[tuple[int, int]]


def ours(texts: list[str]) -> Pairs:
    """Near-duplicates as LexForge finds them: the later document and the earlier one."""
    found = near(runs_of(map(words, texts)), range(len(texts)))
    return {(one.member, one.principal) for one in found}


def datasketch(texts: list[str]) -> Pairs:
    """Candidates of MinHashLSH at .7, as its documentation builds them."""
    peer: Any = importlib.import_module("datasketch")
    index = peer.MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    pairs: Pairs = set()
    for number, text in enumerate(texts):
        found = words(text)
        signed = peer.MinHash(num_perm=PERMUTATIONS)
        signed.update_batch({" ".join(found[n : n + RUN]).encode() for n in range(len(found) - RUN + 1)})
        pairs |= {(number, other) for other in index.query(signed)}
        index.insert(number, signed)
    return pairs


def timed(run: Callable[[list[str]], Pairs], texts: list[str]) -> tuple[float, Pairs]:
    """CPU seconds, and what was found."""
    start = time.process_time()
    pairs = run(texts)
    return time.process_time() - start, pairs


def by_peer(python: str, file: Path) -> tuple[float, Pairs] | None:
    """The same in the peer's environment; None when datasketch is not there."""
    command = [python, "-m", "bench.ingest.near_duplicates", "--as-peer", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    told = json.loads(done.stdout)
    return told["seconds"], {(a, b) for a, b in told["pairs"]}


def quality(truth: Planted, found: Pairs) -> dict[str, float]:
    """Recall at .8 and .7 over the planted copies, and how many pairs found are below .5."""
    planted_at = {pair: similarity(truth.texts[pair[0]], truth.texts[pair[1]]) for pair in truth.copies}
    result: dict[str, float] = {}
    for least in (0.8, 0.7):
        wanted = {pair for pair, share in planted_at.items() if share >= least}
        result[f"wanted_{least}"] = len(wanted)
        result[f"recall_{least}"] = len(wanted & found) / len(wanted)
    result["found"] = len(found)
    result["below_half"] = sum(similarity(truth.texts[a], truth.texts[b]) < 0.5 for a, b in found)
    return result


def blocks(truth: Planted) -> dict[str, float]:
    """Pasted blocks among all documents: how many are found in either direction, and the time for it."""
    texts, pairs = pasted(truth.texts, len(truth.texts) // 10)
    start = time.process_time()
    found = inside(runs_of(map(words, texts)), list(range(len(texts))))
    seconds = time.process_time() - start
    either = {frozenset((one.inner, one.outer)) for one in found if one.share >= BLOCK}
    return {"pasted": len(pairs), "found": sum(frozenset(p) in either for p in pairs), "seconds": seconds}


def measure(truth: Planted, peer: str | None, rounds: int) -> dict[str, Any]:
    """Both in turn, as often as asked; the median of the CPU seconds of each."""
    seconds: dict[str, list[float]] = {"ours": [], "datasketch": []}
    found: dict[str, Pairs] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(truth.texts), encoding="utf-8")
        for _ in range(rounds):
            taken, found["ours"] = timed(ours, truth.texts)
            seconds["ours"].append(taken)
            told = by_peer(peer, file) if peer else None
            if told is not None:
                seconds["datasketch"].append(told[0])
                found["datasketch"] = told[1]
    return {
        name: quality(truth, pairs) | {"seconds": statistics.median(seconds[name])} for name, pairs in found.items()
    }


def as_peer(file: Path) -> None:
    taken, pairs = timed(datasketch, json.loads(file.read_text(encoding="utf-8")))
    json.dump({"seconds": taken, "pairs": sorted(pairs)}, sys.stdout)


def show(measured: dict[str, Any], pasted_blocks: dict[str, float]) -> None:
    """The figures in sentences."""
    for name, told in measured.items():
        print(
            f"{name}: {told['seconds']:.2f} CPU s; recall {told['recall_0.8']:.4f} of {told['wanted_0.8']} pairs at .8"
            f" and {told['recall_0.7']:.4f} of {told['wanted_0.7']} at .7; {told['below_half']} of {told['found']}"
            " pairs below .5."
        )
    if "datasketch" in measured:
        print(f"Ratio of CPU time: {measured['datasketch']['seconds'] / measured['ours']['seconds']:.2f}.")
    else:
        print("datasketch is left out: --peer names no interpreter that has it.")
    print("Pasted blocks: {found} of {pasted} found, {seconds:.2f} CPU s.".format(**pasted_blocks))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench.ingest.near_duplicates", description="Planted copies, with datasketch."
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--peer", help="interpreter of an environment with datasketch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--as-peer", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.as_peer:
        as_peer(asked.as_peer)
        return
    truth = planted(asked.documents)
    measured, pasted_blocks = measure(truth, asked.peer, asked.rounds), blocks(truth)
    show(measured, pasted_blocks)
    if asked.json:
        asked.json.write_text(json.dumps({"near": measured, "pasted": pasted_blocks}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
