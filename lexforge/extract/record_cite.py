"""Citations to the record: docket entries, exhibits, declarations, pleadings, testimony, appendices (Bluebook B17)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from lexforge.domain.mentions import Mention, MentionKind, RecordCiteValue, RecordForm
from lexforge.extract.fold import Folded, Spot, fold, mask, near

_LONGEST_RANGE = 2_000
_N = r"\d{1,5}(?:[-–—]\d{1,5})?"
_MORE = r"(?:, (?:and |& )?| & | and )"
_PARAS = rf"(?:¶¶? ?|[Pp]ara(?:graph|\.)?s? )(?P<paragraphs>{_N}(?:{_MORE}{_N}(?![\w:]|\.\d))*)"
_DASH = "[-‐‑–—]"
_LINES = rf"\d{{1,5}}:\d{{1,3}}(?: ?{_DASH} ?(?:\d{{1,5}}:)?\d{{1,3}}| (?:to|through) \d{{1,5}}:\d{{1,3}})?"
_ANOTHER = rf"(?:{_LINES}|\d{{1,5}}{_DASH}\d{{1,5}}(?![\w:]|[-.]\d)|\d{{2,5}}(?![\w:]|\.\d))"
_PLACES = rf"(?:{_LINES}|{_N})(?:(?:{_MORE}|; ){_ANOTHER})*"
_PAGES = rf"(?:PageID(?:\.| ?#:? ?)?|pp?\. ?|pages? )?(?P<pages>{_PLACES})"
_PIN = rf"(?:,? (?:at )?{_PARAS}|,? at {_PAGES}|,? (?:pp?\. ?|pages? ){_PAGES.replace('pages>', 'pages2>')})"
_NAME = r"(?:[A-Z][\w'’\-]*\.? )(?:(?:[A-Z][\w'’\-]*\.?|de|van|von|la) ){0,3}?"
_ORDINAL = r"(?:First|Second|Third|Fourth|Fifth|\d(?:st|nd|rd|th|d))"

_DOCKET = re.compile(
    r"\b(?P<document>(?:Dkts?\.?|ECF|CM/ECF|Docs?\.|D\.E\.|DE|D\.I\.|Docket(?: Entry)?|Rec\. Doc\.|NEF|Document)"
    rf"(?: ?(?:Nos?\.?|[Ee]ntry|#))?(?: ?#)? ?\[?(?P<number>\d{{1,4}}(?:-\d{{1,3}})?)\]?(?![\w:]|-\w))(?P<more>"
    rf"(?:{_MORE}\d{{1,4}}(?:-\d{{1,3}})?(?![\w:,]|\.\d))*){_PIN}?"
)
_EXHIBIT = re.compile(
    rf"\b(?P<document>(?:(?:{_ORDINAL}|Def(?:endant|s?\.|endants)?(?:['’]s?)?|Pl(?:aintiff|s?\.|aintiffs)?"
    rf"(?:['’]s?)?|Trial|Tr\.|Gov['’]t|Joint|Dep\.|Hr['’]g) )?"
    rf"(?:Exs?\.|Exhibits?|EXHIBIT|Attachment|Attach\.|Tab) ?(?:No\. )?(?P<number>[A-Z]{{1,3}}(?:-?\d{{1,4}})?"
    rf"|\d{{1,4}}[A-Z]?(?:-[A-Z\d]{{1,3}})?)(?![\w:]))(?P<more>(?:{_MORE}(?:[A-Z]{{1,2}}(?:-?\d{{1,4}})?"
    rf"|\d{{1,4}}[A-Z]?)(?![\w:]|\.\d))*){_PIN}?"
)
_DECLARATION = re.compile(
    rf"\b(?P<document>{_NAME}(?:(?:Supp(?:l|lemental)?\.? |Reply |Opp(?:['’]n)?\.? )?(?:Decls?\.|Affs?\.|Affirm\."
    rf"|Affid\.|Certif\.|Cert\.|Verif\.|Rep\.|Rpt\.))|Decl\. of {_NAME.strip()}(?:[A-Z][\w'’\-]*)?)(?:{_PIN}|,? "
    rf"(?P<place>Exs?\. ?\w{{1,3}}\b(?! ¶)))?"
)
_SPELLED_DECLARATION = re.compile(
    rf"\b(?P<document>(?:{_NAME}(?:Declaration|Affidavit|Affirmation|Certification|Report)"
    rf"|(?:Declaration|Affidavit) of {_NAME}(?:[A-Z][\w'’\-]*)?)) ?{_PIN}"
)
_PLEADING_NAME = (
    rf"(?:(?:{_ORDINAL} )?(?:(?:Am(?:ended|\.)|Suppl?(?:emental|\.)|Verified|Consol(?:idated|\.)|Third-Party"
    rf"|Original|Class Action) )*"
    r"(?:Compl(?:aint|s?\.)|Pet(?:ition|\.)|Counterclaims?|Countercl\.|Cross-?cl(?:aim|\.)|Indictment|Information)"
    r"|[FST]AC|FACC|"
    r"(?:Am(?:ended|\.) )?Ans(?:wer|\.)|(?:Reply )?(?:RSUMF|SUMF|PSUMF|DSUMF|SOF|PSOF|DSOF|RSOF|SUF|UMF|UF|SMF|CSMF"
    r"|JSUF)|(?:(?:Local )?Rule )?56\.1 (?:Statement|Stmt\.|Resp(?:onse|\.)|Counterstatement)"
    r"|(?:Joint )?(?:Stmt\.|Statement) of (?:(?:Undisputed|Material|Uncontested) )*Facts|Stip(?:ulation|\.)"
    r"(?: of Facts)?|Order|Op\.|Br(?:ief|\.)|Mem(?:orandum|\.)|Mot(?:ion|\.)|Opp(?:osition|['’]n)\.?|Reply|Resp"
    r"(?:onse|\.)|Agreement|Contract|Lease)"
)
_PLEADING = re.compile(rf"\b(?P<document>{_PLEADING_NAME}),? ?(?:{_PARAS})")
_PLEADING_PAGE = re.compile(
    rf"\b(?P<document>(?:(?:Am\.|Def\.?['’]?s?\.?|Pl\.?['’]?s?\.?) )?(?:Compl\.|Answer|Opp['’]n|Mot\.|Br\.|Mem\."
    rf"|Reply|Op\.|Order|FAC|SAC)),? at {_PAGES}"
)
_TESTIMONY = re.compile(
    rf"\b(?P<document>(?:{_NAME})?(?:Dep(?:o|osition)?\.?(?: Tr(?:anscript|\.))?|Deposition)(?: of {_NAME}"
    rf"(?:[A-Z][\w'’\-]*)?)?(?:,? [Vv]ol\. ?[\dIVX]+)?),? ?(?:at |Tr\. )?(?:pp?\. ?)?(?P<pages>{_PLACES})"
)
_TRANSCRIPT = re.compile(
    rf"\b(?P<document>(?:(?:\d{{1,2}}/\d{{1,2}}/\d{{2,4}} )?(?:(?:Trial|Hr['’]g|Hearing|Sent(?:encing|['’]g)"
    rf"|Oral Arg(?:ument|\.)|Plea|Suppression|Bench|Jury|Status Conf\.|PI) |{_NAME})?(?:Tr\.|Transcript)|RT|R\.T\."
    rf"|N\.T\.)"
    rf"(?:,? [Vv]ol\. ?[\dIVX]+)?),? ?(?:at )?(?:pp?\. ?)?(?P<pages>{_PLACES})"
)
_APPENDIX = re.compile(
    r"(?<![\w.])(?P<document>(?:\d{1,2}[- ])?(?:J\. ?A\.|JA|Pet\. App\.|Supp\. App\.|App(?:['’]x|x|endix)?\.?(?= at"
    r"| ?\d)|Add\.|S\.A\.|SA|A\.R\.|AR|C\.R\.|CR|C\.T\.|CT|ROA|S?ER|E\.R\.|RE|R\.(?= (?:at|\d)|\d)|Rec\.(?= (?:at"
    r"|\d))|Record(?= at)|R\.R\.|Supp\. R\.|TR))"
    rf"(?:\.| at |-| )?(?P<pages>A?\d{{1,6}}[a-z]?(?:[-–—]A?\d{{1,6}}[a-z]?)?(?:{_MORE}\d{{2,6}}(?![\w:]|\.\d))*)"
    rf"(?![\w:])(?!,\d)"
)

_PARA_SIGN = re.compile(r"¶|[Pp]ara")
_PATTERNS: tuple[tuple[re.Pattern[str], RecordForm, re.Pattern[str]], ...] = (
    (_DOCKET, RecordForm.DOCKET, re.compile(r"D[ok][ct]|ECF|D\.[EI]\.|DE |Rec\.|NEF")),
    (_DECLARATION, RecordForm.DECLARATION, re.compile(r"Decl|Aff|Cert|Verif|Rep\.|Rpt")),
    (_SPELLED_DECLARATION, RecordForm.DECLARATION, re.compile(r"Declar|Aff|Certif|Report")),
    (_PLEADING, RecordForm.COMPLAINT, _PARA_SIGN),
    (_PLEADING_PAGE, RecordForm.COMPLAINT, re.compile(r",? at (?:p|\d)")),
    (_TESTIMONY, RecordForm.DEPOSITION, re.compile("Dep")),
    (_TRANSCRIPT, RecordForm.TRANSCRIPT, re.compile(r"Tr\.|Transcript|R\.?T|N\.T\.")),
    (_EXHIBIT, RecordForm.EXHIBIT, re.compile(r"E[xX][hHs.]|Attach|Tab")),
    (
        _APPENDIX,
        RecordForm.APPENDIX,
        re.compile(r"(?:[A-Z]\.|[A-Z]{2,3}|App\S*|Add\.|Rec\.|Record|App)[. -]{0,2}(?:at )?\d|R\d"),
    ),
)
_BEFORE, _AFTER = 80, 200
_LAST_LINE = 28
"""The highest line number that reporters print."""
_PLACE = re.compile(rf"(\d+):(\d+)(?: ?(?:{_DASH}|to|through) ?(?:(\d+):)?(\d+))?|(\d+)(?:{_DASH}(?:[A-Z]+)?(\d+))?")


class Lines(NamedTuple):
    """Testimony from one printed page and line to another, both included, as (page, line) each."""

    first: tuple[int, int]
    last: tuple[int, int]


def find(text: str) -> tuple[Mention, ...]:
    """Record cites in `text`, sorted and disjoint.

    `document` is the document as written; `paragraphs` and `pages` are expanded ("12-15" gives four, "27-9" gives 27 to
    29; a range that runs backwards keeps its two ends). `lines` holds first and last line of each page:line place.
    """
    folded: Folded = fold(text)
    return folded.mentions(scan(folded.text))


def scan(text: str) -> list[Spot]:
    """Record cites in a folded text from which citations of law are masked."""
    spots: list[Spot] = []
    for pattern, form, trigger in _PATTERNS:
        matches = near(pattern, trigger, text, _BEFORE, _AFTER)
        found = [spot for match in matches if _is_cite(text, match, form) for spot in _spots(match, form)]
        if found:
            spots += found
            text = mask(text, found)
    return sorted(spots, key=lambda spot: spot.start)


def _spots(found: re.Match[str], form: RecordForm) -> Iterator[Spot]:
    groups = found.groupdict()
    document = _document(groups["document"])
    begin = found.start("document") + len(groups["document"]) - len(document)
    if "Decl" not in document and form is RecordForm.DECLARATION and not _has_place(groups):
        return
    if re.match(r"(?:S|H\. ?R)\. ", document):
        return  # a committee report
    pages, ranges = places(groups.get("pages") or groups.get("pages2") or "")
    lines = tuple(line for one in ranges for line in (one.first[1], one.last[1]))
    value = RecordCiteValue(
        form=form, document=document, paragraphs=numbers(groups.get("paragraphs") or ""), pages=pages, lines=lines
    )
    more = groups.get("more") or ""
    if not more or _has_place(groups):
        yield Spot(begin, found.end(), MentionKind.RECORD_CITE, value)
        return
    number = groups["number"] or ""
    value = value.model_copy(update={"document": f"{_series_name(document)} {number}"})
    yield Spot(begin, found.start("more"), MentionKind.RECORD_CITE, value)
    for other in re.finditer(r"[A-Z\d][\w-]*", more):
        start = found.start("more") + other.start()
        part = RecordCiteValue(form=form, document=f"{_series_name(document)} {other[0]}")
        yield Spot(start, start + len(other[0]), MentionKind.RECORD_CITE, part)


def _series_name(document: str) -> str:
    """What each further letter of a list is one of: "Ex." of "Exs. A"."""
    name = document.rsplit(" ", 1)[0]
    return re.sub(r"s(?=\.?$)", "", name)


def _is_cite(text: str, match: re.Match[str], form: RecordForm) -> bool:
    """Whether "App. 33" is an appendix and not the end of a reporter's name ("Md. App. 33")."""
    if form is not RecordForm.APPENDIX or not match["document"].startswith(("App", "R.", "Add", "Rec", "S.A")):
        return True
    return _ABBREVIATION_BEFORE.search(text, max(0, match.start() - 10), match.start()) is None


