import Annotations
import App
import Instant
import InstantCore

/// What stands behind one tab of the viewer: a layer or a file, what was being written in it, and what can be undone.
///
/// Used on the loop's thread only.
final class OpenTab {
    private enum Source {
        case layer(OpenLayer)
        case file(OpenFile)
    }

    private let source: Source
    /// Posts about this tab.
    let post: @Sendable (Message) -> Void
    var drafts: DraftStore?
    /// What the library answered to each step, for undo.
    var receipts: [Int: [EditReceipt]] = [:]
    private var openReads: LayerReads?

    init(_ layer: OpenLayer, drafts: DraftStore, post: @escaping @Sendable (Message) -> Void) {
        source = .layer(layer)
        self.drafts = drafts
        self.post = post
    }

    init(_ file: OpenFile, post: @escaping @Sendable (Message) -> Void) {
        source = .file(file)
        self.post = post
    }

    /// nil: a file, which is in no layer.
    var layer: OpenLayer? { if case .layer(let layer) = source { layer } else { nil } }

    /// Opens the local storage, once.
    func reads() throws -> LayerReads {
        if let openReads { return openReads }
        let records =
            switch source {
            case .layer(let layer): try layer.descriptor.layer
            case .file(let file): file.records
            }
        let reads = LayerReads(records, post: post)
        openReads = reads
        return reads
    }

    func loadPage(_ index: Int) {
        switch source {
        case .layer(let layer): layer.loadPage(index)
        case .file(let file): file.loadPage(index)
        }
    }

    /// nil while the PDF is not here.
    var pages: PageReader? {
        switch source {
        case .layer(let layer): layer.pages
        case .file(let file): file.pages
        }
    }

    func close() {
        switch source {
        case .layer(let layer): layer.close()
        case .file(let file): file.close()
        }
    }
}

extension LayerReference {
    init(_ identity: LayerIdentity) {
        self.init(
            server: identity.server, documentID: identity.documentID, layer: identity.layer, userID: identity.userID)
    }

    var identity: LayerIdentity {
        LayerIdentity(server: server, documentID: documentID, layer: layer, userID: userID)
    }

    /// Says of each message that it is about this layer, but for the one that it could not be opened: then there is no
    /// tab that it could belong to.
    func addressing(_ post: @escaping @Sendable (Message) -> Void) -> @Sendable (Message) -> Void {
        { message in
            switch message {
            case .opened, .openFailed: post(message)
            default: post(.at(self, message))
            }
        }
    }
}
