import Instant
import InstantCore

// Edits of the same layer that were made under another address.
extension InstantDocumentDescriptor {
    private var server: String { identity.server }

    /// Names them on standard error.
    func tellOfOtherCopies() {
        for copy in otherCopies() {
            let edits =
                copy.unsent == 1 ? "1 unsent edit of this layer was" : "\(copy.unsent) unsent edits of this layer were"
            let advice =
                copy.isSameAddress
                ? "sync moves them here, unless a program has that copy open; if its view is another one, --from "
                    + "\(copy.server.shellWord) does"
                : "if it is the same server as \(server), postilla sync --from \(copy.server.shellWord) sends them here"
            Output.message("\(edits) made under \(copy.server): \(advice)")
        }
    }

    /// Moves them here, after a question that names both addresses.
    ///
    /// - Throws: ``CommandFailure`` if there are none, if the answer is not yes, or if they cannot be moved.
    func takeEdits(madeUnder address: String, asking: Bool) throws {
        let copies = otherCopies().filter { $0.isMade(under: address) }
        guard !copies.isEmpty else {
            throw CommandFailure("no unsent edit of this layer was made under \(address); see postilla storage list")
        }
        for copy in copies {
            let edits = copy.unsent == 1 ? "the edit" : "the \(copy.unsent) edits"
            if asking {
                guard StandardInput.isTerminal, Output.isTerminal else {
                    throw CommandFailure("nothing moved; --force moves the edits without a question", .usage)
                }
                Output.prompt("Send \(edits) made under \(copy.server) to \(server)? y/N ")
                guard try StandardInput.shared.line()?.lowercased().begins(with: "y") == true else {
                    throw CommandFailure("nothing moved")
                }
            }
            do { try takeEdits(from: copy) } catch { throw CommandFailure(error) }
        }
    }
}
