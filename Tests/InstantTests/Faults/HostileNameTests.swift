import Authorization
import Foundation
import InstantCore
import Testing

@testable import Instant

/// Others choose the names of documents, layers and users, so these never become file names.
@Suite struct HostileNameTests {
    private static let names = [
        "../../../etc/passwd", "/etc/passwd", "~", "~root", ".", "..", "a/b", "a\\b", "C:\\x", "-rf", "$(id)", "a;b",
        "doc", "DOC", "dóc", "do\u{301}c", " doc", "doc ", "a\nb", "\u{202E}cod", "☃", "%2e%2e",
        String(repeating: "x", count: 1000),
    ]

    @Test func everythingStaysBelowTheFolderAndApart() throws {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: URL(fileURLWithPath: data))
        var folders: Set<String> = []
        for name in Self.names {
            for identity in [
                LayerIdentity(server: client.address.canonical, documentID: name, layer: "", userID: "u"),
                LayerIdentity(server: client.address.canonical, documentID: "d", layer: name, userID: "u"),
                LayerIdentity(server: client.address.canonical, documentID: "d", layer: "", userID: name),
            ] {
                let descriptor = client.descriptor(identity)
                #expect(descriptor.documentState == .unknown, "\(name.debugDescription)")
                folders.insert(client.folders.layer(identity).lowercased())
            }
        }
        #expect(folders.count == Self.names.count * 3)
        #expect(folders.allSatisfy { $0.hasPrefix(data.lowercased() + "/layers/") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
        let all = FileManager.default.enumerator(atPath: data)?.compactMap { $0 as? String } ?? []
        let letters = Set("0123456789abcdef/layerspdfsqite.-whmunkoc_j")
        #expect(
            all.allSatisfy { $0.allSatisfy(letters.contains) }, "\(all.filter { !$0.allSatisfy(letters.contains) })")
        let kept = try client.listCacheEntries().count
        #expect(kept == Self.names.count * 3)
    }

    @Test(arguments: [
        token(document: "a\\u0000b"), token(document: ""), token(layer: "*"),
        token(layer: String(repeating: "x", count: 257)), token(document: String(repeating: "x", count: 9000)),
        "a", "a.b", "a.b.c.d", "a.b.c.d.e", "..", "", "\u{0}.\u{0}.\u{0}", String(repeating: "a", count: 10 << 20),
    ])
    func aTokenThatNamesNothingUsableIsRefusedOffline(_ jwt: String) throws {
        let folder = try TemporaryFolder()
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
        do throws(InstantError) {
            _ = try client.documentDescriptor(forJWT: jwt)
            Issue.record("it was accepted")
        } catch {
            #expect(error.kind == .invalidJWT)
            #expect(jwt.count < 8 || !error.message.contains(jwt))
            #expect(error.message.utf8.count < 1000)
        }
    }
}
