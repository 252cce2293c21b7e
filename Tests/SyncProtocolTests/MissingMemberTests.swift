import Annotations
import SyncProtocol
import Testing

/// A message without a required member is rejected; no value is guessed.
@Suite("Required members")
struct MissingMemberTests {
    @Test(arguments: [
        ("session", ["protocol", "grant", "now", "generation", "epoch", "head", "pdfSha256"]),
        ("snapshot", ["epoch", "at", "records"]), ("delta", ["epoch", "changes", "upTo"]), ("push", ["clientID"]),
        ("push answer", ["results", "epoch", "changes"]),
        ("change event", ["epoch", "revision", "previous", "changes"]),
        ("session event: lost", ["kind"]), ("error", ["error"]), ("token: refused", ["reason"]),
        ("presence", ["session"]),
        ("presence event: all", ["people"]), ("poll answer", ["epoch", "changes", "upTo"]),
        ("version", ["version"]), ("retirement", ["retired"]), ("open", ["path"]), ("question", ["document"]),
        ("write", ["document"]), ("resolve", ["document", "id", "keep"]),
        ("report", ["document", "path", "unwritten"]),
        ("answer", ["document", "path", "unwritten"]), ("closed", ["unwritten"]),
        ("failure", ["problem", "reason", "message"]),
    ])
    func topLevel(name: String, members: [String]) throws {
        let sample = try #require(GoldenMessageTests.samples.first { $0.name == name })
        for member in members {
            var object = try #require(try JSON(parsing: sample.text).object)
            #expect(object[member] != nil)
            object[member] = nil
            let error = #expect(throws: JSONError.self) { try sample.reencode(Array(JSON.object(object).text.utf8)) }
            #expect(error?.problem == .missing(member), "\(name) without \(member)")
            object[member] = member == "retired" ? "yes" : .bool(true)
            #expect(throws: JSONError.self) { try sample.reencode(Array(JSON.object(object).text.utf8)) }
        }
    }

    @Test(
        "One change of a push",
        arguments: [
            (#"{"op":"delete","id":"a"}"#, JSONError.Problem.missing("n")), (#"{"n":1,"id":"a"}"#, .missing("op")),
            (#"{"n":1,"op":"delete"}"#, .missing("id")),
            (#"{"n":1,"op":"destroy","id":"a"}"#, .wrongType("create, update, delete or restore")),
            (#"{"n":9223372036854775808,"op":"delete","id":"a"}"#, .wrongType("a whole number")),
            (#"{"n":1.5,"op":"delete","id":"a"}"#, .wrongType("a whole number")),
            (#"{"n":1,"op":"create","id":"a","content":[]}"#, .wrongType("an object")),
            (#"{"n":1,"op":"create","id":"a","content":{"x":1,"x":2}}"#, .duplicateKey("x")),
            (#"{"n":1,"n":2,"op":"create","id":"a"}"#, .duplicateKey("n")),
        ])
    func changes(change: String, problem: JSONError.Problem) {
        let text = #"{"clientID":"c","acked":0,"changes":[\#(change)]}"#
        let error = #expect(throws: JSONError.self) { try PushRequest(bytes: Array(text.utf8)) }
        #expect(error?.problem == problem)
    }

    @Test(
        "One item of an answer",
        arguments: [
            (#"{"revision":1,"content":{}}"#, JSONError.Problem.missing("id")),
            (#"{"id":"a","content":{}}"#, .missing("revision")),
            (#"{"id":"a","revision":1}"#, .missing("content")),
            (#"{"id":"a","revision":1,"content":null}"#, .wrongType("an object")),
            (#"{"id":"a","removed":true}"#, .missing("revision")),
        ])
    func items(item: String, problem: JSONError.Problem) {
        let text = #"{"epoch":"e","upTo":1,"changes":[\#(item)]}"#
        let error = #expect(throws: JSONError.self) { try Delta(bytes: Array(text.utf8)) }
        #expect(error?.problem == problem)
    }

    @Test("Optional members have defaults")
    func defaults() throws {
        let push = try PushRequest(
            bytes: Array(#"{"clientID":"c","since":5,"changes":[{"n":1,"op":"create","id":"a"}]}"#.utf8))
        #expect(push.cursor == nil, "a revision without its epoch is not a cursor")
        #expect(push.acked == 0)
        #expect(push.changes == [Change(n: 1, kind: .create, id: "a", baseRevision: 0, group: nil)])
        #expect(push.changes != [Change(n: 1, kind: .create, id: "a", baseRevision: 0)], "not the null group")
        let answer = try PushAnswer(bytes: Array(#"{"results":[]}"#.utf8))
        #expect(answer.delta == nil && !answer.reset)
        let error = try ErrorAnswer(bytes: Array(#"{"error":{"reason":"new_reason"}}"#.utf8))
        #expect(error.known == nil && error.reason == "new_reason")
    }

    @Test("Invalid entries of a lineage are skipped, and an unknown ending counts as recreated")
    func lineage() throws {
        let session = try #require(try JSON(parsing: Sample.all[0].text).object)
        for (text, expected) in [
            ("null", nil), ("[]", []), (#"[1,{"head":"x","at":1},{"head":1}]"#, []),
            (
                #"[{"generation":"a","head":4,"at":1,"ending":"lost"}]"#,
                [LineageEntry(generation: nil, head: 0, at: Timestamp(milliseconds: 1), ending: .recreated)]
            ),
        ] as [(String, [LineageEntry]?)] {
            var changed = session
            changed["lineage"] = try JSON(parsing: text)
            #expect(try SessionAnswer(bytes: Array(JSON.object(changed).text.utf8)).lineage == expected)
        }
    }

    @Test("A hostile server cannot set limits that leave nothing to send")
    func limits() throws {
        let session = try #require(try JSON(parsing: Sample.all[0].text).object)
        for (value, expected) in [("0", 1), ("-5", 1), ("9223372036854775807", Int.max), (#""x""#, 1000)] {
            var changed = session
            changed["limits"] = try JSON(parsing: #"{"batchChanges":\#(value)}"#)
            let answer = try SessionAnswer(bytes: Array(JSON.object(changed).text.utf8))
            #expect(answer.limits.batchChanges == expected)
            #expect(answer.limits.recordBytes == ServerLimits().recordBytes)
        }
    }
}
