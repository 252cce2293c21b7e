"""Sets text in columns and records the place of each word, for marks on words."""

from . import fonts

HYPHEN = "\u00ad"
"""A point where a word may be divided."""


class Piece:
    """A word, or its part on a line, with its place: baseline start, length, size."""

    def __init__(self, page, x, y, width, size):
        self.page, self.x, self.y, self.width, self.size = page, x, y, width, size


class Column:
    """An area that text fills from the top; `y` is where the next line may begin."""

    def __init__(self, page, left, top, width, bottom):
        self.page, self.left, self.y, self.width, self.bottom = page, left, top, width, bottom


class Story:
    """Text that flows through columns. `more` creates the next column when one is full."""

    def __init__(self, more):
        self.more = more
        self.column = more()
        self.words = []

    def room(self, height):
        if self.column.y - height < self.column.bottom:
            self.column = self.more()

    def space(self, height):
        self.column.y -= height

    def heading(self, text, font=fonts.SANS_BOLD, size=11, before=10, after=4):
        """Sets a line kept with the following text; returns its place for the outline."""
        self.room(before + size + 40)
        self.space(before + size)
        self._line([[word] for word in text.split()], font, size, 0)
        self.space(after)
        return self.column.page, self.column.y + size + after + 4

    def paragraph(self, text, font=fonts.ROMAN, size=10, leading=12.2, indent=0, first=0, justify=True):
        """Sets a paragraph; `first` is the indent of its first line, `indent` that of all."""
        start = first
        rest = [word.split(HYPHEN) for word in text.split()]
        while rest:
            width = self.column.width - indent - start
            line, rest = self._break(rest, font, size, width)
            self.room(leading)
            self.space(leading)
            length = font.width(" ".join("".join(word) for word in line), size)
            gaps = len(line) - 1
            spacing = (width - length) / gaps if justify and rest and gaps else 0
            self._line(line, font, size, indent + start, spacing)
            start = 0

    def _break(self, words, font, size, width):
        """Returns the words that fit on a line, and the rest; a divided word is in both."""
        line = []
        for index, word in enumerate(words):
            if font.width(" ".join("".join(parts) for parts in line + [word]), size) <= width:
                line.append(word)
                continue
            for cut in range(len(word) - 1, 0, -1):
                head = ["".join(word[:cut]) + "-"]
                if font.width(" ".join("".join(parts) for parts in line + [head]), size) <= width:
                    return line + [head], [["", *word[cut:]]] + words[index + 1 :]
            return line or [word], words[index:] if line else words[index + 1 :]
        return line, []

    def _line(self, line, font, size, indent, spacing=0):
        column = self.column
        x = column.left + indent
        column.page.text(x, column.y, " ".join("".join(word) for word in line), font, size, spacing)
        for word in line:
            text = "".join(word)
            width = font.width(text, size)
            self._remember(word, text, Piece(column.page, x, column.y, width, size))
            x += width + font.width(" ", size) + spacing

    def _remember(self, word, text, piece):
        if word[0] == "" and len(word) > 1 and self.words and self.words[-1][0].endswith("-"):
            before, pieces = self.words[-1]
            self.words[-1] = (before[:-1] + text, pieces + [piece])
        else:
            self.words.append((text, [piece]))

    def find(self, phrase, after=0):
        """Returns the pieces of the first occurrence of these words, ignoring sentence punctuation."""
        wanted = phrase.split()
        texts = [text.strip(".,;:?()\u201c\u201d") for text, _ in self.words]
        for start in range(after, len(texts) - len(wanted) + 1):
            if texts[start : start + len(wanted)] == wanted:
                return [piece for _, pieces in self.words[start : start + len(wanted)] for piece in pieces]
        raise ValueError(f"the text has no {phrase!r}")


def lines(pieces):
    """Returns boxes around pieces, one per line: page, left, bottom, right, top."""
    boxes = []
    for piece in pieces:
        bottom, top = piece.y - 0.22 * piece.size, piece.y + 0.72 * piece.size
        if boxes and boxes[-1][0] is piece.page and boxes[-1][2] == bottom:
            boxes[-1] = (*boxes[-1][:3], piece.x + piece.width, top)
        else:
            boxes.append((piece.page, piece.x, bottom, piece.x + piece.width, top))
    return boxes
