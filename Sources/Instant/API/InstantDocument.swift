import InstantCore
import Synchronization

/// The annotations of a layer, live: what it answers is what is stored at that moment, own unsent edits included.
///
/// Available before, during and after the download. Every method may be called from any thread and does not wait for
/// the network.
public final class InstantDocument: Sendable {
    public let documentDescriptor: InstantDocumentDescriptor
    /// False: a view that changes with the layer and cannot change it.
    public let isEditable: Bool
    private let username = Mutex<String?>(nil)

    init(_ descriptor: InstantDocumentDescriptor, isEditable: Bool) {
        documentDescriptor = descriptor
        self.isEditable = isEditable
    }

    /// The author of records that are made here, for a token without `creator_name`. nil: the name that this
    /// installation remembers (``InstantClient/rememberedAuthor``).
    public var defaultAnnotationUsername: String? {
        get { username.withLock { $0 } }
        set { username.withLock { $0 = newValue } }
    }
}

extension InstantDocumentDescriptor {
    /// The document to edit: the same one for as long as anybody holds it.
    public var editableDocument: InstantDocument {
        editable { InstantDocument(self, isEditable: true) }
    }

    /// A new view at each call, live like the editable one.
    public func readOnlyDocument() -> InstantDocument { InstantDocument(self, isEditable: false) }
}
