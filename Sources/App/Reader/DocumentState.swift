import Annotations
import Authorization
import InstantCore
import PDFPages

/// An open layer: the document screen.
struct DocumentState: Equatable, Sendable {
    enum Pane: Equatable, Sendable { case list, thread, page }

    let reference: LayerReference
    var title: String
    var status: SyncStatus
    let isReadOnly: Bool
    let isLocal: Bool
    var author: String?
    /// The group for new records in place of the token's.
    var groupChoice: LayerMetadata.GroupChoice?
    var drafts: [DraftKey: String]

    var pdf: PDFState
    var texts = PageTexts()
    /// nil until it was read.
    var navigation: PDFNavigation?
    var index = DocumentIndex()
    var page = PagePane()
    var list = ListPane()
    var focus = Pane.list
    /// The record under the list's cursor, whole, once it is loaded.
    var detail: Record?
    /// The record that `detail` was last asked for.
    var detailAsked: Record.ID?
    /// The comments under it.
    var thread = ThreadPane()
    /// nil: shown where there is room for it.
    var showsDetail: Bool?
    /// Who changed the current record is shown below the list.
    var showsBlame = false
    var quotes = Quotes()
    /// The words under marks were asked for, for the filter that is on.
    var quotesAsked = false

    /// What is done to the records that were gathered, once they are here.
    var batch: Batch?
    /// What a step left as it was, and why, to be said when it is done.
    var omitted: [Int: String] = [:]

    var editor: Editor?
    /// What the person's own editor was started over.
    var external: Editor?
    var outbox = OutboxState()
    var conflict: ConflictCard?
    /// The loss of access was read, and reading goes on.
    var isLossAccepted = false
    /// The token card, while another tab is shown.
    var cardAside: TokenCard?
    /// The token card was put away; it opens again for the next reason.
    var refusedNeed: TokenNeed?

    var history = UndoHistory()
    var pending = PendingEdits()
    var jumps = JumpList()
    var recentAuthors = RecentAuthors()
    var refreshThrottle = RefreshThrottle()
    var highlights = ChangeHighlights()
    var presence = PresenceState()
    var requests = RequestLog()

    init(_ opened: OpenedLayer) {
        reference = opened.reference
        title = opened.title ?? opened.reference.documentID
        status = opened.status
        isReadOnly = opened.isReadOnly
        isLocal = opened.isLocal
        author = opened.author
        groupChoice = opened.groupChoice
        drafts = opened.drafts
        pdf = opened.hasPDF ? .opening : .missing(nil)
    }

    /// What new records get; nil: the null group.
    var groupForNew: String? { groupChoice.map(\.group) ?? status.grant?.defaultGroup }

    var pageCount: Int? { pdf.info?.pages.count }

    /// Everything that has not arrived at the server.
    var waiting: Int { status.unsent + status.parked + status.conflicts + status.refused }

    /// Why a token is needed; nil: none is.
    var need: TokenNeed? {
        if case .needsToken(let need) = status.connection { need } else { nil }
    }

    /// Why the layer can no longer be read; nil: it can.
    var accessLost: String? {
        if case .lost(let why) = status.connection { why } else { nil }
    }

    var layerName: String { reference.layer.isEmpty ? "default layer" : reference.layer }
}

/// Where the PDF is.
enum PDFState: Equatable, Sendable {
    /// Not here, or only so much of it.
    case missing(DownloadStatus?)
    case downloading(DownloadStatus?)
    /// Here, not yet looked into.
    case opening
    case ready(PDFInfo)
    /// Why it could not be fetched or read, in a sentence.
    case failed(String)

    var info: PDFInfo? {
        if case .ready(let info) = self { info } else { nil }
    }
}
