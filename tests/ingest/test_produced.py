"""A production with load files becomes documents: which text they have, whose they are, and how every file ends."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.draft import OWN_MARK
from lexforge.domain.evidence import Bundle, Correspondence, Fate, FileRecord, Source, StampOrigin
from lexforge.domain.findings import Verdict
from lexforge.domain.mentions import MentionKind
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.ingest import workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.folder import Means
from lexforge.ingest.listing import listing
from lexforge.ingest.picture import tesseract
from tests.ingest.load_file.plants import PLANTS
from tests.ingest.load_file.productions import production, written
from tests.ingest.load_file.volume import TIFF, bates
from tests.ingest.test_bundle import pdf

Files = Mapping[str, bytes]
ONE, TWO = bates(1), bates(2)


@pytest.fixture(scope="module")
def readers() -> Iterator[Executor]:
    with workers.local(2) as executor:
        yield executor


@pytest.fixture
def bundle_of(readers: Executor) -> Callable[[Path], Bundle]:
    return lambda root: ingest(root, listing(root), means=Means(executor=readers), compare=False)


def save(root: Path, files: Files) -> None:
    for name, data in files.items():
        path = root / "evidence" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def volume(
    rows: Sequence[Mapping[str, str]], files: Files, *, name: str = "VOL001", encoding: str = "utf-8-sig"
) -> dict[str, bytes]:
    """A volume whose rows name what they hold; its .OPT is made from the images among its files."""
    fields = list(dict.fromkeys(["BEGBATES", "ENDBATES", *(key for row in rows for key in row)]))
    lines = [written(fields), *(written([row.get(field, "") for field in fields]) for row in rows)]
    starts = {row["BEGBATES"] for row in rows}
    images = sorted(path for path in files if path.startswith("IMAGES/"))
    pages = [f"{Path(path).stem},{name},{path},{'Y' if Path(path).stem in starts else ''},,," for path in images]
    made = {f"{name}/DATA/{name}.dat": "\r\n".join(lines).encode(encoding)}
    if pages:
        made[f"{name}/DATA/{name}.opt"] = "\r\n".join(pages).encode()
    return made | {f"{name}/{path}": data for path, data in files.items()}


def mail(text: str = "The mail says that the truck was late.", attached: bytes | None = None) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Osric Pellwater <o@castellan.example>", "Perpetua Lanthorne <p@castellan.example>"
    message["Date"], message["Subject"] = "Mon, 06 Dec 2021 10:00:00 +0000", "The truck"
    message["Message-ID"] = "<1@castellan.example>"
    message.set_content(text)
    if attached is not None:
        message.add_attachment(attached, maintype="application", subtype="pdf", filename="bill.pdf")
    return message.as_bytes()


def word(text: str) -> bytes:
    target, document = io.BytesIO(), docx.Document()
    document.add_paragraph(text)
    document.save(target)
    return target.getvalue()


def sheet(text: str) -> bytes:
    target, book = io.BytesIO(), openpyxl.Workbook()
    book.worksheets[0]["A1"] = text
    book.create_sheet("More")["A1"] = "figures"
    book.save(target)
    return target.getvalue()


def picture(text: str) -> bytes:
    target, image = io.BytesIO(), Image.new("L", (1700, 500), 255)
    ImageDraw.Draw(image).text((100, 200), text, font=ImageFont.load_default(size=60), fill=0)
    image.save(target, "TIFF", dpi=(200, 200))
    return target.getvalue()


WORD = word("A memorandum on the late trucks of the fleet, and on what is owed for each of them by contract.")
PAGES = {f"TEXT/{ONE}.txt": b"First page text.", f"TEXT/{TWO}.txt": b"Second page text."}
WHOLE = {f"TEXT/{ONE}.txt": b"First of the whole.\fSecond of the whole.\f"}
UNBROKEN = {f"TEXT/{ONE}.txt": b"The whole without breaks."}
SLIP = {f"TEXT/{ONE}.txt": b"DOCUMENT PRODUCED IN NATIVE FORMAT\fpage two"}
IMAGES = {f"IMAGES/{ONE}.tif": TIFF, f"IMAGES/{TWO}.tif": TIFF}
NATIVE_PDF = {f"NATIVES/{ONE}.pdf": pdf("First of the PDF.", "Second of the PDF.")}
NATIVE_MAIL = {f"NATIVES/{ONE}.eml": mail()}

ORDER: list[tuple[str, Files, str, list[tuple[tuple[str, ...], str]]]] = [
    (
        "page by page before all else",
        PAGES | NATIVE_PDF | IMAGES,
        f"TEXT/{ONE}.txt",
        [((ONE,), "First page"), ((TWO,), "Second page")],
    ),
    (
        "the whole with its page breaks",
        WHOLE | NATIVE_PDF | IMAGES,
        f"TEXT/{ONE}.txt",
        [((ONE,), "First of the whole"), ((TWO,), "Second of the whole")],
    ),
    (
        "a native with as many pages before text without breaks",
        UNBROKEN | NATIVE_PDF,
        f"NATIVES/{ONE}.pdf",
        [((ONE,), "First of the PDF"), ((TWO,), "Second of the PDF")],
    ),
    ("a mail bears all numbers", UNBROKEN | NATIVE_MAIL, f"NATIVES/{ONE}.eml", [((ONE, TWO), "The mail says")]),
    (
        "a Word file",
        {f"NATIVES/{ONE}.docx": word("Words of the memorandum.")},
        f"NATIVES/{ONE}.docx",
        [((ONE, TWO), "memorandum")],
    ),
    (
        "a PDF with other pages than were numbered",
        {f"NATIVES/{ONE}.pdf": pdf("One.", "Two.", "Three.")},
        f"NATIVES/{ONE}.pdf",
        [((ONE, TWO), "One."), ((), "Two."), ((), "Three.")],
    ),
    (
        "a workbook with as many sheets",
        {f"NATIVES/{ONE}.xlsx": sheet("Late trucks")},
        f"NATIVES/{ONE}.xlsx",
        [((ONE,), "Late trucks"), ((TWO,), "figures")],
    ),
    (
        "a slip sheet gives way to its native",
        SLIP | {f"NATIVES/{ONE}.eml": mail("Real words.")},
        f"NATIVES/{ONE}.eml",
        [((ONE, TWO), "Real words")],
    ),
    ("text without breaks alone", UNBROKEN | IMAGES, f"TEXT/{ONE}.txt", [((ONE, TWO), "without breaks")]),
    (
        "a corrupt native falls back",
        UNBROKEN | {f"NATIVES/{ONE}.pdf": b"%PDF-1.7\nnot a PDF\n%%EOF"},
        f"TEXT/{ONE}.txt",
        [((ONE, TWO), "without breaks")],
    ),
    (
        "a native of garbage falls back",
        UNBROKEN | {f"NATIVES/{ONE}.xlsx": b"\xe9\x8d\xa0garbage"},
        f"TEXT/{ONE}.txt",
        [((ONE, TWO), "without breaks")],
    ),
    (
        "an empty text of a page is an empty page",
        PAGES | {f"TEXT/{ONE}.txt": b""} | NATIVE_PDF,
        f"TEXT/{TWO}.txt",
        [((ONE,), ""), ((TWO,), "Second page")],
    ),
    (
        "a page's text that is no text falls back",
        PAGES | {f"TEXT/{TWO}.txt": b"\0\1\2"} | NATIVE_PDF,
        f"NATIVES/{ONE}.pdf",
        [((ONE,), "First of the PDF"), ((TWO,), "Second of the PDF")],
    ),
    (
        "text of some pages, where there is nothing else",
        PAGES | {f"TEXT/{TWO}.txt": b"\0\1\2"} | IMAGES,
        f"TEXT/{ONE}.txt",
        [((ONE,), "First page"), ((TWO,), "")],
    ),
]


@pytest.mark.parametrize(("why", "files", "path", "pages"), ORDER, ids=[row[0] for row in ORDER])
def test_the_text_that_is_chosen(
    bundle_of: Callable[[Path], Bundle],
    tmp_path: Path,
    why: str,
    files: Files,
    path: str,
    pages: list[tuple[tuple[str, ...], str]],
) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], files))
    bundle = bundle_of(tmp_path)
    (source,) = bundle.sources
    assert source.path == f"evidence/VOL001/{path}", why
    assert [page.bates for page in source.pages] == [numbers for numbers, _ in pages], why
    assert all(words in page.text for page, (_, words) in zip(source.pages, pages, strict=True)), why
    assert {page.stamped_by for page in source.pages if page.bates} == {StampOrigin.LOAD_FILE}
    every_file_ended_once(bundle, tmp_path)
    of_document = [file for file in bundle.files if file.reason == "part_of_document"]
    assert {(file.source, file.detail) for file in of_document} == {(source.id, f"Part of {ONE} to {TWO}.")}


def every_file_ended_once(bundle: Bundle, root: Path) -> None:
    paths = [file.path for file in bundle.files]
    assert len(set(paths)) == len(paths)
    assert {file.path for file in listing(root).files} <= set(paths)
    ids = {source.id for source in bundle.sources}
    assert len(ids) == len(bundle.sources) == len({source.path for source in bundle.sources})
    assert {file.source for file in bundle.files if file.source} == ids


@pytest.mark.skipif(tesseract.available() is None, reason="needs tesseract")
def test_images_are_read_where_there_is_no_text(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    images = {f"IMAGES/{ONE}.tif": picture("The first page was late"), f"IMAGES/{TWO}.tif": picture("The second page")}
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], images | {f"TEXT/{ONE}.txt": b" "}))
    bundle = bundle_of(tmp_path)
    (source,) = bundle.sources
    assert [(page.bates, page.by_ocr) for page in source.pages] == [((ONE,), True), ((TWO,), True)]
    assert "second" in source.pages[1].text
    assert (source.path, source.media_type) == (f"evidence/VOL001/IMAGES/{ONE}.tif", "image/tiff")
    assert fate(bundle, f"TEXT/{ONE}.txt").reason == "empty"


def test_a_page_whose_text_is_not_here_is_told(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    texts = {f"TEXT/{bates(n)}.txt": f"Page {n}.".encode() for n in (1, 3)}
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": bates(3)}], texts))
    bundle = bundle_of(tmp_path)
    assert [(page.bates, page.text) for page in bundle.sources[0].pages] == [
        ((ONE,), "Page 1."),
        ((TWO,), ""),
        ((bates(3),), "Page 3."),
    ]
    assert [(notice.code, notice.page, TWO in notice.message) for notice in bundle.notices] == [
        ("load_page_without_text", 2, True)
    ]


@pytest.mark.parametrize("number", ["N/A", "", "see letter", "A" * 200 + "0001"])
def test_what_is_no_number_stands_on_no_page(number: str, bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    save(
        tmp_path, volume([{"BEGBATES": number, "ENDBATES": number, "TEXTPATH": "TEXT/a.txt"}], {"TEXT/a.txt": b"a\fb"})
    )
    bundle = bundle_of(tmp_path)
    assert {page.bates for page in bundle.sources[0].pages} == {()}
    every_file_ended_once(bundle, tmp_path)


def fate(bundle: Bundle, name: str) -> FileRecord:
    return next(file for file in bundle.files if file.path.endswith(name))


def test_files_that_fail_say_why(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    native = {f"NATIVES/{ONE}.pdf": b"%PDF-1.7\nnot a PDF\n%%EOF"}
    rows = [{"BEGBATES": ONE, "ENDBATES": ONE}, {"BEGBATES": TWO, "ENDBATES": TWO}]
    save(tmp_path, volume(rows, {f"TEXT/{ONE}.txt": b"Words."} | native | {f"NATIVES/{TWO}.pdf": b"%PDF-1.7\nno"}))
    bundle = bundle_of(tmp_path)
    assert [source.name for source in bundle.sources] == [f"{ONE}.txt"]
    assert {(fate(bundle, f"{n}.pdf").fate, fate(bundle, f"{n}.pdf").reason) for n in (ONE, TWO)} == {
        (Fate.FAILED, "corrupt")
    }


def by_number(bundle: Bundle, number: str) -> Source:
    return next(source for source in bundle.sources if any(number in page.bates for page in source.pages))


def test_every_file_of_a_sound_production_ends(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    production(tmp_path / "evidence", 5, 12, "cp1252")
    save(tmp_path, {"letter.txt": b"A letter beside it.", "VOL001/TEXT/stray.txt": b"Nobody's text."})
    bundle = bundle_of(tmp_path)
    every_file_ended_once(bundle, tmp_path)
    assert {file.reason for file in bundle.files} <= {"part_of_document", "load_file", "read", "misnamed", "encoding"}
    assert [(fate(bundle, end).reason, fate(bundle, end).fate) for end in (".dat", ".opt")] == [
        ("load_file", Fate.INGESTED)
    ] * 2
    assert [fate(bundle, name).reason for name in ("letter.txt", "stray.txt")] == ["read", "read"]
    assert [notice.code for notice in bundle.notices] == ["load_file_without_record"]
    assert len(bundle.sources) == 14


@pytest.mark.parametrize("name", sorted(PLANTS))
def test_every_file_ends_in_a_production_with(name: str, bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    planted = production(tmp_path / "evidence", 1, 8, "utf-8-sig", [name])
    bundle = bundle_of(tmp_path)
    every_file_ended_once(bundle, tmp_path)
    told = {(notice.path, notice.line or 0, notice.code) for notice in bundle.notices}
    assert {(f"evidence/{file}", line, f"load_{code}") for file, line, code in planted.expected if file} <= told


def test_families_and_designations_and_heads_come_from_the_record(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    bill = pdf("The bill.")
    rows = [
        {"BEGBATES": ONE, "ENDBATES": ONE, "CONFIDENTIALITY": "CONFIDENTIAL", "DATESENT": "01/02/2003"},
        {"BEGBATES": TWO, "ENDBATES": TWO, "PARENTID": ONE, "FROM": "Lanthorne, Perpetua", "DATESENT": "03/04/2019"},
        {"BEGBATES": bates(3), "ENDBATES": bates(3), "PARENTID": bates(9)},
    ]
    files = {
        f"TEXT/{ONE}.txt": b"From: Somebody Else\nTo: Nobody Known\nThe truck.",
        f"NATIVES/{ONE}.eml": mail(attached=bill),
        f"NATIVES/{TWO}.pdf": bill,
        f"TEXT/{bates(3)}.txt": b"From: Ann Smith\nDate: March 4, 2019\nTo: Bob Jones\n\nWords.",
    }
    save(tmp_path, volume(rows, files))
    bundle = bundle_of(tmp_path)
    parent, child, orphan = (by_number(bundle, number) for number in (ONE, TWO, bates(3)))
    assert (parent.family, child.family, orphan.family) == (None, parent.id, None)
    assert [page.designation for page in (*parent.pages, *child.pages)] == ["CONFIDENTIAL", None]
    assert parent.correspondence is not None
    assert (parent.correspondence.author, parent.correspondence.subject) == ("Osric Pellwater", "The truck")
    assert child.correspondence == Correspondence(author="Perpetua Lanthorne", sent="03/04/2019")
    assert orphan.correspondence is not None
    assert orphan.correspondence.author == "Ann Smith"
    inside = fate(bundle, "eml/bill.pdf")
    assert (inside.fate, inside.source) == (Fate.DUPLICATE, child.id), "the numbered document stands for both"


def test_quoted_words_are_not_those_of_the_writer_named_by_the_record(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    row = {"BEGBATES": ONE, "ENDBATES": ONE, "FROM": "Ann Smith", "TO": "Bob Jones", "DATESENT": "03/04/2019"}
    text = b"No.\n\nFrom: Bob Jones\nSent: March 3, 2019\nTo: Ann Smith\n\nWas the truck late?"
    save(tmp_path, volume([row], {f"TEXT/{ONE}.txt": text}))
    source = bundle_of(tmp_path).sources[0]
    said = {p.text: p.correspondence.author if p.correspondence else None for p in source.passages}
    assert source.correspondence == Correspondence(author="Ann Smith", recipients=("Bob Jones",), sent="03/04/2019")
    assert (said["No."], said["Was the truck late?"]) == (None, "Bob Jones")


def test_documents_that_share_a_page_or_a_slip_sheet_are_two(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    numbers = [bates(n) for n in range(1, 6)]
    rows = [
        {"BEGBATES": numbers[0], "ENDBATES": numbers[1]},
        {"BEGBATES": numbers[2], "ENDBATES": numbers[3]},
        {"BEGBATES": numbers[4], "ENDBATES": numbers[4]},
    ]
    texts = [b"The same first page.", b"One end.", b"The same first page.", b"Another end.", b"The same first page."]
    save(tmp_path, volume(rows, {f"TEXT/{n}.txt": text for n, text in zip(numbers, texts, strict=True)}))
    root = tmp_path
    bundle = ingest(root, listing(root))
    every_file_ended_once(bundle, root)
    assert [[page.bates for page in source.pages] for source in bundle.sources] == [
        [(numbers[0],), (numbers[1],)],
        [(numbers[2],), (numbers[3],)],
        [(numbers[4],)],
    ]
    assert [source.copy_of for source in bundle.sources] == [None] * 3


def test_a_family_that_was_produced_twice_is_told_and_stays_citable(tmp_path: Path) -> None:
    words = " ".join(f"the {n}th truck of the fleet was late again" for n in range(30))
    rows, files = list[dict[str, str]](), dict[str, bytes]()
    for first in (1, 3):
        parent, child = bates(first), bates(first + 1)
        rows += [{"BEGBATES": parent, "ENDBATES": parent}, {"BEGBATES": child, "ENDBATES": child, "PARENTID": parent}]
        files |= {f"NATIVES/{parent}.eml": mail(words), f"NATIVES/{child}.docx": WORD, f"IMAGES/{parent}.tif": TIFF}
    save(tmp_path, volume(rows, files))
    bundle = ingest(tmp_path, listing(tmp_path))
    every_file_ended_once(bundle, tmp_path)
    mails = [by_number(bundle, bates(n)) for n in (1, 3)]
    bills = [by_number(bundle, bates(n)) for n in (2, 4)]
    assert [source.copy_of for source in (*mails, *bills)] == [None, mails[0].id, None, bills[0].id]
    assert [source.family for source in bills] == [source.id for source in mails]
    assert {notice.code for notice in bundle.notices} == {"version"}


def test_a_file_that_two_records_name_belongs_to_the_first(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    rows = [{"BEGBATES": n, "ENDBATES": n, "TEXTPATH": f"TEXT/{ONE}.txt"} for n in (ONE, TWO)]
    save(tmp_path, volume(rows, {f"TEXT/{ONE}.txt": b"Words."}))
    bundle = bundle_of(tmp_path)
    assert [page.bates for source in bundle.sources for page in source.pages] == [(ONE,)]
    (notice,) = [notice for notice in bundle.notices if notice.code == "load_file_shared"]
    assert (notice.line, ONE in notice.message) == (3, True)


def test_a_text_in_the_load_file_is_a_file_inside_it(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO, "EXTRACTEDTEXT": "Late\ntruck.\fPaid."}], IMAGES))
    bundle = bundle_of(tmp_path)
    (source,) = bundle.sources
    assert [(page.bates, page.text) for page in source.pages] == [((ONE,), "Late\ntruck."), ((TWO,), "Paid.")]
    assert fate(bundle, source.path).reason == "part_of_document"
    every_file_ended_once(bundle, tmp_path)


def test_a_load_file_that_cannot_be_read_fails_and_its_files_stand_alone(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    save(tmp_path, {"V1/DATA/a.dat": b"  ", "V1/TEXT/A0001.txt": b"Words."})
    bundle = bundle_of(tmp_path)
    assert (fate(bundle, "a.dat").fate, fate(bundle, "a.dat").reason) == (Fate.FAILED, "empty")
    assert [source.name for source in bundle.sources] == ["A0001.txt"]


LOG = f"Beg Bates,End Bates,Author,Privilege\r\n{ONE},{TWO},Ann Smith,Attorney-client\r\n".encode()


@pytest.mark.parametrize("name", ["A log.csv", "VOL001/A log.csv", "VOL001/DATA/A log.csv"])
def test_a_privilege_log_is_no_load_file(name: str, bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO, "CONFIDENTIALITY": "SECRET"}], WHOLE) | {name: LOG})
    bundle = bundle_of(tmp_path)
    assert (fate(bundle, "A log.csv").reason, fate(bundle, f"{ONE}.txt").reason) == ("read", "part_of_document")
    assert {page.designation for source in bundle.sources for page in source.pages} == {"SECRET", None}
    assert bundle.notices == ()


def test_a_table_that_leads_to_files_is_a_load_file(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    save(tmp_path, {"V1/load.csv": LOG, f"V1/TEXT/{ONE}.txt": b"Late.\fPaid."})
    bundle = bundle_of(tmp_path)
    assert [page.bates for source in bundle.sources for page in source.pages] == [(ONE,), (TWO,)]
    assert fate(bundle, "load.csv").reason == "load_file"


def test_hidden_text_of_a_native_is_told_though_its_text_is_not_used(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.drawString(72, 720, "What is seen.")
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 600, "What nobody sees on this page.")
    canvas.save()
    files = {f"TEXT/{ONE}.txt": b"Text.", f"NATIVES/{ONE}.pdf": target.getvalue()}
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": ONE}], files))
    bundle = bundle_of(tmp_path)
    assert [source.name for source in bundle.sources] == [f"{ONE}.txt"]
    assert [(notice.code, Path(notice.path).suffix) for notice in bundle.notices] == [("hidden_background", ".pdf")]


@pytest.mark.parametrize(
    ("sender", "to", "author", "recipients"),
    [
        ("Smith, Ann", "Jörg Müller; Bob Jones <b@x.example>", "Ann Smith", ("Jörg Müller", "Bob Jones")),
        (
            "Ann Smith [mailto:a@x.example]",
            "Bob Jones <b@x.example>, Eve Roe <e@x.example>",
            "Ann Smith",
            ("Bob Jones", "Eve Roe"),
        ),
        ("a@x.example", "/O=X/CN=BOB; b@x.example", None, ()),
    ],
)
def test_names_in_the_fields_of_a_record(
    sender: str,
    to: str,
    author: str | None,
    recipients: tuple[str, ...],
    bundle_of: Callable[[Path], Bundle],
    tmp_path: Path,
) -> None:
    row = {"BEGBATES": ONE, "ENDBATES": ONE, "FROM": sender, "TO": to, "DATESENT": "2021-12-06", "TIMESENT": "10:00"}
    save(tmp_path, volume([row], {f"TEXT/{ONE}.txt": b"Words."}))
    head = bundle_of(tmp_path).sources[0].correspondence
    assert head == Correspondence(author=author, recipients=recipients, sent="2021-12-06 10:00")


@pytest.mark.parametrize("name", ["VOL001", "Castellan/2021-12 Production/VOL001", "."])
def test_a_production_may_lie_anywhere(name: str, bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    made = volume([{"BEGBATES": ONE, "ENDBATES": TWO}], WHOLE | IMAGES)
    save(tmp_path, {f"{name}/{path.removeprefix('VOL001/')}": data for path, data in made.items()})
    bundle = bundle_of(tmp_path)
    assert [page.bates for page in bundle.sources[0].pages] == [(ONE,), (TWO,)]
    every_file_ended_once(bundle, tmp_path)


def two_volumes() -> dict[str, bytes]:
    first = volume([{"BEGBATES": ONE, "ENDBATES": ONE}], {f"TEXT/{ONE}.txt": "Der späte Lkw.".encode()})
    row = {"BEGBATES": bates(7), "ENDBATES": bates(7), "PARENTID": ONE, "FROM": "Jörg Müller", "DATESENT": "03/04/2019"}
    second = volume([row], {f"TEXT/{bates(7)}.txt": b"The bill."}, name="VOL002", encoding="cp1252")
    return first | second


def test_a_family_may_span_volumes_and_the_gap_between_them_is_told(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    save(tmp_path, two_volumes())
    bundle = bundle_of(tmp_path)
    parent, child = (by_number(bundle, number) for number in (ONE, bates(7)))
    assert child.family == parent.id
    assert child.correspondence == Correspondence(author="Jörg Müller", sent="03/04/2019")
    assert [notice.code for notice in bundle.notices if "gap" in notice.code] == ["bates_gap"]


def test_a_gap_within_a_volume_is_told_once(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    rows = [{"BEGBATES": number, "ENDBATES": number} for number in (ONE, bates(7))]
    save(tmp_path, volume(rows, {f"TEXT/{number}.txt": number.encode() for number in (ONE, bates(7))}))
    save(tmp_path, {"other.txt": b"Words.\n\nXYZ-000001\f\n\nXYZ-000004\n"})
    gaps = [notice for notice in bundle_of(tmp_path).notices if "gap" in notice.code]
    assert [(gap.code, gap.path.rsplit("/", 1)[-1], gap.line) for gap in gaps] == [
        ("load_bates_gap", "VOL001.dat", 3),
        ("bates_gap", "other.txt", None),
    ]


def test_the_same_production_twice_stands_once(bundle_of: Callable[[Path], Bundle], tmp_path: Path) -> None:
    made = volume([{"BEGBATES": ONE, "ENDBATES": TWO}], WHOLE | IMAGES)
    save(tmp_path, {f"{place}/{path}": data for place in "ab" for path, data in made.items()})
    bundle = bundle_of(tmp_path)
    (source,) = bundle.sources
    again = [file for file in bundle.files if file.path.startswith("evidence/b/") and file.reason != "load_file"]
    assert {(file.fate, file.source) for file in again} == {(Fate.DUPLICATE, source.id)}
    every_file_ended_once(bundle, tmp_path)


def test_a_loose_file_changes_nothing_and_gives_way_to_its_numbered_copy(
    bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], UNBROKEN | NATIVE_PDF))
    before = bundle_of(tmp_path)
    save(tmp_path, {"A copy.pdf": NATIVE_PDF[f"NATIVES/{ONE}.pdf"], "A letter.txt": b"Words."})
    after = bundle_of(tmp_path)
    assert before.sources[0] in after.sources
    copy = fate(after, "A copy.pdf")
    assert (copy.fate, copy.source) == (Fate.DUPLICATE, before.sources[0].id)


@pytest.mark.parametrize("flaw", ["marked", "known"])
def test_a_native_of_our_own_takes_its_document_with_it(flaw: str, tmp_path: Path) -> None:
    native = pdf("1. Invented.", keywords=f"{OWN_MARK}:0123456789abcdef" if flaw == "marked" else "")
    rows = [{"BEGBATES": number, "ENDBATES": number} for number in (ONE, TWO)]
    files = {f"TEXT/{ONE}.txt": b"1. Invented.", f"NATIVES/{ONE}.pdf": native, f"TEXT/{TWO}.txt": b"Genuine."}
    save(tmp_path, volume(rows, files | IMAGES))
    listed = listing(tmp_path)
    known = {file.sha256_file or "" for file in listed.files if flaw == "known" and file.path.endswith(".pdf")}
    bundle = ingest(tmp_path, listed, frozenset(known))
    apart = [file for file in bundle.files if file.fate is Fate.QUARANTINED]
    assert {Path(file.path).name for file in apart} == {f"{ONE}.pdf", f"{ONE}.tif", f"{ONE}.txt"}
    assert {file.reason for file in apart} == {f"own_output_{flaw}"}
    assert [source.name for source in bundle.sources] == [f"{TWO}.txt"]


def test_the_same_bundle_by_any_executor_in_any_place(readers: Executor, tmp_path: Path) -> None:
    hashes = set()
    for place in ("a", "b"):
        save(tmp_path / place, two_volumes() | volume([{"BEGBATES": "XY0001", "ENDBATES": "XY0002"}], {}, name="VOL3"))
        listed = listing(tmp_path / place)
        hashes.add(ingest(tmp_path / place, listed, means=Means(executor=readers)).content_sha256)
        hashes.add(ingest(tmp_path / place, listed).content_sha256)
    assert len(hashes) == 1


def test_what_the_list_leaves_out_is_no_part(tmp_path: Path) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], UNBROKEN | NATIVE_PDF))
    listed = listing(tmp_path)
    others = listed.model_copy(update={"files": tuple(f for f in listed.files if not f.path.endswith(".pdf"))})
    assert [source.name for source in ingest(tmp_path, others).sources] == [f"{ONE}.txt"]


def test_every_listed_file_is_counted_as_progress(tmp_path: Path) -> None:
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], WHOLE | IMAGES))
    listed, seen = listing(tmp_path), list[str]()
    ingest(tmp_path, listed, progress=seen.append)
    assert sorted(seen) == [file.path for file in listed.files]


@pytest.mark.parametrize(
    ("number", "verdict"),
    [(bates(2), Verdict.GROUNDED), (bates(3), Verdict.BLOCKED), (bates(2, "ABD"), Verdict.BLOCKED)],
)
def test_the_gate_grounds_a_number_by_the_load_file_alone(
    number: str, verdict: Verdict, bundle_of: Callable[[Path], Bundle], tmp_path: Path
) -> None:
    texts = {f"TEXT/{ONE}.txt": b"The truck left.\fThe truck was late.\f"}
    save(tmp_path, volume([{"BEGBATES": ONE, "ENDBATES": TWO}], texts | IMAGES))
    bundle = bundle_of(tmp_path)
    assert TWO not in "".join(page.text for source in bundle.sources for page in source.pages)
    report = check(f"1. The truck was late. {number}.", bundle, default_policy())
    assert [found.verdict for found in report.findings if found.kind is MentionKind.BATES] == [verdict]
