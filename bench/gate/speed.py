"""All checks against eyecite's extraction alone, on one core, in the same run; and whether the cost grows in a line."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from eyecite import get_citations

from bench.gate.cases import cites
from bench.gate.material import Material
from lexforge.domain.evidence import Bundle
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy

BRIEF = 33_000
LARGE = 1_000_000
SOURCES = 10
RUNS = 5


def brief(material: Material, size: int) -> str:
    """Running text of the corpus, paragraph by paragraph, up to a size in characters, repeated when there is less."""
    parts: list[str] = []
    dense = sorted(material.documents, key=lambda d: -len(cites(Material(material.bundle, (d,)))) / max(1, len(d.text)))
    for document in dense:
        for page in document.source.pages:
            parts += [" ".join(part.split()) for part in page.text.split("\n\n") if len(part) > 200]
    whole = "\n\n".join(parts)[: 4 * size]
    while whole and len(whole) < size:
        whole += "\n\n" + whole
    return whole[:size]


def smaller(bundle: Bundle) -> Bundle:
    """The first sources only: a paper of ten pages cites about as many."""
    return Bundle(sources=bundle.sources[:SOURCES])


def timed(work: Callable[[], object]) -> float:
    """CPU seconds."""
    start = process_time()
    work()
    return process_time() - start


def measure(material: Material) -> dict[str, float]:
    """Medians of several interleaved runs, CPU seconds: eyecite and the gate on a brief, the gate on 1 MB."""
    short, long = brief(material, BRIEF), brief(material, LARGE)
    bundle, policy = smaller(material.bundle), default_policy()
    if not short:
        return {}
    get_citations(short)
    check(short, bundle, policy)
    peer, ours = [], []
    for _ in range(RUNS):
        peer.append(timed(lambda: get_citations(short)))
        ours.append(timed(lambda: check(short, bundle, policy)))
    large = timed(lambda: check(long, bundle, policy))
    return {
        "brief_chars": float(len(short)),
        "large_chars": float(len(long)),
        "sources": float(len(bundle.sources)),
        "source_chars": float(sum(len(p.text) for s in bundle.sources for p in s.pages)),
        "eyecite_s": median(peer),
        "gate_s": median(ours),
        "ratio": median(ours) / median(peer),
        "gate_1mb_s": large,
        "growth": large / median(ours),
    }
