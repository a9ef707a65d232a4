"""Passages that speak of what a paragraph says and that it does not rely on: what may contradict it stands there."""

from __future__ import annotations

from lexforge.domain.draft import Block, Section
from lexforge.domain.evidence import Bundle, Role
from lexforge.plan.outline import offered, page_numbers
from lexforge.plan.retrieval import Retriever
from lexforge.store.search import Opener, in_memory

MOST = 2
"""Passages found for one paragraph."""
LEAST = 0.2
"""Share of a paragraph's weighted words: less than what supports, since what says otherwise says it in other words.

On the demo other accounts of the same event have .20 to .37, and letterheads and strangers mostly less.
"""


class AdverseSearch:
    """Looks among the sources of one bundle, over the same indexes as the plan."""

    def __init__(self, bundle: Bundle, opened: Opener = in_memory) -> None:
        self._bundle = bundle
        self._by_role = {
            Role.EVIDENCE: Retriever(offered(bundle.evidence), page_numbers(bundle.evidence), opened, "evidence"),
            Role.AUTHORITY: Retriever(offered(bundle.authorities), opened=opened, name="authorities"),
        }

    def of_section(self, section: Section) -> dict[str, tuple[str, ...]]:
        """Block id → ids of at most MOST passages, the nearest first, for the blocks that rely on something."""
        return {block.id: self._of_block(block) for block in section.blocks if block.sources}

    def _of_block(self, block: Block) -> tuple[str, ...]:
        # What the attorney says, without the sentence behind it: that repeats the passage it relies on word for word.
        said = block.text[: block.written_from] or block.text
        retriever = self._by_role[self._bundle.source_of(block.sources[0]).role]
        near = retriever.rank(said, MOST + len(block.sources), LEAST)
        return tuple(c.passage for c in near if c.passage not in block.sources)[:MOST]
