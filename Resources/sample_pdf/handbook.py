"""A handbook of more than a hundred pages, generated from sentences, with some marks."""

from . import fonts
from .document import Document
from .marks import Marks, to_page
from .setting import Column, Story

FILE = "harbour-handbook.pdf"
TITLE = "The Harbour Watch Handbook"
AUTHOR = "Harbour Watch, Training Office"

CHAPTERS = [
    ("Coming on watch", "watch", "relief"), ("The log", "log", "entry"), ("Lights and shapes", "light", "lantern"),
    ("Sound signals", "signal", "horn"), ("Weather", "forecast", "glass"), ("Tides and streams", "tide", "gauge"),
    ("The radio room", "channel", "set"), ("Arrivals", "arrival", "pilot"), ("Departures", "departure", "clearance"),
    ("Berths and moorings", "berth", "line"), ("Anchorages", "anchorage", "buoy"), ("Small craft", "dinghy", "slipway"),
    ("Ferries", "ferry", "ramp"), ("Fishing boats", "trawler", "quay"), ("Tugs and towing", "tug", "hawser"),
    ("Divers", "diver", "flag"), ("Fuel and fire", "hose", "pump"), ("Spills", "boom", "slick"),
    ("Fog", "fog", "bell"), ("Ice", "ice", "channel mark"), ("Search and rescue", "search", "boat"),
    ("Stores and tools", "store", "key"), ("Visitors and press", "visitor", "pass"), ("Going off watch", "handover", "list"),
]

SECTIONS = ["What it is for", "Before you begin", "Step by step", "When it goes wrong"]

SENTENCES = [
    "Look at the {a} first, and only then at the {b}.",
    "If the {a} and the {b} do not agree, believe neither and ask the officer of the watch.",
    "Write the time beside every {a}, to the minute, in the time of the harbour.",
    "A {b} that was checked an hour ago has not been checked.",
    "Nobody is blamed for calling too early; a late call is always entered in the log.",
    "Keep the {b} where the next person will look for it, not where it is handy for you.",
    "Two people may share a {a}, but one of them must answer for it.",
    "At night the {a} seems nearer than it is, and in rain it seems farther away.",
    "Say what you see before you say what you think it means.",
    "When in doubt about the {b}, read the page on it again; it is shorter than an inquiry.",
    "The {a} is entered in ink, and a wrong entry is struck out with one line so that it can still be read.",
    "Do not leave the {b} to go and fetch help: ring, and stay.",
    "Ask for the {a} to be repeated whenever a number or a name was not clear.",
    "A quiet hour is the right hour to look after the {b}.",
    "Strangers will ask about the {a}; be friendly, be brief, and point them to the office.",
    "The rule about the {b} was written after an accident, and so was this sentence.",
    "Count the {b} at the start and at the end, even if it has not been used.",
    "If the {a} is late by more than a quarter of an hour, tell the duty officer without being asked.",
    "Old hands do this without looking; new hands look, and are right to.",
    "Where this page and a notice on the wall differ, the notice is newer and counts.",
]

TABLE_HEAD = ("Hour", "Look at", "Write down", "Tell")
HOURS = ["0000", "0400", "0800", "1200", "1600", "2000"]


class Dice:
    """Pseudo-random numbers that are equal on every machine and in every Python version."""

    def __init__(self):
        self.state = 20260105

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


def make():
    # The sheet is larger than the page, as for printing, so the visible area does not begin at 0, 0.
    box = "/MediaBox[0 0 613 860]/CropBox[9 9 604 851]"
    document = Document(TITLE, AUTHOR, box, origin=(9, 9))
    document.labels = "/Nums[0<</S/r>>4<</S/D>>]"
    marks = Marks(document)
    dice = Dice()
    contents = _front(document)
    starts = []
    for index, chapter in enumerate(CHAPTERS):
        starts.append(_chapter(document, marks, dice, index, *chapter))
    _contents(contents, marks, starts)
    for index, page in enumerate(document.pages):
        if index >= 4:
            page.text(70, 806, TITLE, fonts.ITALIC, 9)
            page.text(505, 806, str(index - 3), fonts.SANS, 9)
    return document


