"""A paper of a few pages: two columns, a table, a formula, a figure, a rotated page, many kinds of mark."""

from . import fonts
from .document import Document, number
from .marks import Marks, to_address, to_page
from .setting import Column, Story

FILE = "reading-machines.pdf"
TITLE = "Reading Machines: What a Margin Is For"
AUTHOR = "Ilse Marrin and Tomas Adeyemi"

ABSTRACT = """
People who read for their work leave traces: a line under a claim, a question mark, a name to ask. We look at
what those traces are for, why they are lost when a text moves from paper to screen, and what a plain program
needs so that several readers can mark one text at the same time without getting in each other\u2019s way.
"""

# Each entry is a heading ("#" and its text), a paragraph, or the name of a drawn part ("=").
BODY = [
    "# 1 A margin is a place to talk",
    """Open a library book that has been borrowed for fifty years and you will meet its read\u00aders. One of them
    under\u00adlined every date. Another argued with the author in pencil, lost the argument on page ninety, and
    wrote \u201cfair enough\u201d. Nobody asked them to do so. A margin invites it, because it is next to the words
    and costs nothing.""",
    """What they left is not a comment on the book as a whole. It is fastened to a place: this sentence, this
    number, this step in a proof. Take the place away and most marginal notes mean nothing at all. \u201cNo!\u201d
    is a fine remark beside a claim and an odd one in a list of remarks. The first duty of a reading machine is
    there\u00adfore to keep a mark where it was put.""",
    """The second duty follows from the first. If a mark says \u201chere\u201d, then two read\u00aders who mark the
    same line have said some\u00adthing to\u00adgether, even if they never met. Their marks overlap, and the overlap
    is infor\u00admation: it tells the next reader where the text is dense, or weak, or beautiful. A machine that
    lets the later mark hide the earlier one throws that away.""",
    "# 2 What gets lost",
    """Paper is forgiving. It keeps a coffee stain as carefully as a correction. Screens are less kind, and they
    lose marks in four ways that we met again and again while we watched a small office review its own
    reports [1].""",
    """Marks are lost in transit, when a file is sent on and the copy with the notes stays be\u00adhind. They are lost
    in conflict, when two people save and the second save wins. They are lost in trans\u00adlation, when one program
    draws a wavy line and another does not know what a wavy line is. And they are lost in doubt: a reader who is
    not sure whether a note was kept writes it down some\u00adwhere else, and then it is no longer in the margin.""",
    """The last loss is the worst, since it is invisible. We counted it all the same. Each of our eleven read\u00aders
    kept a diary for three weeks and wrote down every remark they had wanted to make on a text but made
    elsewhere. Table 1 has the sums.""",
    "= table",
    """Doubt came first by a wide margin. It did not matter much how often marks were really lost; it mattered
    whether the program said clearly that they were safe. A line at the foot of the screen that reads \u201c3 unsent\u201d
    did more for trust than any promise in a manual.""",
    "# 3 A simple account of trust",
    """Suppose a reader makes marks at a steady rate and the program tells the truth about each of them within
    some delay. Write n for the number of marks that, at a time t, are made but not known to be safe, r for the rate, and
    d for the delay. Then, as in any queue, the three are bound together:""",
    "= formula",
    """where p is the share of marks that have to be made twice. With a delay of two seconds and a mark every
    twenty seconds n is a tenth of a mark, and the reader forgets that there is a network at all. With a delay of
    two minutes it is six marks, a whole page of work, and the pencil comes out.""",
    """The formula is crude, but it tells a builder where to spend effort. Halving the delay is good. Never having
    to make a mark twice is better, because p grows with every reader who shares the page, and a mark made twice
    is a mark made in anger.""",
    "# 4 Four rules",
    """From the diaries and from a year of building a small program for our\u00adselves [2] we drew four rules. They are
    not deep. They are only easy to forget.""",
    """First, a mark is kept before it is shown as kept. The order matters: write it down, make sure it is on the
    disk, and only then let the screen say so. Second, nobody\u2019s mark is dropped with\u00adout a word. When two
    read\u00aders change the same note, the later one sees both and decides. Third, a program that meets a kind of
    mark it does not know shows that it is there and passes it on un\u00adtouched. Fourth, who may not write should
    be told why, at the key they pressed, and not be left to wonder.""",
    "= figure",
    """The third rule costs the least and is broken the most. It is always tempting to keep only what one under\u00adstands.
    But a mark belongs to the person who made it, and a program is only its keeper for an hour.""",
    "# 5 Plain screens",
    """A surprising number of our read\u00aders did their reviewing in a terminal, over a slow line, on a machine they
    did not own. They did not want a picture of the page. They wanted the words in the order in which they are
    read, the marks among the words, and their hands on the keys. Text does that well. It is small, it can be
    searched, a speech program can read it out, and it arrives all at once.""",
    """What text does badly is space. A table is a shape before it is a list of numbers, and a margin is a place be\u00adfore
    it is a column. We found that two views are enough: one that keeps the shape of the page and may be wider
    than the screen, and one that gives up the shape and reads well. The marks must be the same in both, and the
    cursor must stay on the same word when the reader goes from one to the other.""",
    "# 6 How the office used it",
    """After the diaries we gave the office our program and watched for eight weeks. In the first week people marked
    little. They made a note, looked at the foot of the screen, asked a neighbour whether it had arrived, and made
    the next one. By the third week nobody asked. By the sixth they had stopped looking, which is the best thing
    that can be said of a status line.""",
    """Two habits surprised us. The first was reading in pairs: one person moved through the text, the other fol\u00adlowed
    on a screen of their own and wrote down what was said. The follower never touched the page, so we let them
    read without the right to write, and they liked that more than we did. \u201cI cannot break any\u00adthing\u201d,
    one of them told us, \u201cso I can listen.\u201d""",
    """The second was tidy\u00ading. Before a report went out, someone would walk through all the marks in order and
    settle them one by one: done, not done, ask Carla. We had built a list of marks as an af\u00adterthought, next to
    the page. For this work it was the page that was next to the list.""",
    """There were quarrels too. One reader had marked nearly every line of a colleague\u2019s draft, and the colleague
    asked for a way to hide it all. We gave them a filter instead of an eraser. Marks that are hidden come back
    when they are wanted; marks that are deleted come back as memories, and those are worse.""",
    "# 7 Limits of this study",
    """Eleven people are not many, and they knew that we were counting. The office had a good network; a ship or a
    field station would not. We looked at text that is finished, not at text that is being written, where marks
    come and go with the sentences under them. The appendix lists the raw counts, so that anyone may draw other
    con\u00adclusions [3].""",
    "# 8 Conclusion",
    """A margin is a shared place with simple manners: write small, do not write over others, leave what you find. A
    reading machine does not have to be clever to keep those manners. It has to be honest about what is safe,
    patient with what it does not know, and quick enough that a reader never wonders whether the pencil would
    have been faster.""",
    "# References",
    """~[1] I. Marrin. Where remarks go: a diary study. Notes of the Harbour Reading Group, number 4.""",
    """~[2] T. Adeyemi. A small program for large margins. https://example.org/margins""",
    """~[3] The counts, with a description of each column. https://example.org/margins/counts""",
]

