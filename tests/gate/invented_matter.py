"""An invented matter: two opinions, a brief, two emails under Bates numbers, a declaration. Nobody in it exists."""

from __future__ import annotations

import re

from lexforge.domain.evidence import Bundle, Correspondence, Page, Passage, Role, Source

OPINION = """SUPREME COURT OF THE UNITED STATES

TEALWOOD FERRY CO. V. ORMSKIRK HARBOR AUTHORITY

991 U.S. 412 (2031)

No. 30-118.

Argued January 14, 2031.
Decided March 4, 2031.

[1] The harbor authority adopted a schedule of berthing fees on June 2, 2027. It did so without notice.

[2] A fee is not a tax merely because the authority calls it one. The statute, 46 U.S.C. § 9912(b), must be read as a
whole. See also §9914(a)(2).

[3] We have long held that a carrier may recover fees paid under protest, see Quillfeather v. Dunmore Lines, Inc.,
988 U. S. 77, 81 (2028), but only when the protest was in writ-
ing and was served in time.

[4] The ferry company, its agents, and the several masters of its vessels served the protest on July 9, 2027, in the
manner that the schedule requires.
"""

SLIP_FIRST = """United States Court of Appeals
For the Ninth Circuit

No. 33-2207

                       MARROWGATE MILLS, INC.,
                        Plaintiff, Appellant,

                                  v.

               PELLHAM SURETY COMPANY and OTHERS,
                       Defendants, Appellees.

                           May 6, 2034

"""
SLIP = (
    SLIP_FIRST,
    "HALE, Circuit Judge. The surety refused to defend the mill on\nOctober 3, 2032, and gave no reason.1 The mill then"
    " paid\n\n     1\n       The record does not show who wrote the refusal.\n\n                  -2-\n",
    "the judgment in full and asked to be made whole. Quillfeather\nv. Dunmore Lines, Inc., 988\n\n            -3-\n",
    "U.S. 77, 80 (2028), controls. The surety shall bear the costs. "
    "Cf. Nye v.\nOrrin, 612 F.4th 9, 14 (7th Cir. 2033). "
    "Its duty does not depend on the outcome.\n\n                 -4-\n",
)

EMAIL_ONE = (
    "From: Ada Quill\nSent: Tuesday, March 9, 2032 7:40 AM\nTo: Bram Oster\nSubject: Berths\n\n"
    "We counted 14 vessels at the north berth on March 2, 2032, and the fee for each was $1,250.00. The harbor master\n"
    "will not lift the hold before Friday.\n\nHARBOR-000101\n",
    "He asked for the ledger (document QX-40771) twice.\n\nHARBOR-000102\n",
)
EMAIL_TWO = (
    "From: Bram Oster\nSent: Wednesday, April 7, 2032 2:05 PM\nTo: Ada Quill\nSubject: Re: Berths\n\n"
    "The hold was lifted on April 5, 2032. The total was $17,500.00.\n\nHARBOR-000115\n",
)
DECLARATION = "DECLARATION OF CORA VANE\n\n" + "\n\n".join(
    f"{number}. {fact}"
    for number, fact in enumerate(
        (
            "I keep the books of the Ormskirk Harbor Authority.",
            "On June 2, 2027 the authority adopted a schedule of fees.",
            "I saw the written protest on July 9, 2027.",
            "The protest bears my signature.",
        ),
        start=1,
    )
)
BRIEF = (
    "MEMORANDUM OF POINTS AND AUTHORITIES\n\nDismissal is governed by Fed. R. Civ. P. 12(b)(6). The court in"
    " Ashgrove v. Tully, 77 F. Supp. 3d 101, 105 (D. Nev. 2029), said that “a late protest is no protest at all.”"
    " Ashgrove, 77 F. Supp. 3d at 106.\n",
)


def source(name: str, *pages: str, role: Role = Role.EVIDENCE, head: Correspondence | None = None) -> Source:
    """A source whose Bates numbers are the HARBOR stamps at the ends of its pages."""
    made = tuple(
        Page(
            number=number,
            text=text,
            bates=tuple(re.findall(r"^HARBOR-\d{6}$", text, re.MULTILINE)),
            passages=tuple(
                Passage(id=f"E-{name}:p{number}:¶{at}", page=number, start=m.start(), end=m.end(), text=m.group())
                for at, m in enumerate(re.finditer(r"\S.*", text), start=1)
            ),
        )
        for number, text in enumerate(pages, start=1)
    )
    folder = "authorities" if role is Role.AUTHORITY else "evidence"
    return Source(
        id=f"id-{name}", role=role, path=f"{folder}/{name}.txt", sha256_file="0" * 64, media_type="text/plain",
        extractor="text", pages=made, correspondence=head,
    )  # fmt: skip


TEALWOOD = source("tealwood", OPINION, role=Role.AUTHORITY)
MARROWGATE = source("marrowgate", *SLIP, role=Role.AUTHORITY)
MEMORANDUM = source("memorandum", *BRIEF, role=Role.AUTHORITY)
FIRST_EMAIL = source("berths", *EMAIL_ONE, head=Correspondence(author="Ada Quill", recipients=("Bram Oster",)))
SECOND_EMAIL = source("reply", *EMAIL_TWO, head=Correspondence(author="Bram Oster", recipients=("Ada Quill",)))
VANE = source("vane_declaration", DECLARATION)
SOURCES = (TEALWOOD, MARROWGATE, MEMORANDUM, FIRST_EMAIL, SECOND_EMAIL, VANE)
BUNDLE = Bundle(sources=SOURCES)


def without(*left_out: Source) -> Bundle:
    """The bundle without these sources."""
    return Bundle(sources=tuple(s for s in SOURCES if s not in left_out))
