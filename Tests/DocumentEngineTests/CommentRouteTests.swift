import Annotations
import SyncProtocol
import Testing

/// The backend reads and writes threads; 6 is a highlight of the PDF itself, 7 a note.
@Suite("Backend comments", .timeLimit(.minutes(15))) struct CommentRouteTests {
    private static let layer = "/api/documents/doc/layers/review"
    private static let thread = layer + "/annotations/6/comments"

    private static func highlight(_ id: String) -> String {
        #"{"id":"\#(id)","user_id":"ana","content":{"v":2,"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[1,2,3,4]}}"#
    }

    private func texts(_ server: RunningServer, _ path: String = thread) async throws -> [String] {
        let list = try await server.backend("GET", path).json["data"]?["comments"]?.array ?? []
        return list.compactMap { $0["content"]?["text"].flatMap(CommentText.init(json:))?.words }
    }

    @Test func aThreadIsReadInTheOrderOfItsWriting() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let body = #"""
                {"comments":[{"id":"z","user_id":"ana","content":{"text":"First"}},
                {"id":"a","group":"crew","content":{"text":{"format":"xhtml","value":"<p>Second</p>"},"own":1.50}}]}
                """#
            let made = try await server.backend("POST", Self.thread, json: body)
            #expect(made.text == #"{"data":{"comments":[{"id":"z"},{"id":"a"}]}}"#)
            server.clock.advance(seconds: 1)
            #expect(
                try await server.backend("POST", Self.thread, json: #"{"comments":[{"content":{"text":"Third"}}]}"#)
                    .status == 200)
            #expect(try await texts(server) == ["First", "Second", "Third"])
            let second = try await server.backend("GET", Self.layer + "/annotations/a")
            #expect(second.text.contains(#""own":1.50"#))
            #expect(second.json["content"]?["rootId"] == "6" && second.json["content"]?["pageIndex"] == 0)
            #expect((second.json["createdBy"], second.json["group"]) == (.null, "crew"))
            #expect(
                try await server.backend("GET", Self.layer + "/annotations").json["data"]?["annotations"]?.array?.count
                    == 2)
            #expect(try await server.backend("DELETE", Self.layer + "/annotations/6").status == 200)
            #expect(try await server.backend("GET", Self.thread).status == 404)
        }
    }

    @Test func aClientSeesWhatTheBackendSays() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let body = #"{"comments":[{"user_id":"system","content":{"text":"Please check"}}]}"#
            #expect(try await server.backend("POST", Self.thread, json: body).status == 200)
            let page: SnapshotPage = try await server.client(ana, "GET", "records").message()
            let item = try #require(page.records.first, "a new id sorts before those of the PDF")
            guard case .record(let comment, 1) = item, comment.contentType == .comments else {
                Issue.record("\(item)")
                return
            }
            #expect(comment.createdBy == "system" && Annotation(comment).createdAt == server.clock.now)
        }
    }

    @Test func aRootIsMadeTogetherWithItsThread() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let body = #"{"annotation":\#(Self.highlight("root")),"comments":[{"id":"c","content":{"text":"Why?"}}]}"#
            let made = try await server.backend("POST", Self.layer + "/comments", json: body)
            #expect(made.text == #"{"data":{"annotation":{"id":"root"},"comments":[{"id":"c"}]}}"#)
            #expect(try await texts(server, Self.layer + "/annotations/root/comments") == ["Why?"])
            #expect(try await server.backend("GET", Self.layer + "/annotations/c").json["content"]?["rootId"] == "root")
        }
    }

    @Test func theDefaultLayerHasThreadsToo() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let path = "/api/documents/doc/annotations/6/comments"
            #expect(try await texts(server, path) == [])
            #expect(
                try await server.backend("POST", path, json: #"{"comments":[{"content":{"text":"x"}}]}"#).status == 200)
            #expect(try await texts(server, path) == ["x"])
        }
    }

    @Test(arguments: [
        ("annotations/6/comments", #"{}"#, 400), ("annotations/6/comments", #"{"comments":[]}"#, 400),
        ("annotations/6/comments", #"{"comments":[{"content":{}}]}"#, 422),
        ("annotations/6/comments", #"{"comments":[{"content":{"text":"ok"}},{"content":{"text":7}}]}"#, 422),
        (
            "annotations/6/comments",
            #"{"comments":[{"id":"twice","content":{"text":"x"}},{"id":"twice","content":{"text":"y"}}]}"#, 400
        ),
        ("annotations/none/comments", #"{"comments":[{"content":{"text":"x"}}]}"#, 404),
        ("comments", #"{"comments":[{"content":{"text":"x"}}]}"#, 400),
        ("comments", #"{"annotation":{"content":{}},"comments":[{"content":{"text":"x"}}]}"#, 422),
        ("comments", #"{"annotation":\#(highlight("root")),"comments":[{"content":{}}]}"#, 422),
        ("comments", #"{"annotation":\#(highlight("root"))}"#, 400),
    ])
    func whatIsRefusedLeavesNothingBehind(_ path: String, _ body: String, _ status: Int) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await server.backend("POST", "\(Self.layer)/\(path)", json: body)
            #expect(answer.status == status && answer.reason != nil, "\(answer.text)")
            let ana = try server.mint.token(TokenClaims())
            #expect(try await server.session(ana).head == 0)
        }
    }
}
