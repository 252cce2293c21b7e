package import Annotations
package import InstantCore
package import Screen

/// A request to the services, as a value that tests can compare. The arrow names the response; an effect without an
/// arrow has none. A late response is harmless: `update` drops it if it no longer applies.
package enum Effect: Hashable, Sendable {
    // The library of layers.
    /// → `library`, now and whenever an entry changes while no layer is open; and `libraryFiles`.
    case loadLibrary
    /// Opens the local copy and starts listening. → `opened` at once, or `openFailed`; then `status`, `recordsChanged`
    /// and other events as they occur.
    case openLayer(LayerReference)
    /// Opens a layer named by its token that is not on this machine yet. → `opened` or `openFailed`
    case join(server: String, token: TokenText)
    /// Starts a local server with samples and tokens, for as long as the program runs. → `demoReady` or `openFailed`
    case startDemo
    /// Opens a PDF from disk, whose layer the personal engine keeps. → `opened`, `pdfReady`, `pdfMeasured` and
    /// `annotationsRead`, or `openFailed`. As long as annotations can only be read, `file` says so; later, `status` brings
    /// the grant and `file` the condition in which they can be edited. Records keep their ids when they become editable.
    case openFile(String)
    /// Directs the following effects to this open layer. A newly opened layer must be selected before any other effect.
    case select(LayerReference)
    /// Stops listening to the selected layer. No more messages are posted for it.
    case closeLayer
    /// Removes the layer's annotations from this machine, including unsent edits: as many as the user was told of.
    /// → `library`
    case removeLayer(LayerReference, unsent: Int)

    /// Removes PDFs that no layer on this machine needs. → `notice` with the space freed, then `library`
    case pruneStorage

    // The PDF of the selected layer.
    /// → `download` at most four times a second, then `pdfReady` or `downloadFailed`
    case startDownload
    /// Stops the download and keeps the bytes received. → `downloadFailed` with nil
    case cancelDownload
    /// Reads the text of a page, counted from 0. → `page` or `pageFailed`
    case loadPage(Int)
    /// Reads outline and page labels. → `navigation`
    case loadNavigation
    /// Reads the text of all pages for searching, first of those that seem to have the words. → `likelyPages` if they
    /// are found quickly, `indexed` for each page, `indexFailed` if it ends early
    case indexDocument(seeking: String)
    /// Stops indexing and keeps the pages already read.
    case stopIndexing
    /// Reads the words under marks on pages where filters cannot find them yet. → `quoted` several times, and at the
    /// end
    case quoteDocument
    /// The same before any filter needs them. The answers are optional.
    case prepareQuotes

    // The file of the selected layer.
    /// Puts all edits requested before into a PDF. → `file` while it is written, then `fileWritten` or `fileRefused`
    case writeFile(FileWrite)
    /// Drops all changes that are not in the file, and reads it anew. → `fileReverted` or `fileNotReverted`; then
    /// `recordsChanged`
    case revertFile
    /// Reads an annotated copy of the PDF and compares it with the layer. → `copyRead` or `copyNotRead`
    case mergeCopy(String)

    // Records of the selected layer.
    /// → `rows`
    case loadRows(RowRequest)
    /// Finds the first unread row after this index of the query, else the first one before it. → `rows` around it, its
    /// index in `anchor`; nil `anchor` if no row is unread
    case findUnread(RowRequest)
    /// Finds a mark on the pages before or after one. → `markFound`
    case findMark(MarkRequest)
    /// Reads all rows of one page. → `pageRows`
    case loadPageRows(Int)
    /// → `record`
    case loadRecord(Record.ID)
    /// Reads the comments under an annotation. → `thread`
    case loadThread(Record.ID)
    /// → `batchLoaded`
    case loadBatch(RecordBatchRequest)
    /// → `facets`
    case loadFacets
    /// Reads the people that a comment can mention. → `people`
    case loadPeople
    /// → `outbox`
    case loadOutbox
    /// Marks records as read by the user. → `recordsChanged`
    case markRead([Record.ID])
    /// Marks all records that the query lists as read. → `recordsChanged`
    case markAllRead(ListQuery)

    // Edits. They are saved in the order of the requests, off the screen's thread, and are durable before the response
    // is posted.
    /// → `edited` or `editFailed`
    case perform(EditStep)
    /// → `undone` or `undoFailed`
    case undo(step: Int)
    /// → `resolved` or `resolveFailed`
    case resolve(Record.ID, Resolution, of: Conflict.Sides)
    /// Stores the author name for new records on this installation.
    case rememberAuthor(String)
    /// Sets the group of new records in this layer; it survives a token change. Nil restores the token's default.
    case setDefaultGroup(LayerMetadata.GroupChoice?)
    /// Writes the outbox of a layer, open or not, to a file. → `notice` with the file name
    case saveUnsent(LayerReference)
    /// Saves an attached file to the current folder, never over another one. → `notice`
    case saveFile(Record.ID)
    /// Reads a file and stores it, to be attached to a page. → `attached` or `notice`
    case attach(String, page: Int, corner: Point)
    /// Stores a text that is being written; nil removes it. → `draftKept`. `becoming` names the record that the text
    /// will create: if that record exists when the layer is next opened, the draft is dropped.
    case saveDraft(DraftKey, String?, becoming: Record.ID? = nil)

    /// Moves the edits of this layer that were made under another address here. → `notice`, `otherCopies`
    case takeCopy(String)
    /// Looks which of these drafts have lost a record. → `goneDrafts`
    case findGoneDrafts([DraftKey])
    /// Writes a text to a new file. → `notice` with the file name
    case saveText(String)

    /// Stores where the person is in the selected layer, for the next run.
    case keepPlace(ReadingPlace)

    /// Runs the user's command for an event in the selected layer, if one is set.
    case runHook(HookEvent)
    /// Shows a notice on the desktop, if the user has switched that on and the terminal can.
    case notifyDesktop(String)

    // The command line.
    /// → `history`
    case loadHistory
    /// Stores an executed line for later runs.
    case remember(line: String)

    // Sync.
    /// → `status`, and `tokenRefused` if the token is refused
    case supplyToken(TokenText)
    /// → `tokenRead` or `tokenRefused`
    case readTokenFile(String)
    /// Finds the paths that begin with a text, which may begin with `~/`. → `pathsFound`
    case completePath(String)
    case forgetToken
    case syncNow
    case setOnline(Bool)
    /// → `requests`
    case loadRequests
    /// Sends the user's position to the other participants while the layer is open. → `presence`
    case announce(OwnPresence)

    // The terminal. Performed on the loop's thread, in order.
    /// Opens this text in the user's external editor. → `externallyEdited` or `notEdited`
    case editExternally(String)
    /// The text that the editor saved is an edit or a draft by the effects before this one, or empty: its file can go.
    case editorTextKept
    /// Renders a page, counted from 0, or a part of it, to fit an area of the screen. → `pictureCells` or
    /// `pictureReady`, or both one after the other, or `pictureFailed`
    case paintPage(Int, Area, PictureView)
    /// Shows the rendered picture in that area.
    case showPicture
    /// Cancels rendering, or removes the picture from the screen.
    case hidePicture
    /// Copies to the terminal's clipboard. → `notice`
    ///
    /// - Parameter isAddress: Whether the notice shows the text instead of its length.
    case copy(String, isAddress: Bool)
    /// Switches reports of clicks and the wheel.
    case useMouse(Bool)
    case redraw
    case suspend
    case quit
}
