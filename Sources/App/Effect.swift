package import Annotations
package import InstantCore
package import Screen

/// A request to the world, as a value that tests compare. What answers it is named with each; an effect without an
/// answer named has none. An answer that comes late is harmless: `update` drops what no longer fits.
package enum Effect: Hashable, Sendable {
    // The library of layers.
    /// → `library`, now and whenever an entry changes while no layer is open.
    case loadLibrary
    /// Opens the local copy and starts to listen. → `opened` at once, or `openFailed`; from then on `status`,
    /// `recordsChanged` and `lostAccess`-like changes by themselves.
    case openLayer(LayerReference)
    /// A layer that is not on this machine yet, named by its token. → `opened`, or `openFailed`
    case join(server: String, token: TokenText)
    /// A server of its own with samples and tokens, for as long as the program runs. → `demoReady`, or `openFailed`
    case startDemo
    /// A PDF from the disk, without a layer. → `opened` and `pdfReady`, or `openFailed`
    case openFile(String)
    /// What follows is about this one of the open layers. One that was opened just now is selected before anything is
    /// asked of it.
    case select(LayerReference)
    /// Stops listening to the selected layer. Nothing more is posted for it.
    case closeLayer
    /// Removes the layer's annotations from this machine, unsent edits too. → `library`
    case removeLayer(LayerReference)

    /// Removes PDFs that no layer on this machine needs. → `notice` with what became free, then `library`
    case pruneStorage

    // The PDF of the selected layer.
    /// → `download` at most four times a second, then `pdfReady` or `downloadFailed`
    case startDownload
    /// What has arrived is kept. → `downloadFailed` with nil
    case cancelDownload
    /// Text of a page, counted from 0. → `page` or `pageFailed`
    case loadPage(Int)
    /// Outline and page labels. → `navigation`
    case loadNavigation
    /// The text of all pages, for searching. → `indexed` for each, `indexFailed` when it ends early
    case indexDocument
    /// What was read of them is kept.
    case stopIndexing
    /// The words under marks, of pages whose marks no filter knows by them. → `quoted` for some at a time, and at the end
    case quoteDocument

    // Records of the selected layer.
    /// → `rows`
    case loadRows(RowRequest)
    /// The first unread row behind this index of the query, else the first one before it. → `rows` around it, its
    /// place in `anchor`; or `rows` with a nil anchor when nothing is unread
    case findUnread(RowRequest)
    /// All rows of one page. → `pageRows`
    case loadPageRows(Int)
    /// → `record`
    case loadRecord(Record.ID)
    /// The comments under an annotation. → `thread`
    case loadThread(Record.ID)
    /// → `gathered`
    case loadBatch(RecordBatchRequest)
    /// → `facets`
    case loadFacets
    /// → `outbox`
    case loadOutbox
    /// Seen by this person. → `recordsChanged`
    case markRead([Record.ID])

    // Edits. They are saved in the order of the requests, beside the thread of the screen, and are durable before they are
    // answered.
    /// → `edited` or `editFailed`
    case perform(EditStep)
    /// → `undone` or `undoFailed`
    case undo(step: Int)
    /// → `resolved` or `resolveFailed`
    case resolve(Record.ID, Resolution)
    /// For new records from now on, kept for this installation.
    case rememberAuthor(String)
    /// For new records of this layer, kept when the token changes; nil: what the token says.
    case setDefaultGroup(LayerMetadata.GroupChoice?)
    /// Writes what waits of a layer, open or not, to a file. → `notice` with its name
    case saveUnsent(LayerReference)
    /// Keeps a text that is being written; nil removes it. `becoming` names the record that it is about to make:
    /// if that record is there when the layer is opened again, the draft is forgotten.
    case saveDraft(DraftKey, String?, becoming: Record.ID? = nil)

    // The line after `:`.
    /// → `history`
    case loadHistory
    /// Keeps a line that was used, for later runs.
    case remember(line: String)

    // Sync.
    /// → `status`, and `tokenRefused` when it is not taken
    case supplyToken(TokenText)
    /// → `tokenRead` or `tokenRefused`
    case readTokenFile(String)
    case forgetToken
    case syncNow
    case setOnline(Bool)
    /// → `requests`
    case loadRequests
    /// The others at the layer are told where this person is, for as long as it is open. → `presence`
    case announce(OwnPresence)

    // The terminal. Performed on the loop's thread, in order.
    /// The person's own editor over this text. → `externallyEdited`
    case editExternally(String)
    /// A page, counted from 0, painted to fit into a part of the screen. → `pictureReady` or `pictureFailed`
    case paintPage(Int, Area)
    /// Puts what was painted there.
    case showPicture
    /// Ends the painting, or takes the picture off the screen.
    case hidePicture
    /// To the clipboard of the terminal. → `notice`
    ///
    /// - Parameter isAddress: to be named in the notice.
    case copy(String, isAddress: Bool)
    case redraw
    case suspend
    case quit
}
