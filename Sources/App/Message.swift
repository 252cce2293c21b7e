package import Annotations
package import InstantCore
package import PDFPages
import PageLayout
package import Screen

/// Something that happened. All of them go through one queue and are handled in order.
///
/// What belongs to a layer is about the one that is shown, unless `at` names another.
package indirect enum Message: Hashable, Sendable {
    /// It belongs to this layer, shown or not; if it is not open, it comes too late and is dropped.
    case at(LayerReference, Message)

    // The terminal.
    case key(Key)
    case resize(Size)
    /// The time, first in every batch and after `AppState.wakeAfter`: there is no other clock.
    case tick(Timestamp)
    /// The program is asked to end (SIGTERM, SIGHUP): what is being written is kept.
    case terminate
    /// nil: the editor was left without a text, or could not be started.
    case externallyEdited(String?)

    // The library of layers.
    case library([LibraryEntry])
    case opened(OpenedLayer)
    /// Why, in a sentence.
    case openFailed(String)
    /// The demo's server runs; the token is its reviewer's.
    case demoReady(server: String, TokenText)

    /// The document's title, uncleaned, once the server has told it.
    case titled(String)

    // The PDF.
    case download(DownloadStatus)
    /// Why, in a sentence; nil: it was cancelled.
    case downloadFailed(String?)
    case pdfReady(PDFInfo)
    case page(Int, PageText)
    /// Empty when there is none, or it could not be read.
    case navigation(PDFNavigation)
    /// A page, and its text as it is compared in a search (`PageGlyphs.searchText`).
    case indexed(Int, String)
    /// Why not all pages can be searched, in a sentence.
    case indexFailed(String)
    /// A filter finds more words than before, or it finds all there are.
    case quoted(isAll: Bool)
    /// Why the page has no text, in a sentence.
    case pageFailed(Int, String)
    /// The page that was to be painted is.
    case pictureReady
    /// Why there is no picture, in a sentence.
    case pictureFailed(String)

    // Records.
    case rows(RowWindow)
    case pageRows(Int, [ListRow])
    /// nil: there is no such record, or it may not be seen.
    case record(Record.ID, Record?)
    /// The comments under an annotation, oldest first.
    case thread(Record.ID, [Record])
    case batchLoaded([BatchRecord])
    case facets(ListFacets)
    case outbox([OutboxItem])
    /// Records that are new, changed or gone; empty: possibly all of them.
    ///
    /// - Parameters:
    ///   - author: the other person who did it; nil when it was this one, or several.
    ///   - byOthers: those that other people changed.
    case recordsChanged([Record.ID], author: String?, byOthers: [Record.ID] = [])

    // Edits.
    case edited(step: Int, [Record.ID])
    /// Nothing was changed; why, in a sentence.
    case editFailed(step: Int, String)
    case undone(step: Int)
    case undoFailed(step: Int, String)
    /// The conflict of a record is settled.
    case resolved(Record.ID)
    case resolveFailed(Record.ID, String)

    /// What was typed after `:` in earlier runs, oldest first.
    case history([String])

    // Sync.
    case status(SyncStatus)
    /// The token in force ends then, by the server's clock: told five minutes and one minute ahead.
    case tokenExpires(Timestamp)
    case tokenRead(TokenText)
    /// The server took the token that was supplied.
    case tokenAccepted
    /// Why the token that was supplied is not taken, in a sentence that does not hold it.
    case tokenRefused(String)
    /// The last requests to the server, the newest first.
    case requests([SentRequest])
    /// Who else has the layer open, and whether this person presents: whenever that changes.
    case presence(LayerPresence)
    /// A sentence for the person.
    case notice(String)
}
