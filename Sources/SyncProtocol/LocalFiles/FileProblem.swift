package import Annotations

/// Why the engine of a person's PDFs does not do what it was asked.
package enum FileProblem: String, Hashable, Sendable, CaseIterable {
    case missing
    case notAFile = "not_a_file"
    case otherOwner = "other_owner"
    case readOnly = "read_only"
    case diskFull = "disk_full"
    case failed
    /// What the file does not have yet cannot be kept.
    case notKept = "not_kept"
    /// The engine finds another file at the path.
    case otherFile = "other_file"
    /// The engine may not read what the process that asks may read.
    case notReadableHere = "not_readable_here"
    /// Another program keeps writing the file.
    case changed
    case unreadable
    case signed
    case notOpen = "not_open"
    case exists
    case openPrivately = "open_privately"
    case openOtherwise = "open_otherwise"
    /// Either version of the conflict differs from the one the person saw, or the conflict is already resolved.
    case decidedUnseen = "decided_unseen"
    case notInMemory = "not_in_memory"
    case copyDamaged = "copy_damaged"
    case foreignLink = "foreign_link"
}

/// The answer, with status 422, to a request about a file that the engine refuses.
package struct FileFailure: WireMessage {
    package var problem: FileProblem
    /// What is wrong, as part of a sentence.
    package var reason: String
    /// The same, with what became of the changes that were to be written and what can be done.
    package var message: String

    package init(_ problem: FileProblem, reason: String, message: String) {
        (self.problem, self.reason, self.message) = (problem, reason, message)
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.member("problem", problem.rawValue)
            $0.member("reason", reason)
            $0.member("message", message)
        }
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let json = try reader.value()
        // One that only a newer engine knows.
        problem = FileProblem(rawValue: try (json["problem"]?.string).required("problem", reader)) ?? .failed
        reason = try (json["reason"]?.string).required("reason", reader)
        message = try (json["message"]?.string).required("message", reader)
    }
}
