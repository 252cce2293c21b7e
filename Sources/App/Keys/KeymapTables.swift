// The keys as they come. Order matters: it is the order of the help and of the footer.
extension Keymap {
    static let everywhere = [
        Binding(.everywhere, "?", .help, "the keys that are valid here", footer: "help"),
        Binding(.everywhere, ":", .commandLine, "type a command"),
        Binding(.everywhere, "<C-p>", .palette, "find a command by its name"),
        Binding(.everywhere, "<esc>", .escape, "take back one thing: prompt, card, selection, search, filter"),
        Binding(.everywhere, "<C-c>", .interrupt, "the same, and say how to quit"),
        Binding(.everywhere, "q", .leave, "leave this screen; on the first one, quit"),
        Binding(.everywhere, "<C-l>", .redraw, "draw the screen again"),
        Binding(.everywhere, "<C-z>", .suspend, "suspend the program"),
    ]

    static let moving = [
        Binding(.moving, "j <down>", .down, "down; 5j: five"),
        Binding(.moving, "k <up>", .up, "up"),
        Binding(.moving, "<C-d>", .halfDown, "half a screenful down"),
        Binding(.moving, "<C-u>", .halfUp, "half a screenful up"),
        Binding(.moving, "<pgdn>", .screenDown, "a screenful down"),
        Binding(.moving, "<pgup>", .screenUp, "a screenful up"),
        Binding(.moving, "gg <home>", .first, "to the first; 12gg: row or page 12"),
        Binding(.moving, "G <end>", .last, "to the last; 12G: row or page 12"),
    ]

    static let library = [
        Binding(.library, "<enter>", .open, "open the layer", footer: "open"),
        Binding(.library, "+", .addLayer, "add a layer by its server and token", footer: "add"),
        Binding(.library, "<space>", .palette, "find a command by its name"),
        Binding(.library, "x", .removeLayer, "remove the layer from this machine", footer: "remove"),
    ]

    static let document = [
        Binding(.document, "O", .outbox, "what waits to be sent, and conflicts", footer: "outbox"),
        Binding(.document, "u", .undo, "undo your last edit", footer: "undo"),
        Binding(.document, "<C-r>", .redo, "do again what was undone"),
        Binding(.document, "S", .sync, "sync now"),
        Binding(.document, "T", .token, "give a token"),
        Binding(.document, "P", .present, "present page and selection to the others, or stop"),
        Binding(.document, "F", .follow, "follow who presents; moving on the page breaks away"),
        Binding(.document, "D", .download, "download the PDF"),
        Binding(.document, "J", .nextPage, "next page of the document"),
        Binding(.document, "K", .previousPage, "previous page of the document"),
        Binding(.document, "<C-o>", .back, "back to where you were before a jump"),
        Binding(.document, "g;", .forward, "forward again"),
    ]

    static let list = [
        Binding(.list, "<enter>", .goTo, "go to it on the page", footer: "go to"),
        Binding(.list, "a", .note, "add a note beside it", footer: "note"),
        Binding(.list, "e", .edit, "edit its text", footer: "edit"),
        Binding(.list, "E", .editExternally, "edit its text in your editor"),
        Binding(.list, "d", .delete, "delete it", footer: "delete"),
        Binding(.list, "/", .search, "filter the list", footer: "filter"),
        Binding(.list, "<tab> <S-tab>", .otherPane, "to the page", footer: "page"),
        Binding(.list, "m", .nextUnread, "next unread", footer: "next new"),
        Binding(.list, "s", .showDetail, "show or hide the whole text", footer: "whole text"),
        Binding(.list, "o", .sort, "sort by page, newest, author"),
    ]

    static let page = [
        Binding(.page, "a", .note, "add a note here", footer: "note"),
        Binding(.page, "v", .selectCharacters, "select words; again: word, sentence, block", footer: "select"),
        Binding(.page, "V", .selectRows, "select whole lines"),
        Binding(.page, "<enter>", .showMarks, "show the mark at the cursor in the list, open a table", footer: "show"),
        Binding(.page, "/", .search, "search the page", footer: "search"),
        Binding(.page, "n", .searchNext, "next hit"),
        Binding(.page, "N", .searchPrevious, "previous hit"),
        Binding(.page, "<tab> <S-tab>", .otherPane, "to the list", footer: "list"),
        Binding(.page, "h <left>", .left, "a character left"),
        Binding(.page, "l <right>", .right, "a character right"),
        Binding(.page, "w", .wordForward, "to the next word"),
        Binding(.page, "b", .wordBack, "back a word"),
        Binding(.page, "e", .wordEnd, "to the end of the word"),
        Binding(.page, "0", .rowStart, "to the start of the line"),
        Binding(.page, "^", .rowText, "to the first letter of the line"),
        Binding(.page, "$", .rowEnd, "to the end of the line"),
        Binding(.page, "(", .sentenceBack, "back a sentence"),
        Binding(.page, ")", .sentenceForward, "to the next sentence"),
        Binding(.page, "{", .blockBack, "back a block"),
        Binding(.page, "}", .blockForward, "to the next block"),
        Binding(.page, "H", .highlight, "highlight: select words first"),
        Binding(.page, "U", .underline, "underline: select words first"),
        Binding(.page, "X", .strikeOut, "strike out: select words first"),
        Binding(.page, "Z", .squiggly, "squiggly line: select words first"),
        Binding(.page, "L", .changeView, "reading or layout view", footer: "view"),
        Binding(.page, "zh", .scrollLeft, "scroll left"),
        Binding(.page, "zl", .scrollRight, "scroll right"),
    ]

