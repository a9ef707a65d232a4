"""Statutes and regulations, with and without a section sign (Bluebook rules 12 and 14, table T1)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexforge.domain.mentions import CitationForm, CitationValue, MentionKind
from lexforge.extract.fold import Spot, near

SUBSECTIONS = r"(?:\([A-Za-z0-9]{1,5}\))*"
SECTION = rf"\d[\w.:]*(?:[-–][\w.:]+)*(?<![.:]){SUBSECTIONS}"
SIGN = r"(?:§§? ?|[Ss]ec(?:tion|t?\.)s?,? )"
_MORE = re.compile(
    rf"(?:, (?:and |& |or )?| and | & | or |; )(?:§§? ?)?(?P<section>{SECTION})(?! ?(?:U\.|C\.F|F\.|S\.|Fed|USC|CFR"
    rf"|Stat|[A-Z][a-z]+\.? \d))"
)
_YEAR = re.compile(
    r" \((?:(?:West|LexisNexis|Lexis|Supp\.?[^()\d]{0,12}|[A-Z][\w. &'’]{1,30}) )?(?:1[6-9]|20)\d\d"
    r"(?: & Supp\.[^()]{0,20})?\)"
)

STATE_ABBREVIATIONS = (
    r"Ala\.|Alaska|Ariz\.|Ark\.|Cal\.|Colo\.|Conn\.|Del\.|D\. ?C\.|Fla\.|Ga\.|Haw\.|Idaho|Ill\.|Ind\.|Iowa|Kan\."
    r"|Ky\.|La\."
    r"|Me\.|Md\.|Mass\.|Mich\.|Minn\.|Miss\.|Mo\.|Mont\.|Neb\.|Nev\.|N\. ?[HJMYCD]\.|Ohio|Okla\.|Or\.|Pa\.|P\. ?R\."
    r"|R\. ?I\.|S\. ?[CD]\.|Tenn\.|Tex\.|Utah|Vt\.|Va\.|Wash\.|W\. ?Va\.|Wis\.|Wyo\."
)
STATES = (
    STATE_ABBREVIATIONS + r"|Alabama|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii"
    r"|Illinois|Indiana|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri"
    r"|Montana|Nebraska|Nevada|New (?:Hampshire|Jersey|Mexico|York)|(?:North|South) (?:Carolina|Dakota)|Oklahoma|Oregon"
    r"|Pennsylvania|Rhode Island|Tennessee|Texas|Vermont|(?:West )?Virginia|Washington|Wisconsin|Wyoming"
)
_CODE_WORD = r"(?:Code|Stats?|Laws?|Ann|Rev|Gen|Comp|Consol|Cons|Regs?|Act|C\.P\.L\.R|CPLR|Admin|Pub|Proc)\b"
_STATE_RUN = (
    rf"(?:(?:{STATES})(?: (?:[A-Z][\w.'’&]*|&|of|and))*?(?: (?:{_CODE_WORD})\.?)(?: (?:[A-Z][\w.'’]*|&|of"
    rf"|and))*?,?)"
)
_STATE = re.compile(
    rf"(?P<code>{_STATE_RUN}(?: (?:ch|c|tit|pt|art|subch)\. ?[\w.]+,)*) ?(?:(?:{SIGN})(?P<section>{SECTION})"
    rf"|(?:(?<=R\. )|(?<=Code )|(?<=Stat\. )|(?<=Ann\. ))(?P<bare>\d[\w.\-]*\d[\w]*{SUBSECTIONS}))"
)
_TITLE_FIRST = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,3}}) (?P<code>(?:{STATES})(?: (?:[A-Z][\w.'’&]*|&|of))*?,?) ?(?:{SIGN})"
    rf"(?P<section>{SECTION})"
)
_CHAPTER = re.compile(
    rf"(?P<code>(?:{STATES}) (?:[A-Z][\w.'’]*\.? ){{0,3}}(?:Laws|Stat\.|Code)(?: Ann\.)?),? (?:ch|c|tit)\. "
    rf"(?P<section>\d[\w.\-]*)"
)
_ACRONYM = re.compile(
    rf"\b(?P<code>(?:N\.Y\. )?C\.?P\.?L\.?R\.?|RCW|ORS|NRS|NMSA|HRS|MCA|SDCL|KRS|NYCRR|CCP|I\.C\.|O\.C\.G\.A\."
    rf"|A\.R\.S\.|C\.R\.S\.|M\.G\.L\.(?: ch?\. ?\w+,)?"
    rf"|G\.L\.(?: ch?\. ?\w+,)?|N\.J\.S\.A\.|N\.J\.A\.C\.|M\.C\.L\.(?:A\.)?|R\.C\.|C\.G\.S\.|R\.S\.Mo\.|RSMo"
    rf"|K\.S\.A\.|ILCS|Pa\.C\.S\.A?\.?|U\.C\.C\.|UCC|U\.S\.S\.G\.|USSG),? ?"
    rf"(?:§§? ?)?(?P<section>{SECTION})"
)
_NUMBERED_ACRONYM = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,4}}) (?P<code>NYCRR|N\.Y\.C\.R\.R\.|ILCS|Pa\. ?C\.S\.A?\.?|P\.S\.|M\.R\.S\.A?\.?"
    rf"|V\.S\.A\.|CMR|C\.M\.R\.|D\.C\.M\.R\.|I\.A\.C\.|CSR|C\.S\.R\.),? ?(?:§§? ?)?(?P<section>(?:\d+/)?{SECTION})"
)
_NAMED_CODE = re.compile(
    rf"(?P<code>(?:(?:Penal|Civil|Civ\.|Evid(?:ence|\.)|Fam(?:ily|\.)|Lab(?:or|\.)|Gov(?:ernment|ernmental|\."
    rf"|['’]t\.?)|Prob(?:ate|\.)|Veh(?:icle|\.)|Ins(?:urance|\.)"
    r"|Corp(?:orations|\.)|Com(?:mercial|\.)|Bankruptcy|Internal Revenue|Bus(?:iness|\.) (?:&|and) Prof(?:essions"
    r"|\.)|Health (?:&|and) Saf(?:ety|\.)|Welf\. & Inst\.|Unif\. Com\.) Code"
    rf"|(?:Code|Code of) Civ(?:\.|il) Proc(?:\.|edure)|I\.R\.C\.)),? (?:{SIGN})(?P<section>{SECTION})"
)
_USC = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,2}})(?:,? )(?P<code>U\. ?S\. ?C\.(?: ?[AS]\.)?|USC[AS]?|United States Code)(?: App"
    rf"(?:endix|x|\.)?)?,? ?(?:(?:{SIGN})|ss? (?=\d)|(?=\d))(?P<section>{SECTION})"
)
_USC_PROSE = re.compile(
    rf"\b[Tt]itle (?P<title>\d{{1,2}}),? (?:of the )?(?P<code>United States Code|U\. ?S\. ?C(?:ode|\.)"
    rf"|Code of Federal Regulations|C\.F\.R\.),? (?:at )?(?:{SIGN}|[Pp]art )(?P<section>{SECTION})"
)
_SECTION_OF_TITLE = re.compile(
    rf"\b[Ss]ections? (?P<section>{SECTION}) of [Tt]itle (?P<title>\d{{1,2}})(?:,? (?:of )?(?:the )?"
    rf"(?P<code>United States Code|U\. ?S\. ?C(?:ode|\.)|Code of Federal Regulations))?"
)
_CFR = re.compile(
    rf"(?<![\w.])(?P<title>\d{{1,2}}) (?P<code>C\. ?F\. ?R\.|CFR),? ?(?:{SIGN}|[Pp](?:art|t\.) )?(?P<section>{SECTION})"
)
_FED_REG = re.compile(
    r"(?<![\w.])(?P<title>\d{1,3}) (?P<code>Fed\. ?Reg\.|F\.R\.|FR) (?P<section>\d[\d,]{2,}(?<!,))(?:, \d[\d,]*"
    r"(?:[-–]\d+)?(?![\w.]))*(?: \([^()]{0,40}\d{4}\))?"
)
_PUB_L = re.compile(
    r"\b(?P<code>Pub(?:lic|\.)? ?L(?:aw|\.)?) ?(?:Nos?\. ?)?(?P<section>\d{2,3}[-–]\d{1,3})(?:,? (?:§§? ?|[Ss]ec"
    r"(?:tion|\.) )\d[\w.\-()]*)?"
)
_STAT = re.compile(
    r"(?<![\w.])(?P<title>\d{1,3}) (?P<code>Stat\.) (?P<section>\d+)(?P<pin>(?:, \d+(?:[-–]\d+)?(?![\w–-]"
    r"| [A-Z]))*)"
)
_ACT_SECTION = re.compile(
    rf"\b[Ss]ec(?:tion|\.)s? (?P<section>{SECTION})(?:,? (?:and|or) (?P<more>{SECTION}))? of (?:the )?(?P<code>"
    rf"(?:[A-Z][\w.'’\-]*|of|and|the|for|&)(?: (?:[A-Z][\w.'’\-]*|of|and|the|for|&))* Act(?: of (?:1[789]"
    rf"|20)\d\d)?)"
)
_BARE_SECTION = re.compile(rf"§§? ?(?P<section>{SECTION})")
_ACT = re.compile(r"\b(?:[A-Z][\w'’\-]*(?: (?:[A-Z][\w'’\-]*|of|and|the|for|&|with))*? Act|Act) of (?:1[789]|20)\d\d\b")
_ACT_YEAR = re.compile(r"\bAct of (?:1[789]|20)\d\d\b")

_STATUTE, _REGULATION = CitationForm.STATUTE, CitationForm.REGULATION
# Each pattern with a cheap one that must match near by: most of a text is spared the long lists of states and codes.
_SIGNED = re.compile("§")
_CODES = re.compile(r"§|[Ss]ection|[Ss]ec\. |Code \d|(?:Ann|Stat|R)\. \d")
_TITLES = re.compile(r"[Tt]itle \d")
_AFTER_NUMBER = re.compile(
    r"(?<=\d )(?:U\. ?S\. ?C|USC|C\. ?F\. ?R|CFR|United States Code|Fed\. ?Reg|F\.?R\.? \d|Stat\.)|(?<=\d, )U\.S\.C"
)
_CAPITALS = re.compile(r"\b(?:[A-Z]{3,6}|(?:[A-Z]\.){2,5})[A-Z]?\.?,? ?(?:§|ch?\.|\d)")
_PATTERNS: tuple[tuple[re.Pattern[str], CitationForm, re.Pattern[str]], ...] = (
    (_USC, _STATUTE, _AFTER_NUMBER),
    (_USC_PROSE, _STATUTE, _TITLES),
    (_SECTION_OF_TITLE, _STATUTE, _TITLES),
    (_CFR, _REGULATION, _AFTER_NUMBER),
    (_FED_REG, _REGULATION, _AFTER_NUMBER),
    (_PUB_L, _STATUTE, re.compile("Pub")),
    (_STAT, _STATUTE, _AFTER_NUMBER),
    (_TITLE_FIRST, _REGULATION, _SIGNED),
    (_NUMBERED_ACRONYM, _STATUTE, _CAPITALS),
    (_STATE, _STATUTE, _CODES),
    (_CHAPTER, _STATUTE, re.compile(r"\b(?:ch|c|tit)\. \d")),
    (_ACRONYM, _STATUTE, _CAPITALS),
    (_NAMED_CODE, _STATUTE, _CODES),
    (_ACT_SECTION, _STATUTE, re.compile(r"[Ss]ec(?:tion|\.)s? \d")),
    (_BARE_SECTION, _STATUTE, _SIGNED),
)
_BEFORE, _AFTER = 110, 160
_REGULATION_WORDS = re.compile(
    r"Regs?\b|Admin|NYCRR|N\.Y\.C\.R|N\.J\.A\.C|\bC\.M\.R|CMR|D\.C\.M\.R|I\.A\.C|C\.?S\.?R\b|Regulations"
)
_CANONICAL = (
    (re.compile(r"U\. ?S\. ?C\.|USC|United States Code|U\. ?S\. ?Code"), "U.S.C."),
    (re.compile(r"C\. ?F\. ?R\.|CFR|Code of Federal Regulations"), "C.F.R."),
)


def statutes(text: str) -> Iterator[Spot]:
    """Spots of statutes, regulations and session laws in a folded text; they may overlap, the longest is meant.

    `volume` is the title, `reporter` the code, `section` the number, `subsections` the parentheses. "§ 1983" alone has
    no `reporter`. Each further section of "§§ 1 and 2" is a spot of its own with the same code.
    """
    for pattern, form, trigger in _PATTERNS:
        for found in near(pattern, trigger, text, _BEFORE, _AFTER):
            yield from _with_further_sections(text, found, form)


def _with_further_sections(text: str, found: re.Match[str], form: CitationForm) -> Iterator[Spot]:
    groups = found.groupdict()
    section = groups.get("section") or groups.get("bare") or ""
    code = " ".join((groups.get("code") or "").split()).rstrip(",")
    if _REGULATION_WORDS.search(code):
        form = _REGULATION
    title = groups.get("title")
    end = found.end()
    if year := _YEAR.match(text, end):
        end = year.end()
    value = _value(form, title, code, section)
    if more_section := groups.get("more"):
        yield Spot(found.start(), found.end("section"), MentionKind.CITATION, value)
        yield Spot(found.start("more"), end, MentionKind.CITATION, _value(form, title, code, more_section))
        return
    if pin := (groups.get("pin") or "").strip(" ,"):
        value = value.model_copy(update={"pin": pin})
    yield Spot(found.start(), end, MentionKind.CITATION, value)
    plural = "§§" in found[0] or re.search(r"[Ss]ections |[Ss]ecs?\. ", found[0])
    while plural and (more := _MORE.match(text, end)):
        end = more.end()
        yield Spot(more.start("section"), end, MentionKind.CITATION, _value(form, title, code, more["section"]))


def _value(form: CitationForm, title: str | None, code: str, section: str) -> CitationValue:
    head, parts = split_section(section)
    for pattern, canonical in _CANONICAL:
        if pattern.match(code):
            code = canonical
    page = head if code in ("Stat.", "Fed. Reg.") else None
    return CitationValue(
        form=form, volume=title, reporter=code or None, section=None if page else head, subsections=parts, page=page
    )


def split_section(section: str) -> tuple[str, tuple[str, ...]]:
    """("12", ("b", "6")) of "12(b)(6)"."""
    head, *rest = section.split("(")
    return head, tuple(part.rstrip(")") for part in rest)


def acts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of popular names that end in a year ("Civil Rights Act of 1964"), where the year is no date of a fact."""
    return (found.span() for found in near(_ACT, _ACT_YEAR, text, _BEFORE, 0))
