import Annotations

/// The comments under the current annotation, and the one among them that keys are about.
struct ThreadPane: Equatable, Sendable {
    /// Whose comments these are.
    private(set) var root: Record.ID?
    private(set) var comments: [Record] = []
    private(set) var cursor = 0
    /// They were asked for; nil: they have to be.
    var asked: Record.ID?

    var current: Record? { comments.indices.contains(cursor) ? comments[cursor] : nil }

    /// The cursor stays on its comment.
    mutating func take(_ new: [Record], under root: Record.ID) {
        let id = self.root == root ? current?.id : nil
        cursor = new.firstIndex { $0.id == id } ?? min(self.root == root ? cursor : 0, max(0, new.count - 1))
        (self.root, comments) = (root, new)
    }

    mutating func move(to index: Int) { cursor = max(0, min(index, comments.count - 1)) }

    mutating func clear() { self = ThreadPane() }
}
