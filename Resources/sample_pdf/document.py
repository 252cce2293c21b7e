"""A PDF under construction: objects, pages, outline, page labels."""

import hashlib
import zlib

from . import fonts


def string(text):
    """Encodes a text as a PDF string: unchanged if safe, otherwise as UTF-16 in hexadecimal."""
    if all(32 <= ord(character) < 127 and character not in "()\\" for character in text):
        return f"({text})"
    return "<" + ("\ufeff" + text).encode("utf-16-be").hex().upper() + ">"


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def numbers(values):
    return "[" + " ".join(number(value) for value in values) + "]"


class Page:
    """One page: its content, and the object numbers of its annotations."""

    def __init__(self, document, entries, origin):
        self.document = document
        self.number = document.add(None)
        self.entries = entries
        self.origin = origin
        self.content = []
        self.annotations = []

    def draw(self, operators):
        self.content.append(operators)

    def text(self, x, y, text, font, size, spacing=0):
        code = text.encode("cp1252").hex().upper()
        name = fonts.ALL.index(font) + 1
        gap = f"{number(spacing)} Tw " if spacing else ""
        self.draw(f"BT /F{name} {number(size)} Tf {gap}{number(x)} {number(y)} Td <{code}> Tj ET")


class Document:
    def __init__(self, title, author, box="/MediaBox[0 0 595 842]", origin=(0, 0)):
        self.objects = []
        self.pages = []
        self.outline = []
        self.labels = "/Nums[0<</S/D>>]"
        self.box = box
        self.origin = origin
        self.catalog = self.add(None)
        self.tree = self.add(None)
        self.fonts = [self.add(font.dictionary()) for font in fonts.ALL]
        self.info = self.add(
            f"<</Title{string(title)}/Author{string(author)}/CreationDate(D:20260105090000Z)>>"
        )

    def add(self, body):
        """Adds an object and returns its number; a body of None is filled in later."""
        self.objects.append(body)
        return len(self.objects)

    def set(self, number, body):
        self.objects[number - 1] = body

    def page(self, box=None, origin=None):
        page = Page(self, box or self.box, origin or self.origin)
        self.pages.append(page)
        return page

    def entry(self, title, page, top, level=0):
        """Adds an outline entry: level 0, or level 1 below the last of level 0."""
        self.outline.append((title, page, top, level))

    def bytes(self):
        for page in self.pages:
            self._finish(page)
        kids = " ".join(f"{page.number} 0 R" for page in self.pages)
        self.set(self.tree, f"<</Type/Pages/Count {len(self.pages)}/Kids[{kids}]>>")
        outline = self._outline()
        self.set(
            self.catalog,
            f"<</Type/Catalog/Pages {self.tree} 0 R/Outlines {outline} 0 R/PageMode/UseOutlines"
            f"/PageLabels<<{self.labels}>>/Lang(en)>>",
        )
        return self._file()

    def _finish(self, page):
        x, y = page.origin
        content = "\n".join([f"1 0 0 1 {number(x)} {number(y)} cm"] * bool(x or y) + page.content)
        data = zlib.compress(content.encode("ascii"), 9)
        stream = f"<</Length {len(data)}/Filter/FlateDecode>>stream\n".encode() + data + b"\nendstream"
        used = "".join(f"/F{index + 1} {font} 0 R" for index, font in enumerate(self.fonts))
        annotations = " ".join(f"{annotation} 0 R" for annotation in page.annotations)
        self.set(
            page.number,
            f"<</Type/Page/Parent {self.tree} 0 R{page.entries}/Resources<</Font<<{used}>>>>"
            f"/Contents {self.add(stream)} 0 R" + f"/Annots[{annotations}]" * bool(annotations) + ">>",
        )

    def _outline(self):
        root = self.add(None)
        numbered = [(self.add(None), *entry) for entry in self.outline]
        chapters = [entry for entry in numbered if entry[4] == 0]
        children = {chapter[0]: [] for chapter in chapters}
        parent = root
        for entry in numbered:
            if entry[4] == 0:
                parent = entry[0]
            else:
                children[parent].append(entry)
        self._siblings(root, chapters)
        for chapter in chapters:
            self._siblings(chapter[0], children[chapter[0]])
            below = children[chapter[0]]
            if below:
                links = f"/First {below[0][0]} 0 R/Last {below[-1][0]} 0 R/Count -{len(below)}>>"
                self.set(chapter[0], self.objects[chapter[0] - 1][:-2] + links)
        ends = f"/First {chapters[0][0]} 0 R/Last {chapters[-1][0]} 0 R/Count {len(chapters)}"
        self.set(root, f"<</Type/Outlines{ends}>>")
        return root

    def _siblings(self, parent, entries):
        for index, (own, title, page, top, _) in enumerate(entries):
            before = f"/Prev {entries[index - 1][0]} 0 R" if index else ""
            after = f"/Next {entries[index + 1][0]} 0 R" if index + 1 < len(entries) else ""
            place = f"[{page.number} 0 R/XYZ null {number(top + page.origin[1])} null]"
            self.set(own, f"<</Title{string(title)}/Parent {parent} 0 R{before}{after}/Dest{place}>>")

    def _file(self):
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for index, body in enumerate(self.objects):
            offsets.append(len(out))
            data = body if isinstance(body, bytes) else body.encode("ascii")
            out += f"{index + 1} 0 obj\n".encode() + data + b"\nendobj\n"
        table = len(out)
        out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode()
        out += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
        identity = hashlib.md5(bytes(out)).hexdigest()
        out += (
            f"trailer<</Size {len(offsets) + 1}/Root {self.catalog} 0 R/Info {self.info} 0 R"
            f"/ID[<{identity}><{identity}>]>>\nstartxref\n{table}\n%%EOF\n"
        ).encode()
        return bytes(out)
