import Annotations

// Attaching a file to a page.
extension AppState {
    /// Starts reading a file; ``attached(_:)`` follows.
    ///
    /// - Parameter path: relative to the current folder, or from the home folder after `~/`.
    mutating func attach(_ path: String) -> [Effect] {
        guard !path.isEmpty else { return only(.warning("Usage: attach FILE")) }
        if let why = document?.denialOfCreation { return only(.warning(why)) }
        guard let place = document?.notePlace else { return only(.warning("This document has no pages")) }
        return [.attach(path, page: place.page, corner: place.corner)]
    }

    /// The file is stored on this machine, to be sent before the record that names it.
    mutating func attached(_ content: Content) -> [Effect] { perform([.create(content)]) }
}
