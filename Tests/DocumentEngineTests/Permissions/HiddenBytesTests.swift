import Annotations
import AsyncHTTPClient
import Children
import Crypto
import Foundation
import SyncProtocol
import TestSupport
import Testing

/// No response to a token contains any part of a hidden record: its id, text, attachment or place. The test computes
/// independently what a token may see.
@Suite("Hidden records in every response", .timeLimit(.minutes(15))) struct HiddenBytesTests {
    /// A record with texts that occur nowhere else.
    private struct Marked {
        var id: String
        var isComment: Bool
        var creator: String?
        var group: String?
        /// The digits of a coordinate that occurs only in the selection of the participant who points at the record.
        var place: String
        var attachment: [UInt8]?

        var word: String { "word-of-\(id)-end" }
        var rootID: String? { isComment ? "a-\(creator ?? "0")-\(group ?? "0")" : nil }
        var hash: String? { attachment.map { SHA256.hash(data: $0).map { String(format: "%02x", $0) }.joined() } }

        func isSeen(by user: String?, _ entries: [String]?) -> Bool {
            guard let entries else { return true }
            if id == HiddenBytesTests.value.id { return entries.contains("form-fields:view:all") && user != nil }
            let type = isComment ? "comments" : "annotations"
            return entries.contains { entry in
                entry == "\(type):view:all" || entry == "\(type):view:group=\(group ?? "")"
                    || entry == "\(type):view:createdBy=\(creator ?? "")"
                    || (entry == "\(type):view:self" && creator == user && user != nil)
            }
        }
    }

    private static let base = Marked(id: "6", isComment: false, creator: nil, group: nil, place: "")
    /// The value of a form field.
    private static let value = Marked(
        id: "7:value", isComment: false, creator: nil, group: nil, place: "a value has no place")

    /// Each kind, creator and group once; comments are under roots of every group.
    private static let records: [Marked] = {
        var records: [Marked] = []
        for isComment in [false, true] {
            for creator in ["ana", "ben", nil] {
                for group in ["x", "y", nil] {
                    let id = "\(isComment ? "c" : "a")-\(creator ?? "0")-\(group ?? "0")"
                    records.append(
                        Marked(
                            id: id, isComment: isComment, creator: creator, group: group,
                            place: "7\(records.count + 10)1.25",
                            attachment: isComment ? nil : Array("file of \(id), word-of-\(id)-end".utf8)))
                }
            }
        }
        return records
    }()

    private static let views: [[String]?] = [
        nil, [], ["annotations:view:all"], ["comments:view:all"], ["annotations:view:all", "comments:view:all"],
        ["annotations:view:self", "comments:view:self"], ["annotations:view:group=", "comments:view:group=x"],
        ["annotations:view:group=x"], ["annotations:view:createdBy=ben", "comments:view:createdBy="],
        ["annotations:view:createdBy=", "comments:view:group=y"],
        ["annotations:edit:all", "annotations:delete:all", "comments:edit:all", "comments:delete:all"],
        ["annotations:view:all", "comments:view:all", "form-fields:view:all"], ["form-fields:view:all"],
    ]

    @Test func nothingOfThemLeavesTheServer() async throws {
        try await RunningServer.run { server in
            try await fill(server)
            for (index, view) in Self.views.enumerated() {
                try await check(TokenClaims(user: "ana", collaboration: view), on: server, client: "client\(index)")
            }
        }
    }

    /// The tokens of the permission table, each way to see records once.
    @Test func noTokenOfTheTableGetsThem() async throws {
        var known: Set<[String?]> = []
        try await RunningServer.run { server in
            try await fill(server)
            for (index, token) in try PermissionCase.all().enumerated() {
                let entries = token.claims["collaboration_permissions"]?.array?.compactMap(\.string)
                let user = token.claims["user_id"]?.string
                let permissions = token.claims["permissions"]?.text ?? #""all""#
                let views = entries?.filter { $0.contains(":view:") }.sorted() ?? ["no claim"]
                guard known.insert([user, permissions] + views.map(Optional.some)).inserted else { continue }
                let claims = TokenClaims(user: user, permissions: permissions, collaboration: entries)
                try await check(claims, on: server, client: "table\(index)")
            }
        }
        #expect(known.count > 30)
    }

    /// Checks everything that a token gets against what it may see.
    private func check(_ claims: TokenClaims, on server: RunningServer, client: String) async throws {
        let token = try server.mint.token(claims)
        let first = try await server.client(token, "GET", "session")
        let isRefused = first.status != 200
        let text = try await isRefused ? refusals(server, token) : everything(server, token, client: client)
        let view = "\(claims.user ?? "nobody") with \(claims.collaboration ?? ["no claim"])"
        for record in Self.records + [Self.base, Self.value] {
            let isSeen = !isRefused && record.isSeen(by: claims.user, claims.collaboration)
            let holds = { (word: String) in text.contains(word) }
            #expect(holds(record.word) == isSeen, "\(record.id), \(view)")
            guard !isSeen, record.id != Self.base.id else { continue }
            // A visible comment names its root.
            let isNamed =
                !isRefused
                && Self.records.contains { $0.rootID == record.id && $0.isSeen(by: claims.user, claims.collaboration) }
            #expect(holds(record.id) == isNamed, "the id \(record.id), \(view)")
            #expect(!holds(record.place), "the place of \(record.id), \(view)")
            if let hash = record.hash { #expect(!holds(hash), "the file of \(record.id), \(view)") }
        }
    }

    /// Everything that a token gets that may not read the document.
    private func refusals(_ server: RunningServer, _ token: String) async throws -> String {
        var text = ""
        for path in ["session", "document", "records", "digest?epoch=1", "events?since=0&epoch=1", "presence"] {
            let answer = try await server.client(token, "GET", path)
            text += try path == "document" && answer.status == 200 ? plain(answer.body) : answer.text
        }
        for record in Self.records {
            if let hash = record.hash {
                text += try await server.client(token, "GET", "attachments/\(hash)").text
            }
        }
        return text
    }

    private func fill(_ server: RunningServer) async throws {
        var pdf = SmallPDF(
            annotations: [
                "<</Subtype/Text/Rect[10 700 30 720]/Contents(\(Self.base.word))>>",
                "<</Subtype/Widget/FT/Tx/T(field)/V(\(Self.value.word))/DV(\(Self.value.word))/Rect[50 700 90 720]"
                    + "/AP<</N 8 0 R>>>>",
            ], word: "Page")
        pdf.catalog = "/AcroForm<</Fields[7 0 R]>>"
        let look = "BT (\(Self.value.word)) Tj ET"
        pdf.extra.append(
            "<</Type/XObject/Subtype/Form/BBox[0 0 40 20]/Length \(look.utf8.count)>>stream\n\(look)\nendstream")
        try await server.upload("doc", pdf.bytes)
        for record in Self.records {
            var content: Content
            if record.isComment {
                content = Attempt.comment(under: record.rootID ?? "").changing { $0["text"] = .string(record.word) }
            } else {
                content = Attempt.highlight.changing { $0["note"] = .string(record.word) }
            }
            if let attachment = record.attachment, let hash = record.hash {
                let token = try server.mint.token(TokenClaims(user: record.creator ?? "someone"))
                let path = "attachments/\(hash)"
                #expect(try await server.client(token, "PUT", path, body: attachment).status == 200)
                content = content.changing { $0["imageAttachmentId"] = .string(hash) }
            }
            var body = JSONObject()
            body["id"] = .string(record.id)
            body["user_id"] = record.creator.map(JSON.string)
            body["group"] = record.group.map(JSON.string)
            body["content"] = .object(content.object)
            let answer = try await server.backend(
                "POST", "/api/documents/doc/layers/review/annotations", json: JSON.object(body).text)
            #expect(answer.status == 200, "\(answer.text)")
        }
        // One session points at each record, so that every record is pointed at.
        for record in Self.records {
            let token = try server.mint.token(TokenClaims(user: "pointer-\(record.place.prefix(3))"))
            let left = try #require(Double(record.place))
            let sign = PresenceSign(
                session: "session\(record.place.prefix(4))",
                whereabouts: Location(
                    pageIndex: 0,
                    selection: [PageArea(pageIndex: 0, rects: [Rect(left: left, top: 1, width: 1, height: 1)])],
                    record: record.id))
            #expect(try await server.announce(token, sign).status == 200)
        }
    }

    /// Everything that a token can get, whatever it requests.
    private func everything(_ server: RunningServer, _ token: String, client: String) async throws -> String {
        var text = ""
        func add(_ answer: RunningServer.Answer) {
            text += answer.headers.map { "\($0): \($1)\n" }.joined() + answer.text
        }

        let session = try await server.session(token)
        add(try await server.client(token, "GET", "session"))
        let file = try await server.client(token, "GET", "document")
        add(file)
        if file.status == 200 { text += try plain(file.body) }
        var after: String?
        repeat {
            let query = after.map { "&after=\($0)" } ?? ""
            let answer = try await server.client(token, "GET", "records?limit=2" + query)
            add(answer)
            after = try answer.message(SnapshotPage.self).next
        } while after != nil
        let cursor = "since=0&epoch=\(session.epoch)"
        for path in ["records?" + cursor, "digest?epoch=\(session.epoch)", "events?wait=0&presence=&" + cursor] {
            let answer = try await server.client(token, "GET", path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            add(answer)
        }
        var events = try await EventReader(server, token, from: Cursor(epoch: session.epoch, revision: 0))
        _ = try await events.presence()
        text += events.text

        var unknown: [String?] = []
        for record in Self.records {
            guard let hash = record.hash else { continue }
            let answer = try await server.client(token, "GET", "attachments/\(hash)")
            text += answer.text
            if answer.status != 200 { unknown.append("\(answer.status) \(answer.reason ?? "") \(answer.text.count)") }
        }
        let none = try await server.client(token, "GET", "attachments/" + String(repeating: "0", count: 64))
        #expect(unknown.allSatisfy { $0 == "\(none.status) \(none.reason ?? "") \(none.text.count)" })
        add(try await attempts(server, token, client, session.epoch))
        return text
    }

    /// Changes to every record, all of them with a stale revision and content that the server may not keep.
    private func attempts(
        _ server: RunningServer, _ token: String, _ client: String, _ epoch: String
    ) async throws -> RunningServer.Answer {
        var changes: [Change] = []
        func add(_ kind: ChangeKind, _ id: String, _ content: Content? = nil) {
            changes.append(
                Change(n: Int64(changes.count + 1), kind: kind, id: id, baseRevision: 0, group: nil, content: content))
        }
        for record in Self.records + [Self.value] {
            add(.update, record.id, Content(JSONObject()))
            add(.delete, record.id)
            add(.restore, record.id)
            add(.create, record.id, Content(JSONObject()))
            add(.create, "reply", Attempt.comment(under: record.id).changing { $0["text"] = nil })
        }
        return try await server.push(token, client: client, changes)
    }

    private func plain(_ pdf: [UInt8]) throws -> String {
        let folder = try TemporaryFolder()
        let (source, plain) = (folder.path + "/a.pdf", folder.path + "/b.pdf")
        try Data(pdf).write(to: URL(fileURLWithPath: source))
        let process = try ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["qpdf", "--qdf", "--object-streams=disable", source, plain])
        process.waitUntilExit()
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: plain)), as: UTF8.self)
    }
}
