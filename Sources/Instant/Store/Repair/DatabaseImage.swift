import Glibc
import SQLite

/// The pages of an SQLite file and its write-ahead log, read without SQLite, which refuses a file for one damaged page.
/// Nothing else may have the file open.
///
/// The format is described at sqlite.org/fileformat2.html. The pages have 4,096 bytes, as in every file that this program
/// has written.
final class DatabaseImage {
    static let pageSize = 4096
    private let descriptor: Int32
    private let log: [UInt8]
    private let logged: [Int: Int]
    let pageCount: Int

    /// - Throws: ``InstantError`` if the file cannot be opened.
    init(path: String) throws(InstantError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            throw InstantError(.couldNotReadFromDiskCache, "cannot read \(path): \(errnoText())")
        }
        self.descriptor = descriptor
        let log = Self.contents(path + "-wal")
        let found = WriteAheadLogContents(log: log, index: [])
        self.log = log
        logged = found.pages
        let size = Int(Folders.size(path))
        pageCount = max(found.pageCount ?? 0, (size + Self.pageSize - 1) / Self.pageSize)
    }

    deinit { close(descriptor) }

    /// Returns the newest committed version of a page; nil if there is none or the disk cannot read it.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        if let place = logged[number] {
            guard place + Self.pageSize <= log.count else { return nil }
            return Array(log[place..<place + Self.pageSize])
        }
        var page = [UInt8](repeating: 0, count: Self.pageSize)
        let count = page.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, off_t((number - 1) * Self.pageSize))
        }
        return count == Self.pageSize ? page : nil
    }

    /// The numbers of unused pages; nil if their list is damaged.
    lazy var freePages: Set<Int>? = {
        guard let first = page(1) else { return nil }
        let count = Self.number(first, 36)
        var trunk = Self.number(first, 32)
        var free: Set<Int> = []
        while trunk != 0 {
            guard free.count < count, free.insert(trunk).inserted, let page = page(trunk) else { return nil }
            let leaves = Self.number(page, 4)
            guard leaves <= Self.pageSize / 4 - 2 else { return nil }
            for leaf in 0..<leaves {
                let number = Self.number(page, 8 + 4 * leaf)
                guard number >= 1, number <= pageCount, free.insert(number).inserted else { return nil }
            }
            trunk = Self.number(page, 0)
        }
        return free.count == count ? free : nil
    }()

    static func number(_ page: [UInt8], _ place: Int) -> Int {
        page[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the bytes of a file as far as they can be read; empty if there are none.
    static func contents(_ path: String, limit: Int = .max) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(Folders.size(path))))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { break }
            count += read
        }
        return Array(bytes.prefix(count))
    }
}
