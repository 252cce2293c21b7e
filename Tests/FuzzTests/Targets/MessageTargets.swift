import SyncProtocol

extension FuzzTarget {
    /// For every message: decoding, encoding and decoding again gives the same value.
    static let messages: [FuzzTarget] = [
        message(
            PushRequest.self, "push-request",
            #"{"clientID":"c1","acked":6,"since":2,"epoch":"g-1","changes":[{"n":7,"op":"create","id":"a","baseRevision":0,"group":"crew","content":\#(note)},{"n":8,"op":"delete","id":"12","baseRevision":0,"threadRevision":-1,"group":null},{"n":9,"op":"update","id":"a","baseRevision":3,"content":\#(note)}]}"#
        ),
        message(
            PushAnswer.self, "push-answer",
            #"{"results":[{"n":7,"status":"applied","revision":3},{"n":8,"status":"conflict","reason":"first","record":{"id":"12","content":\#(note),"createdBy":null,"updatedBy":"bo","group":null,"revision":2}}],"epoch":"g-1","changes":[{"id":"a","removed":true,"revision":3}],"upTo":3,"more":false}"#
        ),
        message(
            Delta.self, "delta",
            #"{"epoch":"g-1","changes":[{"id":"12","removed":true,"revision":4}],"upTo":4,"more":true}"#),
        message(
            SnapshotPage.self, "snapshot",
            #"{"epoch":"g-1","at":2,"records":[{"id":"12","content":\#(note),"createdBy":"a","updatedBy":"b","group":"g","revision":1}],"next":"12"}"#
        ),
        message(
            SessionAnswer.self, "session",
            #"{"protocol":1,"grant":{"document_id":"d","layer":"","user_id":"ana","permissions":["write"],"collaboration_permissions":["annotations:view:all"],"default_group":"crew","creator_name":"Ana","expires_at":1800003600000},"now":1800000000000,"generation":"g","epoch":"g-1","head":2,"pdfSha256":"00","pdfBytes":1034,"title":"t","limits":{"recordBytes":1,"batchChanges":2,"batchBytes":3,"pageRecords":4}}"#
        ),
        message(
            ErrorAnswer.self, "error", #"{"error":{"reason":"token_expired","description":"the token has expired"}}"#),
        FuzzTarget(
            "events",
            [
                " id: g-1.4\nevent: change\ndata: {\"epoch\":\"g-1\",\"revision\":4,\"previous\":3,\"changes\":[]}\n\n",
                "\u{10}event: session\r\ndata: {\"kind\":\r\ndata: \"open\"}\r\n\r\n: still here\r\r",
            ]
        ) { bytes in
            let (first, second) = halves(bytes)
            var whole = ServerSentEventParser(maximumLine: 4096)
            var cut = ServerSentEventParser(maximumLine: 4096)
            guard let expected = try? whole.feed(bytes.dropFirst()) else { return }
            let events = try cut.feed(first) + cut.feed(second)
            try hold(events == expected, "split, it reads \(events) instead of \(expected)")
        },
        FuzzTarget("cursor", ["a31f-1-9be2.4", "g.0"]) { bytes in
            guard let cursor = Cursor(eventID: String(decoding: bytes, as: UTF8.self)) else { return }
            try hold(Cursor(eventID: cursor.eventID) == cursor, "the cursor read back differs")
        },
    ]

    private static func message<M: WireMessage & Equatable>(_: M.Type, _ name: String, _ seed: String) -> FuzzTarget {
        FuzzTarget(name, [seed]) { bytes in
            guard let message = try? M(bytes: bytes) else { return }
            try hold((try? M(bytes: message.bytes)) == message, "the message read back differs from the one written")
        }
    }
}
