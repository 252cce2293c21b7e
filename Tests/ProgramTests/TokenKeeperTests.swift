import Foundation
import InstantCore
import Testing

@testable import postilla

/// Where `--remember` stores a token, with and without a working secret store.
@Suite struct TokenKeeperTests {
    private let home: Folder
    private let layer = LayerIdentity(server: "https://a.example", documentID: "../doc", layer: "", userID: "ana")
    private let token = "header.payload.signature"

    init() throws { home = try Folder() }

    /// - Parameter tool: A substitute for libsecret's tool; nil for none.
    private func keeper(_ tool: String? = nil) throws -> TokenKeeper {
        var store = SecretStore(searchPath: home.path)
        store.timeout = .seconds(300)
        if let tool {
            let path = try home.write("secret-tool", "#!/bin/sh\n" + tool)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        return TokenKeeper(folder: home.path + "/tokens", store: store)
    }

    /// Stores its input in a file named after the key, and logs its arguments.
    private var workingTool: String {
        """
        echo "$@" >>'\(home.path)/calls'
        file='\(home.path)/secret'
        case "$1" in
        store) cat >"$file" ;;
        lookup) cat "$file" ;;
        clear) rm -f "$file" ;;
        esac
        """
    }

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: home.path + "/tokens")) ?? []
    }

    @Test func aStoreThatAnswersKeepsIt() async throws {
        let keeper = try keeper(workingTool)
        try await keeper.keep(token, of: layer)
        #expect(await keeper.token(of: layer) == token)
        #expect(files() == [])
        await keeper.forget(layer)
        #expect(await keeper.token(of: layer) == nil)
        let calls = try String(contentsOfFile: home.path + "/calls", encoding: .utf8)
        #expect(calls.contains("store --label=Postilla token service postilla layer \(layer.fileName)"))
        // Every user of the machine can see arguments.
        for text in [token, "../doc", "ana", "a.example"] { #expect(!calls.contains(text)) }
    }

    @Test(arguments: [nil, "exit 1\n"]) func withoutOneAPrivateFileDoes(_ tool: String?) async throws {
        let keeper = try keeper(tool)
        try await keeper.keep(token, of: layer)
        #expect(files() == [layer.fileName + ".jwt"])
        let path = "\(home.path)/tokens/\(files()[0])"
        let mode = { try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int }
        #expect(try mode(path) == 0o600)
        #expect(try mode(home.path + "/tokens") == 0o700)
        #expect(await keeper.token(of: layer) == token)
        await keeper.forget(layer)
        #expect(files() == [])
        #expect(await keeper.token(of: layer) == nil)
    }

    @Test func aStoreThatAnswersLaterTakesTheFileAway() async throws {
        try await keeper("exit 1\n").keep(token, of: layer)
        #expect(files().count == 1)
        try await keeper(workingTool).keep(token, of: layer)
        #expect(files() == [])
    }

    @Test func aStoreThatNeverAnswersIsNotWaitedForForEver() async throws {
        var keeper = try keeper("exec sleep 600\n")
        keeper.store.timeout = .milliseconds(50)
        try await keeper.keep(token, of: layer)
        #expect(files().count == 1)
    }

    @Test func eachLayerAndUserHasItsOwn() async throws {
        let keeper = try keeper()
        var others: [LayerIdentity] = [layer, layer, layer, layer]
        others[0].userID = nil
        others[1].layer = "ana"
        others[2].documentID = "../docana"
        others[3].server = "https://b.example"
        try await keeper.keep(token, of: layer)
        for other in others { #expect(await keeper.token(of: other) == nil) }
        #expect(Set((others + [layer]).map(\.fileName)).count == 5)
    }

    @Test func aFolderThatCannotBeMadeIsSaid() async throws {
        var keeper = try keeper()
        keeper = TokenKeeper(folder: "/proc/none/tokens", store: keeper.store)
        await #expect(throws: CommandFailure.self) { try await keeper.keep(token, of: layer) }
    }
}
