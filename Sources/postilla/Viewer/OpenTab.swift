import Annotations
import App
import Dispatch
import Instant
import InstantCore
import PDFPages

/// The contents of one tab: a layer or a file, its reads and edits, and its drafts.
final class OpenTab: Sendable {
    private enum Source {
        case layer(OpenLayer)
        case file(LocalPDF)
    }

    private let source: Source
    /// Posts messages about this tab.
    let post: @Sendable (Message) -> Void
    /// nil for a file, which cannot be edited.
    let drafts: DraftStore?
    let edits: LayerEdits?
    let reads: LayerReads
    /// The serial queue for library calls that use the local storage, in the order of the key presses.
    private let calls = DispatchQueue(label: "postilla.calls")

    /// - Parameter author: The value of `--author`.
    init(
        _ layer: OpenLayer, drafts: DraftStore, undo: UndoStore, author: String?,
        post: @escaping @Sendable (Message) -> Void
    ) {
        source = .layer(layer)
        self.drafts = drafts
        edits = LayerEdits(layer, author: author, undo: undo, post: post)
        reads = LayerReads(try layer.descriptor.layer, post: post)
        self.post = post
    }

    init(_ file: LocalPDF, post: @escaping @Sendable (Message) -> Void) {
        source = .file(file)
        (drafts, edits) = (nil, nil)
        reads = LayerReads(file.records, post: post)
        self.post = post
    }

    /// nil for a file, which has no layer.
    var layer: OpenLayer? { if case .layer(let layer) = source { layer } else { nil } }

    /// The records of a file without a layer.
    var local: Layer? { if case .file(let file) = source { file.records } else { nil } }

    /// Calls `body` with the layer, off the drawing thread.
    func call(_ body: @escaping @Sendable (OpenLayer) -> Void) {
        guard let layer else { return }
        calls.async { body(layer) }
    }

    func loadPage(_ index: Int) {
        guard let pages else { return post(.pageFailed(index, "The PDF is not downloaded yet.")) }
        pages.tellText(index, post)
    }

    /// Returns the current annotations of a page, with the files that are on this machine; nil for a local file, which
    /// is drawn unchanged. Comments have no place on a page.
    func annotations(onPage page: Int) async throws -> [DrawnRecord]? {
        guard let layer else { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            calls.async {
                continuation.resume(
                    with: Result {
                        let document = layer.descriptor.readOnlyDocument()
                        return try document.annotations(onPage: page).map(\.record).map { record in
                            let image = record.content.attachmentID.flatMap { try? document.attachment($0) }
                            return DrawnRecord(record, image: image.map(Array.init))
                        }
                    })
            }
        }
    }

    /// nil until the PDF is available.
    var pages: PageReader? {
        switch source {
        case .layer(let layer): layer.pages
        case .file(let file): file.pages
        }
    }

    func close() {
        switch source {
        case .layer: call { $0.close() }
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

    /// Addresses each message to this layer, except a failure to open it, because the tab does not exist then.
    func addressing(_ post: @escaping @Sendable (Message) -> Void) -> @Sendable (Message) -> Void {
        { message in
            switch message {
            case .opened, .openFailed: post(message)
            default: post(.at(self, message))
            }
        }
    }
}
