import Crypto
public import FoundationEssentials
import Glibc
import InstantCore

/// One item in a data folder, read completely.
public struct InstantStorageFinding: Hashable, Sendable {
    /// A layer's database or a PDF.
    public var path: String
    /// nil for a PDF, and for a layer that cannot be opened.
    public var entry: InstantCacheEntry?
    public var bytes: Int64
    /// What is wrong with it, as a sentence; nil if nothing is.
    public var problem: String?
}

extension InstantClient {
    /// Reads every layer and every PDF in a data folder completely and reports which are damaged. Changes nothing, and
    /// takes as long as reading everything does.
    public static func checkStorage(in dataDirectory: URL) throws(InstantError) -> [InstantStorageFinding] {
        let folders = try Folders(root: dataDirectory.path(percentEncoded: false).trimmedSlashes)
        let layers = InstantCacheEntry.all(in: folders).map { entry in
            let path = Folders.database(in: entry.folder)
            return InstantStorageFinding(
                path: path, entry: entry.problem == nil ? entry : nil, bytes: entry.layerBytes,
                problem: entry.problem ?? damage(inLayer: path))
        }
        let pdfs = Folders.entries(folders.pdfs).filter { $0.hasSuffix(".pdf") }.map { name in
            let path = folders.pdfs + "/" + name
            return InstantStorageFinding(
                path: path, entry: nil, bytes: Folders.size(path),
                problem: damage(inPDF: path, sha256: String(name.dropLast(4))))
        }
        return layers + pdfs
    }

    private static func damage(inLayer path: String) -> String? {
        do {
            let store = try LocalSQLiteStore(path: path)
            defer { store.close() }
            return try store.damage()
        } catch { return InstantError(error).message }
    }

    private static func damage(inPDF path: String, sha256: String) -> String? {
        guard let found = fileSHA256(path) else { return "cannot be read: \(errnoText())" }
        return found == sha256 ? nil : "damaged; remove it to download it again"
    }

    /// Returns the hash in lower-case hex; nil if the file cannot be read to its end.
    private static func fileSHA256(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return hash.finalize().hexadecimal }
            hash.update(data: buffer[..<count])
        }
    }
}
