/// Where files arrive.
struct UploadFolder: Sendable {
    let path: String

    /// - Throws: ``StoreError`` when the folder cannot be used.
    init(_ path: String) throws {
        self.path = path
        try PrivateFiles.make(folder: path)
        try ArrivingFile.removeLeftovers(path)
    }

    func receive() throws -> Upload { try Upload(folder: path) }
}
