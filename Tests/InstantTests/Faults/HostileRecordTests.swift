import Annotations
import Foundation
import InstantCore
import Testing

@testable import Instant

/// Records from the server that cannot be drawn are shown as far as possible and stored unchanged.
@Suite(.timeLimit(.minutes(15))) struct HostileRecordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The layer after a first sync in which the server sent only these records.
    private func layer(_ id: String, _ content: String) async throws -> (
        InstantClient, InstantDocumentDescriptor, InstantError?
    ) { try await layer([(id, content)]) }

    private func layer(_ records: [(id: String, content: String)]) async throws -> (
        InstantClient, InstantDocumentDescriptor, InstantError?
    ) {
        let items = records.map { id, content in
            #"{"id":\#(id),"content":\#(content),"createdBy":null,"updatedBy":null,"group":null,"revision":1}"#
        }.joined(separator: ",")
        let page = #"{"epoch":"e","at":1,"records":[\#(items)],"next":null,"changes":[],"upTo":1,"more":false}"#
        let server = try plainServer { $0.path.hasSuffix("/records") ? .json(Array(page.utf8)) : nil }
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token())
        let error = try await wait(in: events) { event -> InstantError?? in
            switch event {
            case .didFinishSync: .some(nil)
            case .didFailSync(let error): .some(error)
            default: nil
            }
        }
        return withExtendedLifetime(server) { (client, descriptor, error) }
    }

    private static let note = #""v":1,"type":"pspdfkit/note","bbox":[1,2,3,4]"#

    @Test(arguments: [
        #"{\#(note),"pageIndex":1000000000,"text":"far"}"#, #"{\#(note),"pageIndex":-1,"text":"before"}"#,
        #"{\#(note),"pageIndex":1e999,"text":"endless"}"#, #"{\#(note),"pageIndex":0,"bbox2":[1e999,-1e999]}"#,
        #"{"v":1,"type":"pspdfkit/of-tomorrow","pageIndex":0,"bbox":[1,2,3,4],"new":{"deep":[1,2,{"x":null}]}}"#,
        #"{"v":1,"pageIndex":"zero","bbox":"none","type":7,"text":["not","a","text"]}"#, "{}",
        #"{\#(note),"pageIndex":0,"text":"\u001b]0;title\u0007\u202e","createdAt":"9999-99-99T99:99:99Z"}"#,
        #"{\#(note),"pageIndex":0,"createdAt":"0000-00-00","updatedAt":-5,"text":"out of range"}"#,
        #"{"v":1,"type":"pspdfkit/comment","rootId":"r","pageIndex":0,"text":"under itself"}"#,
    ])
    func isKeptAsItCame(_ content: String) async throws {
        let (client, descriptor, error) = try await layer(#""r""#, content)
        #expect(error == nil)
        #expect(try descriptor.layer.record("r")?.content.text == content)
        _ = try descriptor.layer.rows(ListQuery(), offset: 0, limit: 10)
        _ = try descriptor.layer.rows(onPage: 0)
        withExtendedLifetime(client) {}
    }

    @Test func asManyPointsAsFitAndALongTextAreKept() async throws {
        let points = "[" + Array(repeating: "[1,2]", count: 150_000).joined(separator: ",") + "]"
        let text = String(repeating: "words ", count: 11_000)
        let content =
            #"{"v":1,"type":"pspdfkit/ink","pageIndex":0,"bbox":[0,0,9,9],"lines":{"points":[\#(points)]},"note":"\#(text)"}"#
        let (client, descriptor, error) = try await layer(#""r""#, content)
        #expect(error == nil)
        #expect(try descriptor.layer.record("r")?.content.text == content)
        #expect(try descriptor.layer.rows(onPage: 0).count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func aThreadOfTenThousandIsShown() async throws {
        let comments = (0..<10_000).map { number in
            (
                #""c\#(number)""#,
                #"{"v":1,"type":"pspdfkit/comment","rootId":"r","pageIndex":0,"bbox":[1,2,3,4],"text":"\#(number)"}"#
            )
        }
        let root = (#""r""#, #"{"v":1,"type":"pspdfkit/comment-marker","pageIndex":0,"bbox":[1,2,3,4]}"#)
        let (client, descriptor, error) = try await layer([root] + comments)
        #expect(error == nil)
        #expect(try descriptor.layer.thread(under: "r").count == 10_000)
        #expect(try descriptor.layer.rows(ListQuery(), offset: 0, limit: 9).map(\.id) == ["r"])
        withExtendedLifetime(client) {}
    }

    /// A server may have had larger limits: its records are shown, and only writing them again is refused. The response
    /// size is still bounded.
    @Test func aRecordIsAsLargeAsAnAnswerMayBe() async throws {
        let (client, descriptor, error) = try await layer(
            #""r""#, #"{\#(Self.note),"pageIndex":0,"text":"\#(String(repeating: "x", count: 2 << 20))"}"#)
        #expect(error == nil)
        #expect(try descriptor.layer.rows(onPage: 0).map(\.id) == ["r"])
        let content = try #require(try descriptor.layer.record("r")?.content)
        #expect(throws: EditError.self) { try descriptor.update("r", content: content) }
        withExtendedLifetime(client) {}
    }

    @Test func anAnswerWithoutAnEndIsRefused() async throws {
        let (client, descriptor, error) = try await layer(
            #""r""#, #"{"text":"\#(String(repeating: "x", count: 16 << 20))"}"#)
        #expect(error?.kind == .invalidServerData)
        #expect(error?.message.contains("larger than 16 MB") == true)
        #expect(try descriptor.layer.count(ListQuery()) == 0)
        withExtendedLifetime(client) {}
    }

    /// Invalid JSON, an invalid id or a record over the limits is refused as a whole, and nothing of it is stored.
    @Test(arguments: [
        (#""r""#, #"{"v":1,"v":2}"#), (#""r""#, #"{"text":"\ud800"}"#), (#""r""#, "[]"), (#""r""#, "7"),
        (#""r""#, #"{"a":NaN}"#), (#""r""#, String(repeating: #"{"a":"#, count: 10_000)),
        (#""""#, "{}"), (#""a b""#, "{}"), (#""\#(String(repeating: "x", count: 1000))""#, "{}"), ("7", "{}"),
    ])
    func isRefused(_ id: String, _ content: String) async throws {
        let (client, descriptor, error) = try await layer(id, content)
        #expect(error?.kind == .invalidServerData)
        #expect(try descriptor.layer.count(ListQuery()) == 0)
        withExtendedLifetime(client) {}
    }

    /// Ids are data, never paths.
    @Test(arguments: ["../../etc/passwd", "/etc/passwd", "~", "..", "a/b", "-rf", "'; DROP TABLE record; --", "%00"])
    func anIDIsOnlyAnID(_ id: String) async throws {
        let (client, descriptor, error) = try await layer(
            #""\#(id)""#, #"{\#(Self.note),"pageIndex":0,"text":"here"}"#)
        // The protocol does not allow spaces in ids.
        guard !id.contains(" ") else {
            #expect(error?.kind == .invalidServerData)
            return
        }
        #expect(error == nil)
        #expect(try descriptor.layer.row(id)?.text == "here")
        withExtendedLifetime(client) {}
    }
}
