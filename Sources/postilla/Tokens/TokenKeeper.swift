import FoundationEssentials
import InstantCore

/// Stores tokens between runs if requested (`--remember`): in the machine's secret store when it answers, else in a
/// file that only this user can read. One token for each layer and user.
///
/// A token is stored once the server has accepted it, and removed when the server rejects it or the user asks for it; a
/// lost connection changes nothing.
struct TokenKeeper: Sendable {
    /// Created with the first token.
    let folder: String
    var store = SecretStore()

    func token(of layer: LayerIdentity) async -> String? {
        let key = layer.fileName
        let kept = await store.secret(as: key) ?? (try? PrivateFile.read(path(key)).trimmed)
        return kept.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: ``CommandFailure`` when neither place can store it.
    func keep(_ token: String, of layer: LayerIdentity) async throws {
        let key = layer.fileName
        if await store.keep(token, as: key) {
            // Remove a token stored earlier, when the secret store did not answer.
            try? FileManager.default.removeItem(atPath: path(key))
        } else {
            try Folders.make(folder)
            try PrivateFile.write(token + "\n", to: path(key))
        }
    }

    func forget(_ layer: LayerIdentity) async {
        let key = layer.fileName
        try? FileManager.default.removeItem(atPath: path(key))
        await store.forget(key)
    }

    private func path(_ key: String) -> String { "\(folder)/\(key).jwt" }
}

extension TokenKeeper {
    init(_ folders: Folders) { self.init(folder: folders.state + "/tokens") }
}
