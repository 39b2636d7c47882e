"""Small PDF files, written byte by byte, honest and hostile."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")

RESUME_LINES = (
    "Wang Xiaoming, Ph.D. applicant in computer systems",
    "Research: serving large language models on neural processing units,",
    "memory offloading, scheduling of requests and compilers for accelerators.",
    "Education: Bachelor of Engineering in computer science, rank two of ninety.",
    "Projects: an inference engine that keeps the cache of keys and values on disk,",
    "a scheduler for shared clusters, and a study of fairness between tenants.",
)


@dataclass
class Pdf:
    """A PDF under construction: add objects, then ask for `data`. `of_all_pages` are entries that pages inherit."""

    catalog: bytes = b""
    of_all_pages: bytes = b""
    objects: list[bytes] = field(default_factory=lambda: [b"", b"", FONT])
    pages: list[int] = field(default_factory=list)
    trailer: bytes = b""
    header: bytes = b"%PDF-1.7\n"

    def add(self, content: bytes) -> int:
        """Append an object; returns its number."""
        self.objects.append(content)
        return len(self.objects)

    def add_stream(self, content: bytes, entries: bytes = b"", *, compress: bool = False) -> int:
        if compress:
            content = zlib.compress(content)
            entries += b"/Filter/FlateDecode"
        return self.add(b"<<%b/Length %d>>stream\n%b\nendstream" % (entries, len(content), content))

    def add_page(self, content: bytes, *, entries: bytes = b"", resources: bytes = b"") -> int:
        stream = self.add_stream(content)
        bounds = b"" if b"/MediaBox" in self.of_all_pages else b"/MediaBox[0 0 612 792]"
        page = self.add(
            b"<</Type/Page/Parent 2 0 R%b/Resources<</Font<</F1 3 0 R>>%b>>/Contents %d 0 R%b>>"
            % (bounds, resources, stream, entries)
        )
        self.pages.append(page)
        return page

    @property
    def data(self) -> bytes:
        """The whole file."""
        self.objects[0] = b"<</Type/Catalog/Pages 2 0 R%b>>" % self.catalog
        kids = b" ".join(b"%d 0 R" % page for page in self.pages)
        self.objects[1] = b"<</Type/Pages/Kids[%b]/Count %d%b>>" % (kids, len(self.pages), self.of_all_pages)
        out = bytearray(self.header)
        offsets = []
        for number, content in enumerate(self.objects, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
        table = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += b"trailer\n<</Size %d/Root 1 0 R%b>>\n" % (len(offsets) + 1, self.trailer)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


def shown(text: str, *, x: float = 50, y: float = 700, size: float = 11, before: str = "") -> bytes:
    """Operators that show one line of text at a place; `before` sets colours and modes."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q {before} BT /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET Q\n".encode("cp1252")


def lines(texts: tuple[str, ...] = RESUME_LINES, *, top: float = 720) -> bytes:
    """Operators for lines below each other."""
    return b"".join(shown(text, y=top - 16 * number) for number, text in enumerate(texts))


def resume_pdf(extra: bytes = b"", *, catalog: bytes = b"", entries: bytes = b"", resources: bytes = b"") -> bytes:
    """One page with a short resume, and whatever a test puts beside it."""
    pdf = Pdf(catalog=catalog)
    pdf.add_page(lines() + extra, entries=entries, resources=resources)
    return pdf.data


def pdf_of_pages(count: int) -> bytes:
    pdf = Pdf()
    for number in range(1, count + 1):
        pdf.add_page(shown(f"Page {number} of a long report about distributed systems"))
    return pdf.data


def scanned_pdf(text: bytes = b"") -> bytes:
    """A page that is one large picture, with `text` operators on top."""
    pdf = Pdf()
    picture = pdf.add_stream(
        bytes(range(256)) * 40,
        b"/Type/XObject/Subtype/Image/Width 64/Height 160/ColorSpace/DeviceGray/BitsPerComponent 8",
        compress=True,
    )
    pdf.add_page(b"q 612 0 0 792 0 0 cm /Im1 Do Q\n" + text, resources=b"/XObject<</Im1 %d 0 R>>" % picture)
    return pdf.data