TABLE = [
    ("Cause", "Remarks", "Per reader", "Share"),
    ("Doubt", "214", "19.5", "46 %"),
    ("Conflict", "121", "11.0", "26 %"),
    ("Transit", "88", "8.0", "19 %"),
    ("Translation", "42", "3.8", "9 %"),
]


def make():
    document = Document(TITLE, AUTHOR)
    story = Story(_columns(document))
    for part in BODY:
        _set(document, story, " ".join(part.split()))
    appendix = _appendix(document)
    document.entry("Appendix: raw counts", appendix, 780)
    _mark(document, story, appendix)
    for index, page in enumerate(document.pages[:-1]):
        page.text(297 - 3, 32, str(index + 1), fonts.SANS, 9)
        if index:
            page.text(60, 806, "Marrin and Adeyemi", fonts.ITALIC, 9)
            page.text(435, 806, "What a Margin Is For", fonts.ITALIC, 9)
    return document


def _columns(document):
    """Returns a function for the next column: left, then right, then a new page; the first page leaves room for the title."""
    waiting = []

    def more():
        if not waiting:
            page = document.page()
            top = 790
            if len(document.pages) == 1:
                top = _head(document, page)
            waiting.extend([Column(page, 60, top, 227, 60), Column(page, 308, top, 227, 60)])
        return waiting.pop(0)

    return more


def _head(document, page):
    page.text(60, 772, "Reading Machines:", fonts.SANS_BOLD, 20)
    page.text(60, 748, "What a Margin Is For", fonts.SANS_BOLD, 20)
    page.text(60, 724, AUTHOR, fonts.ROMAN, 11)
    abstract = Story(lambda: Column(page, 90, 708, 415, 600))
    abstract.paragraph(ABSTRACT, fonts.ITALIC, 10, 12.5)
    bottom = abstract.column.y - 12
    page.draw(f"0.5 w 60 {number(bottom)} m 535 {number(bottom)} l S")
    document.entry("Abstract", page, 712)
    return bottom - 6


