import Annotations
import ArgumentParser
import SyncProtocol

/// The event that a script has handled last. Its revision alone says nothing once the layer has another generation: a
/// restored server gives the same revisions to other changes.
struct WatchStart: Hashable, Sendable {
    /// nil if only the revision is known.
    var generation: String?
    var revision: Revision

    /// - Parameter text: `GENERATION.REVISION`, or the revision alone.
    /// - Throws: `ValidationError`
    init(parsing text: String) throws {
        let parts = text.parted(atLast: ".")
        generation = parts.map { String($0.0) }
        guard generation?.isEmpty != true, let number = Revision(parts.map { String($0.1) } ?? text), number >= 0 else {
            throw ValidationError(
                "--since takes GENERATION.REVISION, both from one event, or a revision alone: \(text.onOneLine)")
        }
        revision = number
    }

    /// Returns the revision, in the layer's present generation, after which everything is new to the script.
    ///
    /// - Parameter lineage: nil from a server that does not report it.
    /// - Throws: ``CommandFailure`` if that cannot be told.
    func revision(in present: String?, _ lineage: [LineageEntry]?) throws(CommandFailure) -> Revision {
        guard let generation else {
            guard lineage?.isEmpty == false else { return revision }
            throw CommandFailure(
                "the layer has had several generations, and any of them may have had a revision \(revision): use --since "
                    + "GENERATION.\(revision), with both from the event that was handled last, or read the layer anew with "
                    + "postilla list")
        }
        if Optional(generation).isExactly(present) { return revision }
        guard let entry = lineage?.last(where: { Optional(generation).isExactly($0.generation) }) else {
            throw CommandFailure(
                "the layer has nothing of generation \(generation.onOneLine): it was deleted and made again, or its server "
                    + "was restored; read it anew with postilla list")
        }
        guard revision <= entry.head else {
            throw CommandFailure(
                "the server was restored from a backup that has generation \(generation.onOneLine) only up to revision "
                    + "\(entry.head): what came after it is gone; read the layer anew with postilla list")
        }
        return revision
    }
}
