import InstantCore
import Synchronization

/// The annotations of a layer, live: every read returns the current stored state, including the user's own unsent
/// edits.
///
/// Usable before, during and after the download. Every method may be called from any thread; only
/// ``loadAttachment(_:)`` waits for the network.
public final class InstantDocument: Sendable {
    public let documentDescriptor: InstantDocumentDescriptor
    /// Whether edits are possible; if not, this is a view that follows the layer.
    public let isEditable: Bool
    private let username = Mutex<String?>(nil)
    let history = Mutex(EditHistory())

    init(_ descriptor: InstantDocumentDescriptor, isEditable: Bool) {
        documentDescriptor = descriptor
        self.isEditable = isEditable
    }

    /// The author of records created here if the token has no `creator_name`; nil for the name that this installation
    /// remembers (``InstantClient/rememberedAuthor``).
    public var defaultAnnotationUsername: String? {
        get { username.withLock { $0 } }
        set { username.withLock { $0 = newValue } }
    }
}

extension InstantDocumentDescriptor {
    /// The editable document: the same instance while a reference to it exists.
    public var editableDocument: InstantDocument {
        editable { InstantDocument(self, isEditable: true) }
    }

    /// Returns a new read-only view, live like the editable document.
    public func readOnlyDocument() -> InstantDocument { InstantDocument(self, isEditable: false) }
}