def _set(document, story, part):
    if part.startswith("# "):
        page, top = story.heading(part[2:])
        document.entry(part[2:], page, top)
    elif part == "= table":
        _table(story)
    elif part == "= formula":
        _formula(story)
    elif part == "= figure":
        _figure(story)
    elif part.startswith("~"):
        story.paragraph(part[1:], size=9, leading=11, justify=False)
        story.space(2)
    else:
        story.paragraph(part, first=12)


def _table(story):
    story.room(110)
    story.space(14)
    column = story.column
    page, left = column.page, column.left
    page.text(left, column.y, "Table 1. Remarks that were made elsewhere.", fonts.SANS, 8.5)
    stops = [left + 2, left + 82, left + 138, left + 196]
    story.space(6)
    page.draw(f"0.8 w {left} {number(column.y)} m {left + 227} {number(column.y)} l S")
    for index, row in enumerate(TABLE):
        story.space(13)
        for stop, cell in zip(stops, row):
            page.text(stop, column.y, cell, fonts.SANS_BOLD if index == 0 else fonts.SANS, 9)
        if index in (0, len(TABLE) - 1):
            page.draw(f"0.4 w {left} {number(column.y - 4)} m {left + 227} {number(column.y - 4)} l S")
    story.space(12)


def _formula(story):
    story.room(34)
    story.space(20)
    column = story.column
    page, x, y = column.page, column.left + 62, column.y
    for text, font, size, rise in [
        ("n", fonts.ITALIC, 11, 0), ("t", fonts.ITALIC, 7, -2.5), (" = ", fonts.ROMAN, 11, 0),
        ("r \u00b7 d \u00b7 (1 + p", fonts.ITALIC, 11, 0), ("2", fonts.ROMAN, 7, 4.5),
        (")", fonts.ITALIC, 11, 0),
    ]:
        page.text(x, y + rise, text, font, size)
        x += font.width(text, size)
    page.text(column.left + 208, y, "(1)", fonts.ROMAN, 10)
    story.space(12)


def _figure(story):
    story.room(150)
    story.space(116)
    column = story.column
    page, left, bottom = column.page, column.left + 20, column.y
    page.draw(f"0.8 w {left} {number(bottom + 84)} m {left} {number(bottom)} l {left + 190} {number(bottom)} l S")
    heights = [8, 14, 18, 31, 44, 47, 62, 71]
    for index, height in enumerate(heights):
        x = left + 8 + 22 * index
        page.draw(f"{1 - height / 100:.2f} 0.8 0.9 rg {x} {number(bottom + 1)} 14 {height} re f 0 g")
    page.text(left + 2, bottom + 86, "marks a day", fonts.SANS, 7.5)
    page.text(left + 150, bottom - 10, "week 8", fonts.SANS, 7.5)
    story.space(24)
    page.text(column.left, column.y, "Figure 1. Marks grew once they were seen to be safe.", fonts.SANS, 8.5)
    story.space(6)
    story.figure = (page, left, bottom)


def _appendix(document):
    """Draws a wide table on a rotated page: portrait sheet, landscape page."""
    page = document.page(box="/MediaBox[0 0 595 842]/Rotate 90")
    page.draw("0 1 -1 0 595 0 cm")
    page.text(60, 530, "Appendix: raw counts", fonts.SANS_BOLD, 14)
    page.text(60, 508, "One line for each reader, one column for each cause, three weeks.", fonts.ROMAN, 10)
    head = ["Reader", "Doubt", "Conflict", "Transit", "Translation", "All"]
    rows = [
        ("A", 31, 10, 4, 2), ("B", 12, 22, 9, 0), ("C", 27, 6, 11, 5), ("D", 18, 14, 2, 7), ("E", 9, 3, 15, 1),
        ("F", 35, 19, 6, 8), ("G", 14, 8, 10, 3), ("H", 22, 17, 7, 6), ("I", 6, 5, 13, 0), ("J", 26, 11, 8, 9),
        ("K", 14, 6, 3, 1),
    ]
    for index, row in enumerate([head] + [[*row, sum(row[1:])] for row in rows]):
        for place, cell in enumerate(row):
            font = fonts.SANS_BOLD if index == 0 else fonts.SANS
            page.text(60 + 115 * place, 478 - 22 * index, str(cell), font, 10)
    return page


