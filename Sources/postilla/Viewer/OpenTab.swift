import Annotations
import App
import Dispatch
import Instant
import InstantCore
import PDFPages
import Synchronization

/// The contents of one tab: a layer or a file, its reads and edits, and its drafts.
final class OpenTab: Sendable {
    private enum Source {
        case layer(OpenLayer)
        case file(LocalPDF)
        /// A file whose records are in a layer of the engine on this machine.
        case own(LocalPDF, OpenLayer, OwnFileTab)
    }

    /// The parts that change when a file becomes editable.
    private struct State {
        var source: Source
        var drafts: DraftStore?
        var edits: LayerEdits?
        var reads: LayerReads
    }

    private let state: Mutex<State>
    /// Posts messages about this tab.
    let post: @Sendable (Message) -> Void
    /// nil for a file that cannot be edited yet.
    var drafts: DraftStore? { state.withLock(\.drafts) }
    var edits: LayerEdits? { state.withLock(\.edits) }
    var reads: LayerReads { state.withLock(\.reads) }
    private var source: Source { state.withLock(\.source) }
    /// The serial queue for library calls that use the local storage, in the order of the key presses.
    private let calls = DispatchQueue(label: "postilla.calls")

    /// - Parameter author: The value of `--author`.
    init(
        _ layer: OpenLayer, drafts: DraftStore, undo: UndoStore, author: String?,
        post: @escaping @Sendable (Message) -> Void
    ) {
        state = Mutex(
            State(
                source: .layer(layer), drafts: drafts,
                edits: LayerEdits(layer, author: author, undo: undo, post: post),
                reads: LayerReads(try layer.descriptor.layer, post: post)))
        self.post = post
    }

    /// - Parameter drafts: nil for a file that will not be edited.
    init(_ file: LocalPDF, drafts: DraftStore?, post: @escaping @Sendable (Message) -> Void) {
        state = Mutex(
            State(source: .file(file), drafts: drafts, reads: LayerReads(file.records, post: post)))
        self.post = post
    }

    /// Makes the file editable, with the records of a layer.
    ///
    /// - Returns: false if the tab was closed meanwhile.
    func adopt(_ layer: OpenLayer, of own: OwnFileTab, edits: LayerEdits) -> Bool {
        let reads = LayerReads(try layer.descriptor.layer, post: post)
        return state.withLock { state in
            guard case .file(let file) = state.source, !isClosed.load(ordering: .relaxed) else { return false }
            file.handOver()
            state.source = .own(file, layer, own)
            state.edits = edits
            state.reads = reads
            return true
        }
    }

    private let isClosed = Atomic(false)

    /// nil for a file that has no layer yet.
    var layer: OpenLayer? {
        switch source {
        case .layer(let layer), .own(_, let layer, _): layer
        case .file: nil
        }
    }

    /// nil unless it is a file of the person that can be edited.
    var own: OwnFileTab? { if case .own(_, _, let own) = source { own } else { nil } }

    /// Shows the pages of a file anew if others are shown than the engine has.
    func comparePages(_ engine: ShownPages.File, isTold: Bool) {
        if case .own(let file, _, _) = source { file.compare(with: engine, isTold: isTold) }
    }

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

    /// nil for a file.
    var layerOnServer: InstantDocumentDescriptor? {
        if case .layer(let layer) = source { layer.descriptor } else { nil }
    }

    /// nil until the PDF is available.
    var pages: PageReader? {
        switch source {
        case .layer(let layer): layer.pages
        case .file(let file), .own(let file, _, _): file.pages
        }
    }

    func close() {
        isClosed.store(true, ordering: .relaxed)
        switch source {
        case .layer: call { $0.close() }
        case .file(let file): file.close()
        case .own(let file, let layer, let own):
            file.close()
            own.close(layer, edits)
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
