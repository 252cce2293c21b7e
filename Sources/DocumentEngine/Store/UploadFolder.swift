import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where files arrive.
struct UploadFolder: Sendable {
    let path: String

    /// - Throws: ``StoreError`` when the folder cannot be used.
    init(_ path: String) throws {
        self.path = path
        try PrivateFiles.make(folder: path)
        // What an upload left behind when the program was killed.
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("upload-") {
            unlink("\(path)/\(name)")
        }
    }

    func receive() throws -> Upload { try Upload(folder: path) }
}
