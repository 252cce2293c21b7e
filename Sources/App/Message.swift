package import Annotations
package import InstantCore
package import PDFPages
import PageLayout
package import Screen
package import SyncProtocol

/// An event. All messages go through one queue and are handled in order.
///
/// Messages about a layer apply to the one on the screen, unless `at` names another.
package indirect enum Message: Hashable, Sendable {
    /// A message for this layer, whether or not it is on the screen. Dropped if the layer is no longer open.
    case at(LayerReference, Message)

    // The terminal.
    case key(Key)
    case resize(Size)
    /// The terminal's own colours, in answer to a query. May come at any time.
    case ground(Ground)
    /// The current time, first in every batch and after `AppState.wakeAfter`. The program has no other clock.
    case tick(Timestamp)
    /// A request to end the program (SIGTERM, SIGHUP). The text being written is stored as a draft.
    case terminate
    /// The text that the user's editor saved; nil for none. `editorTextKept` follows.
    case externallyEdited(String?)
    /// Nothing came from the user's editor. Why, as a sentence; it names the file in which a text is kept.
    case notEdited(String)

    // The library of layers.
    case library([LibraryEntry])
    /// The PDFs that the library offers, in the order shown.
    case libraryFiles([LibraryFile])
    case opened(OpenedLayer)
    /// Why, as a sentence.
    case openFailed(String)
    /// The demo server is running. The token is the reviewer's.
    case demoReady(server: String, TokenText)

    /// The document's title, uncleaned, once the server has sent it.
    case titled(String)

    // The PDF.
    case download(TransferStatus)
    /// nil: no file is being sent any more.
    case upload(UploadStatus?)
    /// Why, as a sentence; nil if the download was cancelled.
    case downloadFailed(String?)
    case pdfReady(PDFInfo)
    /// The sizes of all pages: those of `pdfReady` were those of the first page.
    case pdfMeasured(PDFInfo)
    case page(Int, PageText)
    /// Empty if the PDF has no navigation data or it cannot be read.
    case navigation(PDFNavigation)
    /// All annotations of a PDF from disk can be listed, or cannot be read.
    case annotationsRead
    /// A page and its text in the form used for searching (`PageGlyphs.searchText`).
    case indexed([Int: String])
    /// The pages, not indexed yet, that seem to have the words sought.
    case likelyPages(Set<Int>, seeking: String)
    /// Why some pages cannot be searched, as a sentence.
    case indexFailed(String)
    /// Filters can now find more words; `isAll` marks the end of reading.
    case quoted(isAll: Bool)
    /// Why the page has no text, as a sentence.
    case pageFailed(Int, String)
    /// The requested page is rendered, in pixels. The view is the one that the page allows.
    case pictureReady(PictureView)
    /// The requested page is rendered, as cells; with a picture in pixels, the cells that stand for it.
    case pictureCells(PictureCells, PictureView)
    /// Why rendering failed, as a sentence.
    case pictureFailed(String)

    // The layer's file on disk.
    /// Sent on every change of the status.
    case file(FileStatus)
    /// The steps of earlier windows that can be undone, oldest first, with ascending numbers. Sent before the first edit.
    case undoable([EditStep])
    case fileWritten(FileWritten)
    case fileRefused(FileRefusal)
    /// - Parameter changes: The number of changes that were dropped.
    case fileReverted(changes: Int)
    /// Why nothing was dropped, as a sentence.
    case fileNotReverted(String)
    /// Another program had written the file. Not sent for what this program wrote.
    case fileMerged(FileMerge)
    case copyRead(MergedCopy)
    /// Why nothing was merged, as a sentence.
    case copyNotRead(String)

    // Records.
    case rows(RowWindow)
    case pageRows(Int, [ListRow])
    /// nil if there is no such mark.
    case markFound(MarkRequest, ListRow?)
    /// nil if the record does not exist or the user may not see it.
    case record(Record.ID, Record?)
    /// The comments under an annotation, oldest first.
    case thread(Record.ID, [Record])
    case batchLoaded([BatchRecord])
    case facets(ListFacets)
    case people([RecordCreator])
    case outbox([OutboxItem])
    case otherCopies([OutboxCopy])
    case draftKept(DraftKey, DraftFate)
    /// Those of the requested drafts whose records do not exist, or may not be seen.
    case goneDrafts([DraftKey], of: [DraftKey])
    /// Records were added, changed or removed; an empty array means possibly all of them.
    ///
    /// - Parameters:
    ///   - author: The other user who made the changes; nil if the user did, or several users did.
    ///   - byOthers: The records changed by other users.
    ///   - mentions: Those of them that newly name the user.
    case recordsChanged([Record.ID], author: String?, byOthers: [Record.ID] = [], mentions: [Record.ID] = [])

    // Edits.
    case edited(step: Int, [Record.ID])
    /// Nothing was changed. Why, as a sentence.
    case editFailed(step: Int, String)
    case undone(step: Int)
    /// - Parameter isFinal: Whether the step can never be undone.
    case undoFailed(step: Int, String, isFinal: Bool = true)
    /// A file is stored; the content is that of its annotation.
    case attached(Content)
    /// The conflict of a record is resolved.
    case resolved(Record.ID)
    case resolveFailed(Record.ID, String)

    /// The command lines of earlier runs, oldest first.
    case history([String])

    // Sync.
    case status(SyncStatus)
    /// The expiry time of the current token, by the server's clock. Sent five minutes and one minute ahead.
    case tokenExpires(Timestamp)
    case tokenRead(TokenText)
    /// The paths that begin with this text, folders with a final `/`.
    case pathsFound(String, [String])
    /// The server accepted the supplied token.
    case tokenAccepted
    /// Why the supplied token is refused, as a sentence that does not contain the token.
    case tokenRefused(String)
    /// The server's verdict on the token that it refused.
    case tokenChecked(TokenVerdict)
    /// The latest requests to the server, newest first.
    case requests([SentRequest])
    /// The other participants, and whether the user presents. Sent on every change.
    case presence(LayerPresence)
    /// A sentence for the user.
    case notice(String)
    /// The unsent edits of a layer are in a file.
    case unsentSaved(LayerReference, count: Int, path: String)
}
