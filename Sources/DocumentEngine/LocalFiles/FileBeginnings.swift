import Crypto
import FileCore
import Glibc
import PDFPages

/// The versions that a file begins with. All functions block.
enum FileBeginnings {
    private static let mostRevisions = 32

    /// Returns the revisions of a file, which another program may have written one after the other.
    static func revisions(of path: String) throws -> [FileVersion.Contents] {
        let sizes = try SharedRevision.all(of: path, atMost: mostRevisions).map(\.length)
        let hashes = try OpenFile(path).hashes(at: Set(sizes), upTo: sizes.max() ?? 0)
        return hashes.map { FileVersion.Contents(size: $0.key, sha256: $0.value) }.sorted { $0.size < $1.size }
    }

    /// Returns those of the versions that a file begins with, the longest first. Reads the file once.
    static func found(
        in path: String, of versions: [FileVersion.Contents]
    ) throws(OwnFileError) -> [FileVersion.Contents] {
        guard let longest = versions.map(\.size).max() else { return [] }
        let hashes = try OpenFile(path).hashes(at: Set(versions.map(\.size)), upTo: longest)
        return versions.filter { hashes[$0.size]?.isExactly($0.sha256) ?? false }.sorted { $0.size > $1.size }
    }
}

extension OpenFile {
    /// Returns the hashes of the file's beginnings of these sizes, as far as it is as long.
    func hashes(at sizes: Set<Int64>, upTo limit: Int64) throws(OwnFileError) -> [Int64: String] {
        var (hash, place, found): (SHA256, Int64, [Int64: String]) = (SHA256(), 0, [:])
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        for size in sizes.sorted() where size <= limit {
            while place < size {
                let count = pread(descriptor, &buffer, Int(min(Int64(buffer.count), size - place)), off_t(place))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .failed(errno) }
                guard count > 0 else { return found }
                hash.update(data: buffer[..<count])
                place += Int64(count)
            }
            let copy = hash
            found[size] = copy.finalize().hexadecimal
        }
        return found
    }
}
