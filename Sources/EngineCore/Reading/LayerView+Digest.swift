import Authorization
package import SyncProtocol

extension LayerView {
    private static let marksAtOnce = 2_000

    /// All live records that the view may see, added up.
    ///
    /// - Parameter epoch: what whoever asks takes the view for.
    /// - Throws: ``Refusal`` with `epoch_changed`.
    package func digest(epoch: String) throws -> DigestAnswer {
        try check(epoch)
        var digest = ViewDigest()
        var marks: [RecordMark] = []
        repeat {
            marks = try store.marks(in: layer, after: marks.last?.id, limit: Self.marksAtOnce)
            for mark in marks where scope.contains(mark.subject) { digest.add(mark.id, mark.revision) }
        } while marks.count == Self.marksAtOnce
        return DigestAnswer(epoch: self.epoch, upTo: layer.head, digest)
    }
}