_ABBREVIATION_BEFORE = re.compile(r"(?:\b[A-Z][a-z]{0,5}\.|\d[a-z]{1,2}) $")


def _has_place(groups: dict[str, str | None]) -> bool:
    return any(groups.get(name) for name in ("paragraphs", "pages", "pages2", "place"))


def _document(written: str) -> str:
    """The document as written, without a signal that the name pattern took in."""
    words = written.split(" ")
    while len(words) > 1 and words[0].rstrip(",").lower() in _SIGNALS:
        words.pop(0)
    return " ".join(words)


_SIGNALS = frozenset("see also in the and cf. accord compare but per at as id. id".split())


def numbers(written: str) -> tuple[int, ...]:
    """Every number of a list of numbers and ranges; "141-43" means 141 to 143 (Bluebook 3.2(a))."""
    return _expand(written, r"(\d+)(?:[-–—](\d+))?", _range)


def _range(found: re.Match[str]) -> tuple[int, ...]:
    first, tail = found[1], found[2]
    if tail is None:
        return (int(first),)
    last = int(first[: -len(tail)] + tail if len(tail) < len(first) else tail)
    if not int(first) <= last <= int(first) + _LONGEST_RANGE:
        return (int(first), last)
    return tuple(range(int(first), last + 1))


def places(written: str) -> tuple[tuple[int, ...], tuple[Lines, ...]]:
    """Pages and lines of "27:1-3, 45:12-46:3" or "12-15"; the pages are also those on which the lines stand.

    A number behind a line is a further line of that page where it can be one ("34:12-18, 20-22"), else a page.
    """
    pages: list[int] = []
    lines: list[Lines] = []
    for found in _PLACE.finditer(written):
        if found[5] is None:
            page = int(found[1])
            last_page = numbers(f"{page}-{found[3]}")[-1] if found[3] else page
            pages += _range_of(page, last_page)
            lines.append(Lines((page, int(found[2])), (last_page, int(found[4] or found[2]))))
        elif lines and lines[-1].last[1] < int(found[5]) <= int(found[6] or found[5]) <= _LAST_LINE:
            page = lines[-1].last[0]
            lines.append(Lines((page, int(found[5])), (page, int(found[6] or found[5]))))
        else:
            pages += numbers(found[5] + (f"-{found[6]}" if found[6] else ""))
    return tuple(pages), tuple(lines)


def _range_of(first: int, last: int) -> tuple[int, ...]:
    return tuple(range(first, last + 1)) if first <= last <= first + _LONGEST_RANGE else (first, last)


def _expand(written: str, pattern: str, expand: Callable[[re.Match[str]], tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(number for found in re.finditer(pattern, written) for number in expand(found))
