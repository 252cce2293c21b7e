import Annotations
import SyncProtocol
import Testing

@Suite("Cursors and client ids")
struct CursorTests {
    @Test(arguments: [
        ("e.0", "e", Int64(0)), ("g1-v1.42", "g1-v1", 42), ("a.b.7", "a.b", 7), ("e.9223372036854775807", "e", .max),
    ])
    func eventID(text: String, epoch: String, revision: Int64) {
        let cursor = Cursor(epoch: epoch, revision: revision)
        #expect(cursor.eventID == text)
        #expect(Cursor(eventID: text) == cursor)
    }

    @Test(arguments: [
        "", ".", "e", "e.", ".5", "e.-1", "e.+1", "e.01", "e. 1", "e.1 ", "e.9223372036854775808", "e.1x", "e.1.0x",
    ])
    func noEventID(text: String) {
        #expect(Cursor(eventID: text) == nil)
    }

    @Test(arguments: [
        ("c", true), ("a-Z_09", true), (String(repeating: "x", count: 64), true), ("", false), ("a b", false),
        (String(repeating: "x", count: 65), false), ("é", false), ("a.b", false), ("../a", false), ("a\n", false),
        ("Ａ", false),
    ])
    func clientIDs(text: String, valid: Bool) {
        #expect(PushRequest.isValidClientID(text) == valid)
    }

    @Test("The canonical text of a change depends on each of its parts")
    func canonicalText() {
        let change = Change(n: 1, kind: .update, id: "a", baseRevision: 2, group: "g", content: Sample.content)
        var others = [Change](repeating: change, count: 6)
        others[0].n = 2
        others[1].kind = .create
        others[2].id = "b"
        others[3].baseRevision = 3
        others[4].group = nil
        others[5].threadRevision = 0
        #expect(Set(([change] + others).map(\.canonicalBytes)).count == 7)
    }

    /// A change with an absent group differs from one with the null group. Where a group has no meaning both are the
    /// same, because earlier versions did not tell them apart.
    @Test func anAbsentGroupIsNotTheNullGroup() throws {
        func change(_ kind: ChangeKind, _ group: String) throws -> Change {
            let content = kind == .create || kind == .update ? #","content":{"v":1}"# : ""
            let text = #"{"n":1,"op":"\#(kind.rawValue)","id":"a","baseRevision":2\#(group)\#(content)}"#
            let push = #"{"clientID":"c","changes":[\#(text)]}"#
            return try #require(try PushRequest(bytes: Array(push.utf8)).changes.first)
        }
        for kind in ChangeKind.allCases {
            let (absent, null) = (try change(kind, ""), try change(kind, #","group":null"#))
            let carriesGroup = kind == .create || kind == .update
            #expect((absent == null) == !carriesGroup, "\(kind)")
            #expect((absent.canonicalBytes == null.canonicalBytes) == !carriesGroup, "\(kind)")
            // As in earlier versions.
            let text = String(decoding: null.canonicalBytes, as: UTF8.self)
            #expect(text.contains(#""baseRevision":2,"group":null"#), "\(text)")
            #expect(try change(kind, #","group":"g""#).group == "g")
        }
        #expect(try change(.create, "").group == String??.none)
        #expect(try change(.update, #","group":null"#).group == String??.some(nil))
    }

    @Test func reasonsAreWordsOfTheWire() {
        for reason in ErrorAnswer.Reason.allCases {
            #expect(reason.rawValue.allSatisfy { $0 == "_" || ($0.isASCII && $0.isLowercase) })
            #expect(ErrorAnswer(reason, "x").known == reason)
        }
    }
}
