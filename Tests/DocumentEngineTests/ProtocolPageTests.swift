import Annotations
import SyncProtocol
import TestSupport
import Testing

/// The code reads and writes the examples of docs/protocol.md byte for byte.
@Suite("The protocol page") struct ProtocolPageTests {
    private static let types: [String: any WireMessage.Type] = [
        "ErrorAnswer": ErrorAnswer.self, "TokenVerdict": TokenVerdict.self,
        "SessionAnswer": SessionAnswer.self, "SnapshotPage": SnapshotPage.self,
        "Delta": Delta.self, "PushRequest": PushRequest.self, "PushAnswer": PushAnswer.self,
        "DigestAnswer": DigestAnswer.self, "ChangeEvent": ChangeEvent.self, "SessionEvent": SessionEvent.self,
        "PresenceSign": PresenceSign.self, "PresenceAnswer": PresenceAnswer.self, "PresenceEvent": PresenceEvent.self,
        "PollAnswer": PollAnswer.self,
    ]

    @Test func examplesAreMessages() throws {
        let page = try Repository.text("docs/protocol.md")
        var seen: Set<String> = []
        let mark = "```json "
        for block in page.components(after: mark) {
            let lines = block.split(separator: "\n", maxSplits: 2).map(String.init)
            let type = try #require(Self.types[lines[0]], "\(lines[0])")
            seen.insert(lines[0])
            #expect(try Self.again(type, lines[1]) == lines[1], "\(lines[0])")
        }
        #expect(seen == Set(Self.types.keys))
    }

    @Test func everyReasonIsNamed() throws {
        let page = try Repository.text("docs/protocol.md")
        for reason in ErrorAnswer.Reason.allCases { #expect(page.contains("`\(reason.rawValue)`"), "\(reason)") }
        for status in ChangeResult.Status.allCases { #expect(page.contains("| `\(status.rawValue)` |"), "\(status)") }
        for kind in SessionEvent.Kind.allCases { #expect(page.contains("`\(kind.rawValue)`"), "\(kind)") }
    }

    private static func again(_ type: any WireMessage.Type, _ text: String) throws -> String {
        String(decoding: try type.init(bytes: Array(text.utf8)).bytes, as: UTF8.self)
    }
}

extension String {
    /// The text after each occurrence of a mark, up to the next one.
    fileprivate func components(after mark: String) -> [String] {
        var parts: [String] = []
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(mark) {
                parts.append(String(line.dropFirst(mark.count)))
            } else if !parts.isEmpty {
                parts[parts.count - 1] += "\n" + line
            }
        }
        return parts
    }
}
