import Annotations
import Authorization
import Foundation
import InstantCore
import TestSupport
import Testing

@testable import Instant

/// Threads through the public API alone.
@Suite(.timeLimit(.minutes(15))) struct CommentTests {
    private let folder: TemporaryFolder
    private let server: FakeServer
    private let line = Rect(left: 72, top: 200, width: 240, height: 12)

    init() throws { (folder, server) = (try TemporaryFolder(), try plainServer()) }

    private func open(
        _ jwt: String = token(more: #","creator_name":"Ana""#)
    ) async throws -> (client: InstantClient, document: InstantDocument) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        descriptor.delayForSyncingLocalChanges = nil
        try await descriptor.reauthenticateAndWait(withJWT: jwt)
        return (client, descriptor.editableDocument)
    }

    private func highlight() -> Content {
        Content.markup(.highlight, onPage: 0, rects: [line])
    }

    private func kind(_ body: () throws -> Void) -> InstantError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    @Test func aThreadIsMadeReadRewordedAndRemoved() async throws {
        let (client, document) = try await open()
        let thread = try document.beginThread(highlight(), text: .plain("first"))
        let second = try document.reply(to: thread.root, text: "second")
        let comments = try document.comments(of: thread.root)
        #expect(comments.map(\.text) == ["first", "second"])
        #expect(comments.map(\.id) == [thread.comment, second])
        #expect(comments.allSatisfy { $0.rootID == thread.root && $0.author == "Ana" })
        // The annotation list excludes comments.
        #expect(try document.annotationCount == 1)
        try document.reword(second, text: "the second")
        #expect(try document.record(second)?.text == "the second")
        try document.remove(second)
        #expect(try document.comments(of: thread.root).map(\.text) == ["first"])
        try document.remove(thread.root)
        #expect(try document.comments(of: thread.root).isEmpty)
        withExtendedLifetime(client) {}
    }

    @Test func aMentionOutlivesOtherWords() async throws {
        let (client, document) = try await open()
        let mention = #"<span data-user-id="bo">@Bo</span>"#
        let root = try document.add(.commentMarker(onPage: 0, at: Point(x: 90, y: 90)))
        let id = try document.reply(to: root, text: .xhtml("<p>\(mention) please look</p>"))
        try document.reword(id, text: "@Bo please sign")
        let comment = try #require(try document.record(id))
        #expect(comment.content["text"]?["value"]?.string == "<p>\(mention) please sign</p>")
        // Whoever is no longer in the text is no longer mentioned.
        try document.reword(id, text: "somebody please sign")
        let last = try #require(try document.record(id))
        #expect(last.text == "somebody please sign")
        #expect(last.content["text"]?["value"]?.string?.contains("data-user-id") != true)
        withExtendedLifetime(client) {}
    }

    @Test func whatCannotBeSaidIsRefusedWithItsKind() async throws {
        let (client, document) = try await open()
        let content = InstantTests.note("no root of a thread")
        let note = try document.add(content)
        let link = try document.add(content.changing { $0["type"] = "pspdfkit/link" })
        let thread = try document.beginThread(highlight(), text: .plain("first"))
        #expect(kind { try document.reply(to: link, text: "x") } == .invalidRequest)
        #expect(kind { try document.reply(to: thread.comment, text: "x") } == .invalidRequest)
        #expect(kind { try document.reply(to: "elsewhere", text: "x") } == .noSuchAnnotation)
        #expect(kind { try document.reword(note, text: "x") } == .invalidRequest)
        #expect(kind { try document.reword("elsewhere", text: "x") } == .noSuchAnnotation)
        let count = try document.annotationCount
        let marked = Content.note(onPage: 0, at: Point(x: 1, y: 1), text: "").changing { $0["type"] = "pspdfkit/link" }
        #expect(kind { try document.beginThread(marked, text: .plain("x")) } == .invalidRequest)
        #expect(try document.annotationCount == count)
        let reader = document.documentDescriptor.readOnlyDocument()
        #expect(kind { try reader.reply(to: thread.root, text: "x") } == .accessDenied)
        #expect(kind { try reader.reply(to: "elsewhere", text: "x") } == .accessDenied)
        withExtendedLifetime(client) {}
    }

    @Test func aCommentHasAnAuthorLikeEveryRecord() async throws {
        let (client, document) = try await open(token())
        #expect(kind { try document.beginThread(highlight(), text: .plain("whose?")) } == .authorNeeded)
        let thread = try document.beginThread(highlight(), text: .plain("mine"), author: "Ana")
        #expect(try document.record(thread.root)?.author == "Ana")
        #expect(kind { try document.reply(to: thread.root, text: "whose?") } == .authorNeeded)
        client.rememberedAuthor = "Ana M."
        let comment = try document.reply(to: thread.root, text: "mine")
        #expect(try document.record(comment)?.author == "Ana M.")
    }

    @Test(
        "Each missing operation has a reason",
        arguments: [RecordOperations.edit, .delete, .reply, .setGroup])
    func reasons(operation: RecordOperations) async throws {
        let rules = #"["annotations:view:all","comments:view:all","annotations:edit:self","comments:delete:self"]"#
        let claims = #","creator_name":"Ana","collaboration_permissions":\#(rules)"#
        let (client, document) = try await open(token(more: claims))
        let thread = try document.beginThread(highlight(), text: .plain("free on a root of one's own"))
        for id in [thread.root, thread.comment] {
            let record = try #require(try document.record(id))
            let problem = try document.denial(of: operation, on: id)
            #expect((problem == nil) == record.instantRecordOperations.contains(operation))
            if let problem { #expect(problem.description.hasPrefix("needs ")) }
        }
        #expect(try document.denial(of: operation, on: "elsewhere")?.reason == .noSuchAnnotation)
        let reader = document.documentDescriptor.readOnlyDocument()
        #expect(try reader.denial(of: operation, on: thread.root)?.reason == .readOnlyDocument)
        withExtendedLifetime(client) {}
    }

    /// How a thread began: at a marker or marked words created for it, or at an earlier mark.
    enum Beginning: Sendable, CaseIterable { case marker, words, earlierMark }

    @Test(arguments: Beginning.allCases) func aThreadOfTwoPeopleEndsWithItsLastComment(_ beginning: Beginning)
        async throws
    {
        let server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
        let ana = try await Person(server, try server.token("ana"))
        let bo = try await Person(server, try server.token("bo"))
        let (hers, his) = (ana.descriptor.editableDocument, bo.descriptor.editableDocument)
        let thread: (root: Record.ID, comment: Record.ID)
        switch beginning {
        case .marker:
            let marker = Content.commentMarker(onPage: 0, at: Point(x: 50, y: 50))
            thread = try hers.beginThread(marker, text: .plain("is this so?"))
        case .words: thread = try hers.beginThread(highlight(), text: .plain("is this so?"))
        case .earlierMark:
            let mark = try hers.add(highlight())
            thread = (mark, try hers.reply(to: mark, text: "is this so?"))
        }
        try await bo.see { try his.comments(of: thread.root).count == 1 }
        let answer = try his.reply(to: thread.root, text: "it is")
        try await ana.see { try hers.comments(of: thread.root).map(\.text) == ["is this so?", "it is"] }
        try hers.reword(thread.comment, text: "is that so?")
        try await bo.see { try his.record(thread.comment)?.text == "is that so?" }
        #expect(try hers.recordsRemoved(with: thread.root).map(\.id) == [thread.comment, answer])
        #expect(try hers.recordsRemoved(with: answer).isEmpty)
        try hers.remove(thread.comment)
        let stays = beginning == .earlierMark
        #expect(try hers.recordsRemoved(with: answer).map(\.id) == (stays ? [] : [thread.root]))
        try hers.remove(answer)
        // At once, here and on the other side.
        #expect(try (hers.record(thread.root) == nil) == !stays)
        try await bo.see { try his.comments(of: thread.root).isEmpty }
        try await bo.see { try (his.record(thread.root) == nil) == !stays }
        #expect(try his.annotationCount == (stays ? 1 : 0))
        try await server.stop()
    }

    /// Users can delete their own annotations, even with hidden comments by others.
    @Test func whatIsNotSeenOutlivesItsAnnotation() async throws {
        let server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
        let rules = """
            ["annotations:view:all","annotations:delete:self","comments:view:self","comments:reply:all"]
            """
        let ana = try await Person(server, try server.token("ana", more: #","collaboration_permissions":\#(rules)"#))
        let bo = try await Person(server, try server.token("bo"))
        let (hers, his) = (ana.descriptor.editableDocument, bo.descriptor.editableDocument)
        let root = try hers.add(highlight())
        try await bo.see { try his.record(root) != nil }
        let comment = try his.reply(to: root, text: "between us")
        try await bo.see { try bo.descriptor.unsentEdits().isEmpty }
        #expect(try hers.recordsRemoved(with: root).isEmpty)
        try hers.remove(root)
        try await bo.see { try his.record(root) == nil }
        try await ana.see { try ana.descriptor.unsentEdits().isEmpty }
        #expect(try ana.descriptor.conflicts().isEmpty)
        #expect(try his.commentsWithoutRoot().map(\.id) == [comment])
        #expect(try his.comments(of: root).map(\.text) == ["between us"])
        #expect(try (his.annotationCount, his.annotations(in: 0..<9).count) == (0, 0))
        #expect(try his.annotations(onPage: 0).isEmpty)
        #expect(throws: InstantError.self) { try his.reply(to: root, text: "too late") }
        try his.remove(comment)
        #expect(try his.commentsWithoutRoot().isEmpty)
        try await server.stop()
    }
}