def pdf_with_object_stream(hidden_object: bytes, catalog: bytes) -> bytes:
    """A PDF 1.5 whose object 6 is packed into a compressed object stream, with a cross-reference stream."""
    packed = zlib.compress(b"6 0 " + hidden_object)
    content = lines()
    bodies = {
        1: b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
        2: b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        3: FONT,
        4: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>",
        5: b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
        7: b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (len(packed), packed),
    }
    out = bytearray(b"%PDF-1.5\n")
    rows = {0: (0, 0, 65535), 6: (2, 7, 0)}
    for number, body in bodies.items():
        rows[number] = (1, len(out), 0)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(out)
    rows[8] = (1, table, 0)
    packed_rows = zlib.compress(
        b"".join(
            bytes([rows[number][0]]) + rows[number][1].to_bytes(4, "big") + rows[number][2].to_bytes(2, "big")
            for number in range(9)
        )
    )
    out += b"8 0 obj\n<</Type/XRef/Size 9/W[1 4 2]/Root 1 0 R/Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (
        len(packed_rows),
        packed_rows,
    )
    return bytes(out + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % table)


def encrypted_pdf(user_password: bytes = b"secret") -> bytes:
    """The resume under the standard security handler, revision 2 (RC4, 40 bit)."""
    identifier = b"0123456789abcdef"
    permissions = -4
    owner_key = hashlib.md5((b"owner" + PADDING)[:32]).digest()[:5]  # noqa: S324 - what PDF 1.4 prescribes
    owner = rc4(owner_key, (user_password + PADDING)[:32])
    seed = (user_password + PADDING)[:32] + owner + permissions.to_bytes(4, "little", signed=True) + identifier
    key = hashlib.md5(seed).digest()[:5]  # noqa: S324 - what PDF 1.4 prescribes
    user = rc4(key, PADDING)
    pdf = Pdf(header=b"%PDF-1.4\n")
    number = len(pdf.objects) + 1
    object_key = hashlib.md5(key + number.to_bytes(3, "little") + b"\x00\x00").digest()[:10]  # noqa: S324 - see above
    pdf.add_page(rc4(object_key, lines()))
    handler = pdf.add(
        b"<</Filter/Standard/V 1/R 2/O<%b>/U<%b>/P %d>>" % (owner.hex().encode(), user.hex().encode(), permissions)
    )
    pdf.trailer = b"/Encrypt %d 0 R/ID[<%b><%b>]" % ((handler,) + (identifier.hex().encode(),) * 2)
    return pdf.data


def rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def slow_pdf() -> bytes:
    """A small file that takes a reader very long and little memory: every point of many shades is computed."""
    pdf = Pdf()
    program = b"{" + b"2 copy mul sin cos sqrt abs exch pop " * 60 + b"pop}"
    function = pdf.add_stream(program, b"/FunctionType 4/Domain[0 1 0 1]/Range[0 1]")
    shading = pdf.add(
        b"<</ShadingType 1/ColorSpace/DeviceGray/Domain[0 1 0 1]/Matrix[612 0 0 792 0 0]/Function %d 0 R>>" % function
    )
    pdf.add_page(lines() + b"/S sh\n" * 2_000, resources=b"/Shading<</S %d 0 R>>" % shading)
    return pdf.data


def second_font(*, letters: str = "", said: Sequence[str], operators: str = "", name: str = "Helvetica") -> bytes:
    """A resume and `letters` in a font of their own, of which those from "a" on say what `said` tells.

    With `operators` these show them, and whatever stands around them in the other font.
    """
    rows = " ".join(f"<{ord('a') + place:02X}> <{text.encode('utf-16-be').hex()}>" for place, text in enumerate(said))
    table = (
        "/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>endcodespacerange"
        f" {len(said)} beginbfchar {rows} endbfchar endcmap end"
    )
    pdf = Pdf()
    pdf.add_page(lines() + f"BT /F9 11 Tf 50 600 Td {operators or f'({letters}) Tj'} ET".encode())
    font = pdf.add(
        b"<</Type/Font/Subtype/Type1/BaseFont/%b/Encoding/WinAnsiEncoding/ToUnicode %d 0 R>>"
        % (name.encode(), pdf.add_stream(table.encode()))
    )
    pdf.objects = [one.replace(b"/F1 3 0 R>>", b"/F1 3 0 R/F9 %d 0 R>>" % font) for one in pdf.objects]
    return pdf.data
