/// The commands that keys can trigger. The raw value is the command's name in the keymap and the documentation.
package enum Command: String, Hashable, Sendable, CaseIterable {
    // Everywhere.
    case help, commandLine = "command-line", palette, redraw, suspend
    /// Closes the topmost item: a prompt, a card, a selection, a search, a filter. Never leaves the screen.
    case escape
    /// Like `escape`; with nothing to close, shows how to leave.
    case interrupt
    case leave
    case nextTab = "next-tab", previousTab = "previous-tab"

    // Moving.
    case down, up, first, last
    case halfDown = "half-down", halfUp = "half-up", screenDown = "screen-down", screenUp = "screen-up"

    // The library.
    case open, openFile = "open-file", addLayer = "add-layer", removeLayer = "remove-layer", startDemo = "start-demo"

    // A document.
    case zoomPane = "zoom-pane", growPane = "grow-pane", shrinkPane = "shrink-pane"
    case listPane = "list-pane", threadPane = "thread-pane", pagePane = "page-pane"
    case otherPane = "other-pane", paneBefore = "pane-before"
    case mentions
    case setBookmark = "set-bookmark", goToBookmark = "go-to-bookmark", review
    case search, searchNext = "search-next", searchPrevious = "search-previous"
    case undo, redo, sync, token, outbox, download, back, forward, present, follow
    case note, comment, reply, resolve, delete, edit, editExternally = "edit-externally"

    // The list of a document.
    case markAll = "mark-all", invertMarks = "invert-marks"
    case mark, markRange = "mark-range", recolor = "color", filter, showHidden = "show-hidden", blame, saveFile =
        "save-file"
    case read, goTo = "go-to", sort, nextUnread = "next-unread", markAllRead = "mark-all-read",
        showDetail = "show-detail"

    // The page of a document.
    case nextPage = "next-page", previousPage = "previous-page", changeView = "change-view"
    case scrollLeft = "scroll-left", scrollRight = "scroll-right"
    case zoomIn = "zoom-in", zoomOut = "zoom-out", picture
    case left, right, wordForward = "word-forward", wordBack = "word-back", wordEnd = "word-end"
    case rowStart = "row-start", rowText = "row-text", rowEnd = "row-end"
    case sentenceBack = "sentence-back", sentenceForward = "sentence-forward"
    case blockBack = "block-back", blockForward = "block-forward"
    case showMarks = "show-marks", nextMark = "next-mark", previousMark = "previous-mark", repeatMark = "repeat-mark"
    case selectCharacters = "select-characters", selectRows = "select-rows"
    case growSelection = "grow-selection", swapEnds = "swap-ends"
    case copy, copyAll = "copy-all", outline, followLink = "follow-link", lookAt = "look-at"
    case highlight, underline, strikeOut = "strike-out", squiggly

    // A review of open remarks.
    case acceptThis = "accept-this", rejectThis = "reject-this", skip

    // Cards.
    case useToken = "use-token", clearToken = "clear-token"
    case mine, theirs, merge, saveUnsent = "save-unsent", keepReading = "keep-reading", dropDraft = "drop-draft"
    case yes

    // Writing.
    case chooseMore = "choose-more"
    case complete, completeBack = "complete-back", olderLine = "older-line", newerLine = "newer-line"
    case accept, newLine = "new-line", moveToEditor = "move-to-editor"
    case lineStart = "line-start", lineEnd = "line-end", deleteBack = "delete-back", deleteForward = "delete-forward"
    case deleteWord = "delete-word", deleteToStart = "delete-to-start", deleteToEnd = "delete-to-end"
}
