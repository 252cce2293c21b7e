import Annotations
import Authorization
import InstantCore
import PDFPages

/// An open layer: the state of the document screen.
struct DocumentState: Equatable, Sendable {
    enum Pane: Equatable, Sendable { case list, thread, page }

    let reference: LayerReference
    var title: String
    var status: SyncStatus
    let isReadOnly: Bool
    /// The PDF on disk that the layer is for; nil for a layer on a server.
    var file: FileStatus?
    /// A command that waits until the file can be edited, and the keys after it.
    var heldKeys: HeldKeys?
    /// The requested writes of the file that are not answered yet.
    var writesAsked = 0
    /// What was written before the tab closed.
    var writtenLast: String?
    /// The path for a copy that was offered when the file was not written.
    var offeredPath: String?
    /// Whether the annotations of a PDF from disk are still being read, so that a list would lack some.
    var isReading: Bool
    var author: String?
    /// The group of new records; nil uses the token's default.
    var groupChoice: LayerMetadata.GroupChoice?
    var drafts: [DraftKey: String]
    /// The drafts whose record does not exist any more, or may not be seen.
    var gone: Set<DraftKey> = []
    /// Why drafts are not stored.
    var unkept: [DraftKey: String] = [:]
    /// How many drafts are being stored.
    var draftsAsked = 0
    /// What is told once a draft is stored.
    var draftToTell: DraftToTell?

    var pdf: PDFState
    var texts = PageTexts()
    /// The page without text that the user does not want as a picture, or that cannot be one.
    var pictureUnwantedOn: Int?
    /// nil until read.
    var navigation: PDFNavigation?
    /// Whether the outline is shown once it has been read.
    var awaitsOutline = false
    var index = DocumentIndex()
    var page = PagePane()
    var list = ListPane()
    var focus = Pane.list
    /// The full record under the list cursor, once it is loaded.
    var detail: Record?
    /// The record last requested for `detail`.
    var detailAsked: Record.ID?
    /// The comments under it.
    var thread = ThreadPane()
    /// nil shows the detail if it fits.
    var showsDetail: Bool?
    /// nil while the reader is closed.
    var reader: NoteReader?
    /// nil unless the user looks where a link leads.
    var look: Look?
    /// Whether the focused pane has the whole screen.
    var isZoomed = false
    /// How far the user has moved the divider in favour of the page: columns side by side, rows one above the other.
    var besideShift = 0
    var stackedShift = 0
    /// Whether the page has yet to catch up with the list.
    var isFollowingLate = false
    /// Whether the author of the last change is shown below the list.
    var showsBlame = false
    var quotes = Quotes()
    /// Whether the words under marks were requested for the current filter.
    var quotesAsked = false
    /// Whether they were requested before any filter needed them.
    var areQuotesPrepared = false

    /// The action on the records being loaded.
    var batch: Batch?
    /// What each step left unchanged and why, shown when the step is done.
    var omitted: [Int: String] = [:]

    /// The people that a comment can mention.
    var people = People()
    var editor: Editor?
    /// The editor whose text is open in the user's external editor.
    var external: Editor?
    var outbox = OutboxState()
    /// The file that is being sent, if that takes long.
    var upload: UploadStatus?
    var conflict: ConflictCard?
    /// Whether the user has dismissed the card about lost access and continues reading.
    var isLossAccepted = false
    /// The file with the unsent edits, if they were saved to one.
    var rescuedTo: String?
    /// The token card, while another tab is shown.
    var cardAside: TokenCard?
    /// The need for which the user closed the token card; the card opens again for a different need.
    var refusedNeed: TokenNeed?

    var history = UndoHistory()
    var pending = PendingEdits()
    var jumps = JumpList()
    /// The mark being sought on other pages.
    var markRequest: MarkRequest?
    var bookmarks: [Character: ReadingPlace.Bookmark] = [:]
    /// The place that is stored for the next run.
    var keptPlace: ReadingPlace?
    /// The kind of the last mark made here, for repeating it.
    var lastMark: AnnotationKind?
    /// Whether the reader walks through open remarks.
    var isReviewing = false
    var recentAuthors = RecentAuthors()
    var refreshThrottle = RefreshThrottle()
    var highlights = ChangeHighlights()
    var presence = PresenceState()
    var requests = RequestLog()
    /// When the desktop was last told about this layer.
    var notifiedAt: Timestamp?

    init(_ opened: OpenedLayer) {
        reference = opened.reference
        title = opened.title ?? opened.file?.name ?? opened.reference.documentID
        status = opened.status
        isReadOnly = opened.isReadOnly
        file = opened.file
        isReading = opened.file != nil
        author = opened.author
        groupChoice = opened.groupChoice
        drafts = opened.drafts
        pdf = opened.hasPDF ? .opening : .missing(nil)
        history = UndoHistory(opened.undoable)
        if let reading = opened.reading { resume(reading) }
    }

    /// The group of new records; nil is the null group.
    var groupForNew: String? { groupChoice.map(\.group) ?? status.grant?.defaultGroup }

    var pageCount: Int? { pdf.info?.pages.count }

    /// All edits that the server has not accepted.
    var waiting: Int { status.unsent + status.parked + status.conflicts + status.refused }

    /// All changes of which one of two versions has to be chosen.
    var conflicts: Int { status.conflicts + (file?.conflicts ?? 0) }

    /// Why a token is needed; nil if none is.
    var need: TokenNeed? {
        if case .needsToken(let need) = status.connection { need } else { nil }
    }

    /// Why the layer can no longer be read; nil if it can.
    var accessLost: String? {
        if case .lost(let why) = status.connection { why } else { nil }
    }

    var isLocal: Bool { file != nil }

    /// The name of the file on disk; nil for a layer on a server.
    var fileName: String? { file?.name }

    /// The name in tabs and in the title: the file's name, else the document's title, if it says anything.
    var name: String { fileName ?? DocumentTitle.name(title, of: reference.documentID) }

    var layerName: String { reference.layer.isEmpty ? "default layer" : reference.layer }
}

/// Titles of documents, as programs write them into PDFs.
enum DocumentTitle {
    /// What programs write when they know no title.
    private static let empty: Set<String> = [
        "untitled", "untitled document", "document", "title", "no title", "(anonymous)",
    ]

    static func saysNothing(_ title: String) -> Bool {
        let title = title.trimmed
        return title.isEmpty || empty.contains(title.lowercased())
            || title.lowercased().begins(with: "microsoft word - ")
    }

    /// Returns the title, or the id of a document whose title says nothing.
    static func name(_ title: String, of id: String) -> String { saysNothing(title) ? id : title }
}

/// The state of the PDF on this machine.
enum PDFState: Equatable, Sendable {
    /// Not downloaded, or only in part.
    case missing(TransferStatus?)
    case downloading(TransferStatus?)
    /// Downloaded, not read yet.
    case opening
    case ready(PDFInfo)
    /// Why it could not be downloaded or read, as a sentence.
    case failed(String)

    var info: PDFInfo? {
        if case .ready(let info) = self { info } else { nil }
    }
}
