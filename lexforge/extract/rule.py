"""Rules of procedure and of courts, constitutions, Restatements and dictionaries (Bluebook rules 11, 12.9.3, 15)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexforge.domain.mentions import CitationForm, CitationValue, MentionKind
from lexforge.extract.fold import Spot, near
from lexforge.extract.statute import STATES, SUBSECTIONS, split_section

_NUMBER = rf"\d+[A-Za-z]?(?:[.\-]\d+[a-z]?)*{SUBSECTIONS}"
_FEDERAL = re.compile(
    r"\b(?P<code>Fed\. ?R(?:ule)?s?\.? ?(?:of )?(?:Civ|Crim|App|Bankr|Evid)\.?(?: ?P(?:roc)?\.?)?|F\. ?R\. ?(?:Civ"
    r"|Crim|App|Bankr|Evid)\.?(?: ?P\.?)?"
    r"|FRCP|FRE|FRAP|FRCrP|FRCrimP|FRBP|F\.R\.C\.P\.|F\.R\.E\.|F\.R\.A\.P\."
    r"|Federal Rules? of (?:(?:Civil|Criminal|Appellate|Bankruptcy) Procedure|Evidence)),? ?(?:[Rr]ules? )?(?P<number>"
    + _NUMBER
    + r")"
)
_LOCAL = re.compile(
    r"\b(?P<code>(?:(?:[NSEWCDM]\.? ?){1,2}D\.? ?(?:[A-Z][\w.]*\.? )?|D\. [A-Z][a-z]+\.? |\d{1,2}(?:st|nd|rd|th"
    r"|d) Cir\. )?"
    r"(?:(?:Civ(?:il|\.)?|Crim(?:inal|\.)?|Bankr\.?|Patent|App\.) )?(?:Local|Loc\.|L\.|L)(?: ?(?:Civ(?:il|\.)?|Crim"
    r"(?:inal|\.)?|Bankr(?:uptcy|\.)?|App(?:ellate|\.)?|Admin\.|Patent|Pat\.))?"
    r" ?(?:Rules?|R\.)|LCvR|LCrR|LR|L\.Civ\.R\.) ?(?P<number>" + _NUMBER + r")"
)
_STATE_RULE = re.compile(
    rf"\b(?P<code>(?:(?:{STATES}|Sup\. ?Ct\.|S\. ?Ct\.|\d{{1,2}}(?:st|nd|rd|th|d) Cir\.|D\.C\. Cir\.|Fed\. Cir\."
    rf"|Model) (?:(?:Sup|Ct|Super)\.? ){{0,2}}"
    rf"R(?:ules?|\.)(?: (?:of )?[A-Z][\w.]*){{0,4}}(?:, rule)?)) ?(?P<number>{_NUMBER})"
)
_PLAIN = re.compile(
    rf"\b(?P<code>(?:(?:[A-Z]{{2,6}}|Model|Bankruptcy|Circuit|Supreme Court|Civil|Criminal|Evidence) )?Rules?) "
    rf"(?P<number>{_NUMBER})"
)
_MORE = re.compile(rf"(?:, (?:and |& |or )?| and | & | or )(?P<number>{_NUMBER})(?=[\s.,;)\]]|$)")
_CONSTITUTION = re.compile(
    rf"\b(?P<code>(?:U\. ?S\.|{STATES}) Const(?:\.|itution)),? (?P<part>(?:art(?:\.|icle)|amend(?:\.|ment)s?|pmbl\."
    rf"|Preamble) ?(?:[IVXLC]+\b|\d+)?)(?P<rest>(?:, (?:§§? ?|sec(?:tion|\.) |cls?\. ?)\d+[\d\-–, ]*(?<![, ])"
    rf"(?:\(\w\))*)*)"
)
_RESTATEMENT = re.compile(
    r"\b(?P<code>Restatement(?: \((?:First|Second|Third|Fourth)\))? (?:of )?(?:the )?(?:[A-Z]\w*|of|and|&)(?: "
    r"(?:[A-Z]\w*\.?|of|and|&|the|in|for))*?(?:: [A-Z][\w .&]*?)?),? §§? ?(?P<number>\d+\w*(?:\(\w\))*"
    r"(?: cmts?\. ?\w+)?)(?: \((?:Am\. L\. Inst\. )?\d{4}\))?"
)
_DICTIONARY = re.compile(
    r"\b(?P<code>[A-Z][a-z]+[’']s (?:Law )?Dictionary|Webster[’']s[\w’' ]{0,60}Dictionary),? (?P<number>\d{1,4})"
    r"(?: \([^()]{0,30}\d{4}\))?"
)
_TREATISE = re.compile(
    r"(?<![\w.])\d{1,2}[A-Z]? (?P<code>(?!U\. ?S|USC|C\. ?F\. ?R|CFR|Stat|Fed\.|In )[A-Z][\w.'’]*(?:,? "
    r"(?:[A-Z][\w.'’]*|&|and|of|on|the|et al\.|in))+),? § ?(?P<number>\d[\w.:\-]*(?<![.:]))"
    r"(?: \([^()]{0,40}\d{4}[^()]{0,20}\))?"
)
_COMMITTEE = re.compile(
    r"\b(?P<code>(?:S|H\. ?R)\. ?(?:Conf\. )?(?:Rep|Doc|Res)\.),? Nos?\. (?P<number>\d{2,3}-\d{1,4})(?:, pt\. \d)?"
    r"(?:, (?:at |pp?\. )[\d, \-–]*\d)?(?: \(\d{4}\))?"
)

_RULE, _SECONDARY = CitationForm.RULE, CitationForm.SECONDARY
_RULES = re.compile(
    r"(?:R\.|R|P\.|P|E\.|E|[Rr]ules?|Procedure|Evidence|Civ\.|Crim\.|App\.|Evid\.|Bankr\.),? \d|rule \d|LR"
)
_SIGNED = re.compile("§")
_PATTERNS: tuple[tuple[re.Pattern[str], CitationForm, re.Pattern[str]], ...] = (
    (_FEDERAL, _RULE, _RULES),
    (_LOCAL, _RULE, _RULES),
    (_STATE_RULE, _RULE, _RULES),
    (_PLAIN, _RULE, _RULES),
    (_RESTATEMENT, _SECONDARY, re.compile("Restatement")),
    (_DICTIONARY, _SECONDARY, re.compile("Dictionary")),
    (_TREATISE, _SECONDARY, _SIGNED),
    (_COMMITTEE, _SECONDARY, re.compile(r"(?:Rep|Doc|Res)\.,? No")),
)
_CONST = re.compile("Const")
_BEFORE, _AFTER = 90, 130
_CANONICAL = (
    (
        re.compile(r"(?:F(?:ed\.|\.)? ?R(?:ule)?s?\.? ?(?:of )?Civ|FRCP|F\.R\.C\.P|Federal Rules? of Civil)"),
        "Fed. R. Civ. P.",
    ),
    (
        re.compile(r"(?:F(?:ed\.|\.)? ?R(?:ule)?s?\.? ?(?:of )?Crim|FRCr|Federal Rules? of Criminal)"),
        "Fed. R. Crim. P.",
    ),
    (
        re.compile(r"(?:F(?:ed\.|\.)? ?R(?:ule)?s?\.? ?(?:of )?App|FRAP|F\.R\.A\.P|Federal Rules? of Appellate)"),
        "Fed. R. App. P.",
    ),
    (
        re.compile(r"(?:F(?:ed\.|\.)? ?R(?:ule)?s?\.? ?(?:of )?Bankr|FRBP|Federal Rules? of Bankruptcy)"),
        "Fed. R. Bankr. P.",
    ),
    (
        re.compile(r"(?:F(?:ed\.|\.)? ?R(?:ule)?s?\.? ?(?:of )?Evid|FRE|F\.R\.E|Federal Rules? of Evidence)"),
        "Fed. R. Evid.",
    ),
)


def rules(text: str) -> Iterator[Spot]:
    """Spots of rules, constitutions and secondary works in a folded text; they may overlap, the longest is meant.

    `reporter` is the set of rules under its Bluebook name; it is None for "Rule 9(b)" alone. `section` is the number.
    """
    for pattern, form, trigger in _PATTERNS:
        for found in near(pattern, trigger, text, _BEFORE, _AFTER):
            yield from _with_further_rules(text, found, form)
    for found in near(_CONSTITUTION, _CONST, text, 30, 90):
        section = " ".join((found["part"] + found["rest"]).split())
        value = CitationValue(form=CitationForm.CONSTITUTION, reporter=found["code"], section=section)
        yield Spot(found.start(), found.end(), MentionKind.CITATION, value)


def _with_further_rules(text: str, found: re.Match[str], form: CitationForm) -> Iterator[Spot]:
    code = _canonical(found["code"])
    yield Spot(found.start(), found.end(), MentionKind.CITATION, _value(form, code, found["number"]))
    end = found.end()
    plural = form is _RULE and "ules" in found[0]
    while plural and (more := _MORE.match(text, end)):
        end = more.end()
        yield Spot(more.start("number"), end, MentionKind.CITATION, _value(form, code, more["number"]))


def _value(form: CitationForm, code: str | None, number: str) -> CitationValue:
    head, parts = split_section(number)
    return CitationValue(form=form, reporter=code, section=head, subsections=parts)


def _canonical(code: str) -> str | None:
    code = " ".join(code.split())
    for pattern, name in _CANONICAL:
        if pattern.match(code):
            return name
    return None if code in ("Rule", "Rules") else code
