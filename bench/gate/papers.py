"""Planted paragraphs put together as papers, and what the gate says of each paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.gate.material import Material
from bench.gate.planted import Planted
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy

PARAGRAPHS = 150
JOINT = "\n\n"


@dataclass(frozen=True)
class Judged:
    """What was blocked in the clean paragraph, and what more was blocked in the altered one."""

    planted: Planted
    on_clean: tuple[str, ...]
    on_altered: tuple[str, ...]

    @property
    def is_caught(self) -> bool:
        """Whether the fault is blocked: something that the clean twin does not have blocked."""
        return any(message not in self.on_clean for message in self.on_altered)


def judge(
    planted: Sequence[Planted], material: Material, laid_out: Material, progress: Callable[[str], None] = lambda _: None
) -> list[Judged]:
    """Every planted fault and every twin through the whole gate, many paragraphs to a paper."""
    judged: list[Judged] = []
    for paper in _papers(planted):
        bundle = _bundle(paper[0], material, laid_out)
        clean = _blocked([one.clean for one in paper], bundle)
        altered = _blocked([one.altered or "" for one in paper], bundle)
        judged += [Judged(*row) for row in zip(paper, clean, altered, strict=True)]
        progress(f"{len(judged)} of {len(planted)}")
    return judged


def _papers(planted: Sequence[Planted]) -> Iterator[list[Planted]]:
    """Those that must stand alone, each by itself; of the others as many as a paper takes, kinds mixed."""
    for one in planted:
        if one.alone is not None:
            yield [one]
    for laid_out in (False, True):
        together = [one for one in planted if one.alone is None and one.laid_out is laid_out]
        papers = max(1, -(-len(together) // PARAGRAPHS))
        yield from filter(None, (together[at::papers] for at in range(papers)))


def _bundle(first: Planted, material: Material, laid_out: Material) -> Bundle:
    if first.alone is None:
        return (laid_out if first.laid_out else material).bundle
    return Bundle(sources=tuple(s for s in material.bundle.sources if s.id == first.alone))


def _blocked(paragraphs: Sequence[str], bundle: Bundle) -> list[tuple[str, ...]]:
    """For each paragraph, what is blocked in it, as "kind: words: reason"."""
    text = JOINT.join(paragraphs)
    findings = [f for f in check(text, bundle, default_policy()).findings if f.is_blocked and f.end > f.start]
    rows, start = [], 0
    for paragraph in paragraphs:
        end = start + len(paragraph)
        rows.append(tuple(_line(text, f) for f in findings if f.start < end and start < f.end))
        start = end + len(JOINT)
    return rows


def _line(text: str, finding: Finding) -> str:
    return f"{finding.kind.value}: {text[finding.start : finding.end]}: {finding.reason.value}: {finding.message}"
