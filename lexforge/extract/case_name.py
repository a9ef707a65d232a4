"""Case names: read backwards from a citation, or met in prose without one (Bluebook rule 10.2, tables T6 and T10)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexforge.extract.fold import MASKED

# Words that end in a period without ending a sentence: T6, T10, titles. Initials and multi-dot forms need no list.
_ABBREVIATIONS = frozenset(
    """ala ariz ark machs eur inv'rs off att'y acad acc acct adm'r admin adver ag agric all alt am appx ass'n assn
    assoc assocs assur atl auth auto ave bankr bd bhd bldg bros broad bus cal capt cas cent ch chem chi cir civ
    cls cmm'n cmm cmty cnty co coal col coll colo com comm comm'n comm'r comp compar compl computs condo conf
    cong conn consol const constr cont'l coop corp corr crim ct cty def del dep dep't dept det dev dir disc dist
    distrib div dr ec econ ed educ eff elec emp emp'r enf't eng'g eng'r ent ents env't envtl equal equip est
    ethn ex exch exec exp fam fed fed'n fid fin fl fla found ft ga gen gov gov't grp guar haw health hon hosp
    hous hum idaho ill imp imps inc ind indem indep indus info ins inst int'l inv invs ins iowa jr just kan kc
    ky la lab labs lib liab litig ltd mach maint mar mass md me mech med mem merch metro mfg mfr mfrs mich mid
    minn miss mkt mktg mo mont mortg mr mrs ms mt mun mut n nat nat'l neb nev no nw oh okla op or ord org pa pac
    par pers pet pharm pharms phil phys pl plc pol pres prob proc prod prods prof'l prop props prot pub publ'g
    rd rec ref reg regul rehab rel rels rep reprod res rest ret rev rr ry sav sch sci sec sec'y sen serv servs
    shareholder soc soc'y sol sr st stat std subcomm sup supp sur surv sw sys tax tech techs tel telecomm tenn
    arb behav commc'n commc'ns couns ctr ctrs emps enters env't'l exam'r expl glob hist immigr intell jud juv mag mem'l
    mgmt mkts orth pers'l prac psych redev resol rts scis secs sol'n surg tchr tpk urb
    tex theo tr transp trs twp u unempl unif univ util utils v va vt vend vill vs w wash wis wyo""".split()
)
_JOINERS = frozenset(
    """of the and for in on re parte du da dos las los de la del der di van von ex rel. et al. d/b/a a/k/a f/k/a as
    to by at""".split()
)
_SIGNALS = frozenset(
    """see also accord cf. cf but contra compare with under in as and e.g., e.g. citing quoting per following unlike
    like both while whereas because since although when where after before that the from held applying
    distinguishing however though here moreover further furthermore thus therefore similarly likewise indeed
    overruling reversed relying id. id these those then this such even if on to by at of for rev'd aff'd
    affirmed plaintiff defendant plaintiffs defendants v. vs. generally only unless an a no nor or""".split()
)
_SUFFIXES = re.compile(
    r"(?:(?:[A-Z]{2,5}|Inc|Ltd|L\.L\.C|LLP|L\.P|LP|Co|Corp|P\.C|N\.A|S\.A|Jr|Sr|II+|IV|et|Cos|PLC|P\.A)\b)"
)
_OPENERS = ("In re", "Ex parte", "Matter of", "In the Matter of", "Estate of", "In Re")
_VERSUS = re.compile(r" vs?\.? (?=[A-Z0-9“\"(])")
_WORD = re.compile(r"[^ \n]+")
_CAMEL = re.compile(r"[a-z]{1,2}[A-Z]")  # eBay, iRobot
_LABEL = re.compile(r"[\[(]?(?:\d{1,3}|[a-z]|[ivx]+)[\])]")
_LEAD_IN = re.compile(
    r"(?:^|^.* )(?:in|by|as|at|(?:[Aa]ccording|[Pp]ursuant|[Cc]ontrary|[Pp]rior|[Ss]imilar) to|[Bb]rief for .*) "
    r"(?=[A-Z].* vs?\.? )"
)
_OLD_COURT = re.compile(r",? (?:\((?:C\. ?C\. ?A\.|D\. ?C\.|C\. ?C\.)[^()]*\)|\d{1,2} Cir\.|O\. ?T\. \d{4})$")
_CITY_OR_YEAR = re.compile(r" ?[(\[][^()\[\]]*\d{4}[)\]]$")
_LONGEST = 240


def name_before(text: str, end: int, floor: int) -> int | None:
    """Start of the case name that ends at `end` (a comma or a California year may follow it), not before `floor`.

    None where no name stands there. Reads back over capitalised words, T6 abbreviations and joining words, through one
    "v.", and stops at a sentence end, a signal, or another citation.
    """
    floor = max(floor, end - _LONGEST, 0)
    floor = max(floor, text.rfind("\n", floor, end) + 1)
    words = [(found.start(), found[0]) for found in _WORD.finditer(text, floor, end)]
    start: int | None = None
    seen_versus = False
    for index in range(len(words) - 1, -1, -1):
        at, word = words[index]
        following = words[index + 1][1] if index + 1 < len(words) else ""
        if MASKED in word:
            break
        if word in ("v.", "vs.", "v", "vs"):
            if seen_versus:
                break
            seen_versus = True
        elif start is not None and _ends_name(word, following, seen_versus):
            break
        elif _is_name_word(word):
            start = at + len(word) - len(word.lstrip("(“\"[‘'"))
        elif word.lower().rstrip(",") not in _JOINERS:
            break
    if start is None or text.startswith("No.", start) or not any(letter.isalpha() for letter in text[start:end]):
        return None
    return _without_signal(text, start, end)


def _is_name_word(word: str) -> bool:
    bare = word.lstrip("(“\"[‘'")
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit() or bare[0] == "&" or _CAMEL.match(bare) is not None)


def _ends_name(word: str, following: str, seen_versus: bool) -> bool:
    """Whether nothing at or before `word` belongs to the name that goes on with `following`."""
    if word[-1] in ';:!?”"' or _LABEL.fullmatch(word):
        return True
    if word[-1] == "," and seen_versus and following not in ("&", "v.", "v"):
        return _SUFFIXES.match(following) is None and not following.startswith(("et", "U.S."))
    if word[-1] in ")]" and "(" not in word and "[" not in word:
        return not seen_versus and following[:1].isupper()
    return following not in ("v.", "v", "vs.", "of", "and", "&") and _is_sentence_end(word)


def _without_signal(text: str, start: int, end: int) -> int | None:
    """Start after leading signals ("See also", "In", "The court in") unless they open a name ("In re")."""
    if (lead := _LEAD_IN.match(text[start:end])) and not text.startswith(_OPENERS, start):
        start += lead.end()
    while start < end:
        rest = text[start:end]
        if rest.startswith(_OPENERS):
            return start
        word = rest.split(" ", 1)[0]
        if word.lower().rstrip(",") not in _SIGNALS and word.lower() not in _JOINERS:
            return start
        if word in ("The", "La", "De", "Van", "Von", "Del") and " v" in rest:
            return start
        if " " not in rest:
            return None
        start += len(word) + 1
    return None


def trimmed(name: str) -> str:
    """The name without what stands between it and the citation: comma, California year, docket number, supra."""
    name = re.split(
        r"(?:,? (?:Civil |Crim\. |Case |Docket )|, )Nos?\. ?[\dA-Z]| Nos?\. ?[\d:]+-", name.strip(), maxsplit=1
    )[0]
    name = _OLD_COURT.sub("", _CITY_OR_YEAR.sub("", name.rstrip(" ,;")))
    return re.sub(r",? supra,?$", "", name).strip(' ,;([“"')


def names_in_prose(text: str) -> Iterator[tuple[int, int]]:
    """Spans "A v. B" in a text whose citations are masked: a case spoken of without its reporter."""
    last = 0
    for found in _VERSUS.finditer(text):
        start = name_before(text, found.end() - 1, last)
        if start is None or start >= found.start():
            continue
        end = _second_party_end(text, found.end())
        if end > found.end():
            last = end
            yield start, end


def _second_party_end(text: str, start: int) -> int:
    end = start
    previous = ""
    for found in _WORD.finditer(text, start, min(len(text), start + 140)):
        word = found[0].split(MASKED, 1)[0]
        if not word or "\n" in text[end : found.start()] or not _goes_on(previous, word):
            break
        previous = word
        if word.lower().rstrip(",") not in _JOINERS:
            end = found.start() + len(word.rstrip(',;:?!”"]' if "(" in word else ',;:?!)”"]'))
            end -= _is_sentence_end(word)
        if MASKED in found[0]:
            break
    return end


def _goes_on(previous: str, word: str) -> bool:
    """Whether `word` still belongs to the second party after `previous`."""
    if not previous:
        return True
    if previous[-1] == ",":
        return _SUFFIXES.match(word) is not None or word == "&"
    if word[0] in "([" and not re.fullmatch(r"[(\[][A-Za-z.]+[)\]],?", word):
        return False
    if previous[-1] in ';:?!”"' or (word not in ("of", "and", "&") and _is_sentence_end(previous)):
        return False
    return _is_name_word(word) or word in ("of", "the", "and", "for", "ex", "rel.", "de", "la", "&")


def _is_sentence_end(word: str) -> bool:
    """Whether the period of `word` ends a sentence (or numbers a paragraph) and is not an abbreviation's."""
    if not word.endswith("."):
        return False
    bare = word[:-1].lower().replace("’", "'").lstrip('(“"[')
    if bare.isdigit():
        return True
    return not (len(bare) == 1 or "." in bare or bare in _ABBREVIATIONS or ("'" in bare and not bare.endswith("'s")))
