"""Annotations on the pages of a sample."""

from .document import number, numbers, string
from .setting import lines


class Marks:
    """Adds annotations to pages, each with a later date than the previous one."""

    def __init__(self, document):
        self.document = document
        self.minutes = 0

    def on_words(self, subtype, pieces, author, text="", color=(1, 0.85, 0.2), entries="", quads=True):
        """Adds a text markup; without quads, it does not state which words it marks."""
        boxes = lines(pieces)
        page = boxes[0][0]
        dx, dy = page.origin
        corners = []
        for _, left, bottom, right, top in boxes:
            corners += [left + dx, top + dy, right + dx, top + dy, left + dx, bottom + dy, right + dx, bottom + dy]
        box = [min(b[1] for b in boxes), min(b[2] for b in boxes), max(b[3] for b in boxes), max(b[4] for b in boxes)]
        places = f"/QuadPoints{numbers(corners)}" if quads else ""
        return self.add(page, subtype, box, author, text, f"/C{numbers(color)}{places}{entries}")

    def add(self, page, subtype, box, author, text="", entries="", popup=True):
        """Adds an annotation and returns its object number; the box is left, bottom, right, top."""
        document = self.document
        self.minutes += 7
        day, rest = divmod(self.minutes, 24 * 60)
        date = f"D:202601{day + 6:02}{rest // 60:02}{rest % 60:02}00Z"
        own = document.add(None)
        link = ""
        if popup and text:
            right = self._shifted(page, [box[2] + 10, box[3] - 80, box[2] + 190, box[3]])
            other = document.add(f"<</Type/Annot/Subtype/Popup/Rect{numbers(right)}/Parent {own} 0 R/F 28>>")
            link = f"/Popup {other} 0 R"
        body = f"<</Type/Annot/Subtype/{subtype}/Rect{numbers(self._shifted(page, box))}/F 4/NM(mark-{own})"
        body += f"/T{string(author)}/CreationDate({date})/M({date})" if author else ""
        body += f"/Contents{string(text)}" if text else ""
        document.set(own, body + link + entries + ">>")
        page.annotations.append(own)
        if link:
            page.annotations.append(other)
        return own

    def reply(self, page, box, to, author, text):
        return self.add(page, "Text", box, author, text, f"/IRT {to} 0 R/RT/R/Name/Comment")

    def link(self, pieces, action):
        page, left, bottom, right, top = lines(pieces)[0]
        return self.add(page, "Link", [left, bottom, right, top], "", "", f"/Border[0 0 0]{action}")

    def points(self, page, values):
        """Points in a page's own coordinates, as a PDF array."""
        dx, dy = page.origin
        return numbers(value + (dy if index % 2 else dx) for index, value in enumerate(values))

    @staticmethod
    def _shifted(page, box):
        dx, dy = page.origin
        return [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy]


def to_page(page, top):
    return f"/Dest[{page.number} 0 R/XYZ null {number(top)} null]"


def to_address(address):
    return f"/A<</S/URI/URI({address})>>"
