"""The account of a bundle: what became of every file, without a word of any of them."""

from __future__ import annotations

from lexforge.domain.evidence import Bundle, FileRecord, Notice
from lexforge.domain.record import Record


class Derived(Record):
    """How many passages of a source were pasted from which drafts of ours."""

    path: str
    passages: int
    drafts: tuple[str, ...]


class Account(Record):
    """Of the bundle with the hash `bundle`; the shares (0 to 1) are of the evidence files and of their words."""

    bundle: str
    files: tuple[FileRecord, ...]
    notices: tuple[Notice, ...]
    own_output: int
    own_output_share: float
    own_output_words: float
    derived: tuple[Derived, ...]

    @classmethod
    def of(cls, bundle: Bundle) -> Account:
        """The account of this bundle."""
        pasted = ((s.path, [p.derived_from for p in s.passages if p.derived_from is not None]) for s in bundle.evidence)
        return cls(
            bundle=bundle.content_sha256,
            files=bundle.files,
            notices=bundle.notices,
            own_output=len(bundle.own_output),
            own_output_share=bundle.own_output_share,
            own_output_words=bundle.own_output_words,
            derived=tuple(
                Derived(path=path, passages=len(drafts), drafts=tuple(sorted(set(drafts))))
                for path, drafts in pasted
                if drafts
            ),
        )