    static let selection = [
        Binding(.selection, "H", .highlight, "highlight the selected words", footer: "highlight"),
        Binding(.selection, "U", .underline, "underline them", footer: "underline"),
        Binding(.selection, "X", .strikeOut, "strike them out", footer: "strike out"),
        Binding(.selection, "Z", .squiggly, "put a squiggly line under them", footer: "squiggly"),
        Binding(.selection, "a", .note, "add a note where they begin", footer: "note"),
        Binding(.selection, "v", .growSelection, "grow to word, sentence, block", footer: "grow"),
        Binding(.selection, "V", .selectRows, "whole lines"),
        Binding(.selection, "o", .swapEnds, "move the other end"),
    ]

    static let cards = [
        Binding(.help, "<esc> q ?", .escape, "close the help", footer: "close"),
        Binding(.outbox, "<enter>", .goTo, "show a conflict, or go to the record", footer: "show"),
        Binding(.outbox, "t", .theirs, "drop your edit", footer: "drop mine"),
        Binding(.outbox, "s", .saveUnsent, "save what waits to a file", footer: "save"),
        Binding(.conflict, "m", .mine, "your edit again, over theirs", footer: "mine again"),
        Binding(.conflict, "t", .theirs, "theirs stays, yours is dropped", footer: "theirs"),
        Binding(.conflict, "e", .merge, "edit a text made of both", footer: "merge"),
        Binding(.lost, "r", .keepReading, "keep reading the local copy", footer: "keep reading"),
        Binding(.lost, "s", .saveUnsent, "save what was not sent to a file", footer: "save"),
        Binding(.lost, "x", .removeLayer, "remove the layer from this machine", footer: "remove"),
        Binding(.tokenCard, "<enter>", .useToken, "use the token", footer: "use it"),
        Binding(.tokenCard, "@", .tokenFile, "name a file that holds the token"),
        Binding(.tokenEntry, "<C-u>", .clearToken, "clear what was entered", footer: "clear"),
        Binding(.question, "y", .yes, "yes; any other key is no", footer: "yes"),
    ]

    static let writing = [
        Binding(.editor, "<enter>", .accept, "save", footer: "save"),
        Binding(.editor, "<C-j> <A-enter>", .newLine, "a new line", footer: "new line"),
        Binding(.editor, "<C-x>", .moveToEditor, "go on in your editor", footer: "editor"),
        Binding(.editor, "<esc>", .escape, "leave, keep the text as a draft", footer: "keep draft"),
        Binding(.commandLine, "<tab>", .complete, "complete the word; again: the next one", footer: "complete"),
        Binding(.commandLine, "<S-tab>", .completeBack, "the one before"),
        Binding(.commandLine, "<up> <C-p>", .olderLine, "an older line that begins alike"),
        Binding(.commandLine, "<down> <C-n>", .newerLine, "a newer one"),
        Binding(.picker, "<enter>", .accept, "choose it", footer: "choose"),
        Binding(.picker, "<pgdn>", .screenDown, "a screenful down"),
        Binding(.picker, "<pgup>", .screenUp, "a screenful up"),
        Binding(.text, "<enter>", .accept, "use it"),
        Binding(.text, "<esc>", .escape, "leave it"),
        Binding(.text, "<C-c>", .interrupt, "leave it"),
        Binding(.text, "<C-l>", .redraw, "draw the screen again"),
        Binding(.text, "<C-z>", .suspend, "suspend the program"),
        Binding(.text, "<left> <C-b>", .left, "left"),
        Binding(.text, "<right> <C-f>", .right, "right"),
        Binding(.text, "<up> <C-p>", .up, "a line up"),
        Binding(.text, "<down> <C-n>", .down, "a line down"),
        Binding(.text, "<C-a> <home>", .lineStart, "to the start of the line"),
        Binding(.text, "<C-e> <end>", .lineEnd, "to the end of the line"),
        Binding(.text, "<backspace>", .deleteBack, "delete before the cursor"),
        Binding(.text, "<del> <C-d>", .deleteForward, "delete at the cursor"),
        Binding(.text, "<C-w>", .deleteWord, "delete the word before the cursor"),
        Binding(.text, "<C-u>", .deleteToStart, "delete to the start of the line"),
        Binding(.text, "<C-k>", .deleteToEnd, "delete to the end of the line"),
    ]
}