def _front(document):
    cover = document.page()
    cover.text(90, 560, "The Harbour Watch", fonts.SANS_BOLD, 30)
    cover.text(90, 522, "Handbook", fonts.SANS_BOLD, 30)
    cover.text(90, 480, "For everyone who keeps watch, and for those who relieve them", fonts.ITALIC, 13)
    document.entry("Cover", cover, 842)
    blank = document.page()
    blank.draw("0.5 w 90 421 m 505 421 l S")
    pages = [document.page(), document.page()]
    document.entry("Contents", pages[0], 800)
    return pages


def _contents(pages, marks, starts):
    for place, page in enumerate(pages):
        page.text(90, 760, "Contents" if place == 0 else "Contents, continued", fonts.SANS_BOLD, 18)
        for line, (title, start, number) in enumerate(starts[12 * place : 12 * place + 12]):
            y = 715 - 34 * line
            page.text(90, y, title, fonts.ROMAN, 12)
            page.text(490, y, str(number), fonts.ROMAN, 12)
            marks.add(page, "Link", [88, y - 4, 507, y + 12], "", "", "/Border[0 0 0]" + to_page(start, 800))


def _chapter(document, marks, dice, index, title, a, b):
    def more():
        return Column(document.page(), 90, 780, 415, 70)

    story = Story(more)
    first, number = story.column.page, len(document.pages) - 4
    name = f"{index + 1} {title}"
    page, top = story.heading(name, size=18, before=20, after=14)
    document.entry(name, page, top)
    for section in range(len(SECTIONS)):
        heading = f"{index + 1}.{section + 1} {SECTIONS[section]}"
        page, top = story.heading(heading, size=12, before=16, after=6)
        document.entry(heading, page, top, level=1)
        for _ in range(6 + dice.below(3)):
            story.paragraph(_sentences(dice, a, b, 4 + dice.below(4)), size=11, leading=14.5)
            story.space(7)
        if section == 2:
            for step in range(6):
                story.paragraph(f"{step + 1}. " + _sentences(dice, a, b, 2), size=11, leading=14.5, indent=16, first=-16)
                story.space(3)
        if section == 1:
            _table(story, dice, a, b)
    _mark(marks, story, index, dice)
    return name, first, number


def _sentences(dice, a, b, count):
    chosen = []
    while len(chosen) < count:
        sentence = SENTENCES[dice.below(len(SENTENCES))]
        if sentence not in chosen:
            chosen.append(sentence)
    return " ".join(chosen).format(a=a, b=b)


def _table(story, dice, a, b):
    story.room(130)
    story.space(10)
    column = story.column
    stops = [column.left + 6, column.left + 70, column.left + 180, column.left + 300]
    cells = [("the " + a, "the " + b, "the sky", "the water"), ("time", "height", "number", "nothing new"),
             ("duty officer", "next watch", "pilot", "nobody")]
    rows = [TABLE_HEAD] + [(hour, *(kind[dice.below(4)] for kind in cells)) for hour in HOURS]
    for index, row in enumerate(rows):
        story.space(15)
        for stop, cell in zip(stops, row):
            column.page.text(stop, column.y, cell, fonts.SANS_BOLD if index == 0 else fonts.SANS, 10)
    story.space(14)


def _mark(marks, story, index, dice):
    """Adds one to three marks to some chapters."""
    wanted = [("Highlight", "believe neither", "How often does that happen?"), ("Underline", "to the minute", ""),
              ("Highlight", "has not been checked", ""), ("StrikeOut", "be friendly", "Be polite; friendly takes too long.")]
    for kind, phrase, text in wanted[: index % 4]:
        try:
            place = story.find(phrase, after=dice.below(200))
        except ValueError:
            continue
        marks.on_words(kind, place, ["ana", "ben", "carla"][dice.below(3)], text)
    if index % 5 == 0:
        marks.add(story.column.page, "Text", [515, 700, 533, 718], "carla", "Check this chapter against the new notices.",
                  "/Name/Note/C[1 0.85 0.2]")