def _mark(document, story, appendix):
    marks = Marks(document)
    yellow, green, blue, red = (1, 0.85, 0.2), (0.6, 0.9, 0.5), (0.2, 0.4, 0.9), (0.9, 0.2, 0.2)

    place = story.find("It is fastened to a place")
    first = marks.on_words("Highlight", place, "ana", "This is the whole argument in one sentence.", yellow)
    page = place[0].page
    marks.reply(page, [545, 500, 561, 516], first, "ben", "Agreed. Move it up into the abstract?")
    marks.reply(page, [545, 480, 561, 496], first, "ana", "Yes, please do.")
    marks.on_words("Highlight", story.find("the overlap is information"), "ana", "", yellow)
    wider = story.find("the overlap is information it tells the next reader")
    marks.on_words("Highlight", wider, "ben", "Say how it is shown.", green)
    marks.on_words("Underline", story.find("lose marks in four ways"), "carla", "", blue)
    marks.on_words("Squiggly", story.find("invisible"), "ben", "Invisible to whom?", red)

    wrong = story.find("by a wide margin")
    caret = [wrong[-1].x + wrong[-1].width - 3, wrong[-1].y - 4, wrong[-1].x + wrong[-1].width + 3, wrong[-1].y + 5]
    own = marks.add(wrong[-1].page, "Caret", caret, "carla", "clearly", "/Sy/None/IT/Replace/C[0.2 0.4 0.9]")
    marks.on_words("StrikeOut", wrong, "carla", "", red, f"/IRT {own} 0 R/RT/Group/IT/StrikeOutTextEdit")

    marks.on_words("Highlight", story.find("a mark is kept before it is shown as kept"), "ben", "", green)
    marks.on_words("Highlight", story.find("Eleven people are not many"), "carla", "Marked without places.", quads=False)
    marks.add(page, "Text", [545, 640, 563, 658], "carla", "General remark: which program was used?\nPlease name it.",
              "/Name/Comment/C[1 0.85 0.2]")
    _draw(marks, story, appendix)

    marks.link(story.find("[1]"), to_page(document.pages[-2], 790))
    marks.link(story.find("https://example.org/margins"), to_address("https://example.org/margins"))
    marks.link(story.find("https://example.org/margins/counts"), to_address("https://example.org/margins/counts"))


def _draw(marks, story, appendix):
    """Adds the marks that are not on words."""
    page, left, bottom = story.figure
    around = [left + 150, bottom - 2, left + 186, bottom + 78]
    marks.add(page, "Circle", around, "ana", "Only eight weeks.", "/C[0.9 0.2 0.2]/BS<</W 1.5>>")
    marks.add(page, "Square", [left - 14, bottom - 16, left + 200, bottom + 98], "ben", "", "/C[0.2 0.4 0.9]/BS<</W 1/S/D/D[4 2]>>")
    ends = marks.points(page, [left + 60, bottom + 80, left + 146, bottom + 60])
    marks.add(page, "Line", [left + 58, bottom + 56, left + 150, bottom + 84], "ana", "", f"/L{ends}/LE[/None/OpenArrow]/C[0.9 0.2 0.2]")
    marks.add(page, "FreeText", [left + 4, bottom + 62, left + 74, bottom + 80], "ana", "steeper here?",
              "/DA(0.9 0.2 0.2 rg /Helv 9 Tf)/BS<</W 0>>")
    strokes = marks.points(page, [left + 10, bottom + 30, left + 18, bottom + 36, left + 30, bottom + 30, left + 44, bottom + 40])
    marks.add(page, "Ink", [left + 8, bottom + 28, left + 46, bottom + 42], "ben", "", f"/InkList[{strokes}]/C[0.1 0.6 0.2]/BS<</W 2>>")
    corners = marks.points(page, [left + 80, bottom + 4, left + 100, bottom + 40, left + 120, bottom + 4])
    marks.add(page, "Polygon", [left + 78, bottom + 2, left + 122, bottom + 42], "carla", "", f"/Vertices{corners}/C[0.6 0.2 0.7]")
    path = marks.points(page, [left + 120, bottom + 10, left + 132, bottom + 34, left + 144, bottom + 12])
    marks.add(page, "PolyLine", [left + 118, bottom + 8, left + 146, bottom + 36], "carla", "", f"/Vertices{path}/C[0.6 0.2 0.7]")
    marks.add(marks.document.pages[0], "Stamp", [430, 756, 535, 784], "ana", "", "/Name/Draft/C[0.9 0.2 0.2]")
    # On the rotated page, coordinates are those of the sheet: its x axis is vertical on the displayed page.
    marks.add(appendix, "Text", [40, 640, 58, 658], "ben", "The sums agree with Table 1.", "/Name/Check/C[0.6 0.9 0.5]")
    marks.add(appendix, "Square", [237, 55, 257, 700], "carla", "This reader stands out.", "/C[0.9 0.2 0.2]")
