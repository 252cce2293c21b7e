import Annotations
import App
import Dispatch
import Instant
import InstantCore

/// What stands behind one tab of the viewer: a layer or a file, its reads and edits, and what was being written in it.
final class OpenTab: Sendable {
    private enum Source {
        case layer(OpenLayer)
        case file(LocalPDF)
    }

    private let source: Source
    /// Posts about this tab.
    let post: @Sendable (Message) -> Void
    /// nil: a file, which is not edited.
    let drafts: DraftStore?
    let edits: LayerEdits?
    let reads: LayerReads
    /// Calls of the library that look into the local storage, in the order of the keys.
    private let calls = DispatchQueue(label: "postilla.calls")

    /// - Parameter author: `--author`
    init(_ layer: OpenLayer, drafts: DraftStore, author: String?, post: @escaping @Sendable (Message) -> Void) {
        source = .layer(layer)
        self.drafts = drafts
        edits = LayerEdits(layer, author: author, post: post)
        reads = LayerReads(try layer.descriptor.layer, post: post)
        self.post = post
    }

    init(_ file: LocalPDF, post: @escaping @Sendable (Message) -> Void) {
        source = .file(file)
        (drafts, edits) = (nil, nil)
        reads = LayerReads(file.records, post: post)
        self.post = post
    }

    /// nil: a file, which is in no layer.
    var layer: OpenLayer? { if case .layer(let layer) = source { layer } else { nil } }

    /// Does something with the layer beside the thread of the screen.
    func call(_ body: @escaping @Sendable (OpenLayer) -> Void) {
        guard let layer else { return }
        calls.async { body(layer) }
    }

    func loadPage(_ index: Int) {
        guard let pages else { return post(.pageFailed(index, "The PDF is not downloaded yet.")) }
        pages.tellText(index, post)
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
