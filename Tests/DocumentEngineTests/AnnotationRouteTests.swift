import Annotations
import SyncProtocol
import Testing

/// The backend reads and writes records without permission checks or revision conditions, and listeners see the
/// changes.
@Suite("Backend annotations", .timeLimit(.minutes(15))) struct AnnotationRouteTests {
    private static let path = "/api/documents/doc/layers/review/annotations"

    private func entry(_ id: String?, _ text: String, more: String = "") -> String {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        return "{\(id)\(more)\"content\":\(Samples.note(text).text)}"
    }

    private func ids(_ server: RunningServer, _ path: String = path) async throws -> [String] {
        let list = try await server.backend("GET", path).json["data"]?["annotations"]?.array ?? []
        return list.compactMap { $0["id"]?.string }
    }

    @Test func oneIsMadeReadReplacedAndDeleted() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let made = try await server.backend(
                "POST", Self.path, json: entry("b/1", "first", more: #""user_id":"system","group":"","#))
            #expect(made.text == #"{"data":{"annotation_id":"b/1"}}"#)
            let one = try await server.backend("GET", Self.path + "/b%2F1")
            #expect(
                one.text
                    == #"{"id":"b/1","content":\#(Samples.note("first").text),"createdBy":"system","updatedBy":"system","group":null}"#
            )
            let replaced = try await server.backend(
                "PUT", Self.path + "/b%2F1", json: entry(nil, "second", more: #""group":"crew","#))
            #expect(replaced.status == 200)
            let now = try await server.backend("GET", Self.path + "/b%2F1").json
            #expect(now["content"]?["text"] == "second")
            #expect((now["createdBy"], now["updatedBy"], now["group"]) == ("system", .null, "crew"))
            #expect(try await server.backend("DELETE", Self.path + "/b%2F1").status == 200)
            #expect(try await server.backend("GET", Self.path + "/b%2F1").status == 404)
            #expect(try await server.backend("DELETE", Self.path + "/b%2F1").status == 404)
        }
    }

    @Test func theDefaultLayerHasNoNameInItsPath() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            #expect(try await ids(server, "/api/documents/doc/annotations") == ["6", "7"])
            _ = try await server.backend("POST", "/api/documents/doc/annotations", json: entry("x", "words"))
            #expect(try await ids(server, "/api/documents/doc/annotations") == ["6", "7", "x"])
            #expect(try await ids(server, "/api/documents/doc/pages/0/annotations") == ["6", "7", "x"])
            #expect(try await ids(server, "/api/documents/doc/pages/9/annotations") == [])
            // A layer does not exist until the first write creates it.
            #expect(try await server.backend("GET", Self.path).status == 404)
            _ = try await server.backend("POST", Self.path, json: entry("y", "words"))
            #expect(try await ids(server) == ["6", "7", "y"])
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"content":7}"#, #"{"content":{"v":1,"type":"pspdfkit/note","pageIndex":0}}"#,
        #"{"content":{"v":3,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4]}}"#,
        #"{"content":{"v":1,"pageIndex":0,"bbox":[1,2,3,4]}}"#,
        #"{"content":{"v":1,"type":"pspdfkit/note","pageIndex":1000000000,"bbox":[1,2,3,4]}}"#,
        #"{"content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,1e999]}}"#,
        #"{"content":{"v":1,"rootId":"none","text":"x"}}"#,
        #"{"id":"a b","content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4]}}"#,
        #"{"user_id":7,"content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4]}}"#,
    ])
    func whatIsNoRecordIsRefused(_ body: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await server.backend("POST", Self.path, json: body)
            #expect((answer.status, answer.reason) == (422, "invalid"), "\(answer.text)")
        }
    }

    @Test func aBatchTellsEntryByEntry() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let body =
                #"{"annotations":[\#(entry("a", "1")),{"content":{}},\#(entry("a", "twice")),\#(entry("b", "2"))]}"#
            let answer = try await server.backend("POST", Self.path, json: body)
            #expect(answer.status == 200)
            #expect(answer.json["result"] == "partial_failure")
            #expect(answer.json["data"] == [["annotation_id": "a"], ["annotation_id": "b"]])
            let paths = answer.json["failing_paths"]?.array ?? []
            #expect(paths.map { $0["path"] } == ["$.annotations[1]", "$.annotations[2]"])
            #expect(paths.map { $0["error"] } == ["invalid", "already_exists"])
            let put = try await server.backend(
                "PUT", Self.path, json: #"{"annotations":[\#(entry("a", "new")),\#(entry("none", "x"))]}"#)
            #expect(put.json["result"] == "partial_failure")
            #expect(try await server.backend("GET", Self.path + "/a").json["content"]?["text"] == "new")
            let some = try await server.backend("DELETE", Self.path, json: #"{"annotationIds":["a","none"]}"#)
            #expect(some.json["failing_paths"]?.array?.count == 1)
            let all = try await server.backend("DELETE", Self.path, json: #"{"annotationIds":"all"}"#)
            #expect(all.json["result"] == "success")
            #expect(try await ids(server) == [])
        }
    }

    @Test func aLargeLayerIsListedWholeLineByLine() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let entries = (0..<1200).map { entry("n\($0)", "\($0)") }.joined(separator: ",")
            let made = try await server.backend("POST", Self.path, json: #"{"annotations":[\#(entries)]}"#)
            #expect(made.json["result"] == "success")
            let json = try await server.backend("GET", Self.path).json["data"]
            #expect(json?["annotations"]?.array?.count == 1000)
            #expect(json?["truncated"] == true)
            let lines = try await server.backend("GET", Self.path, headers: [("Accept", "application/x-ndjson")])
            #expect(lines.headers["content-type"] == "application/x-ndjson")
            let rows = try lines.text.split(separator: "\n").map { try JSON(parsing: String($0)) }
            #expect(Set(rows.compactMap { $0["id"]?.string }).count == 1202)
        }
    }

    @Test func aBackendsWriteIsSeenLiveAndWinsAgainstAWaitingEdit() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(ana, [Samples.create(1, "n1", "mine")])
            let session = try await server.session(ana)
            var events = try await EventReader(server, ana, from: Cursor(epoch: session.epoch, revision: 1))
            #expect(try await events.session()?.kind == .open)
            _ = try await server.backend("PUT", Self.path + "/n1", json: entry(nil, "theirs"))
            let change = try #require(try await events.change())
            #expect((change.revision, change.previous) == (2, 1))
            let edit = Change(n: 2, kind: .update, id: "n1", baseRevision: 1, content: Samples.note("mine again"))
            let answer: PushAnswer = try await server.push(ana, [edit]).message()
            #expect(answer.results.map(\.status) == [.conflict])
            #expect(answer.results[0].item == change.changes[0])
        }
    }
}
