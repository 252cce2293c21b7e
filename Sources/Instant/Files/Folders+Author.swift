import FoundationEssentials

extension Folders {
    /// The name for new records of this installation: one line, at most 1 KB. Asked for once.
    var rememberedAuthor: String? {
        guard Self.isFile(author), let data = FileManager.default.contents(atPath: author) else { return nil }
        let name = String(decoding: data.prefix(1024), as: UTF8.self).prefix { !$0.isNewline }
        return name.isEmpty ? nil : String(name)
    }

    func rememberAuthor(_ name: String?) {
        guard let name else {
            try? FileManager.default.removeItem(atPath: author)
            return
        }
        _ = FileManager.default.createFile(
            atPath: author, contents: Data(name.utf8), attributes: [.posixPermissions: 0o600])
    }
}
