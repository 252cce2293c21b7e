import Crypto
import Glibc
import SystemPackage

/// A file of records, one for each page of a PDF, in any order. Records are only appended, each in one write, so that
/// several processes can use the file at a time.
///
/// ```
/// key                       32 bytes: what the records depend on; a file with another key is replaced
/// page, length, checksum    4, 4 and 8 bytes, little-endian; the first bytes of the SHA-256 of the rest of the record
/// payload                   `length` bytes
/// ```
///
/// Used by one thread at a time. Nothing throws: a record that cannot be read or written is missing.
final class PageTextFile {
    private let descriptor: Int32
    private let path: String
    /// The payload of each page; the last one counts.
    private var places: [Int: Range<Int64>] = [:]
    private var end: Int64

    private static let head = 16
    /// Limits of one payload and of the file, in bytes.
    private static let maxPayload = 64 << 20
    private static let maxBytes: Int64 = 512 << 20
    private static let maxPage = 1_000_000

    /// Opens or creates the file, for this user only.
    ///
    /// - Parameter key: 32 bytes.
    /// - Returns: nil if that is impossible, or if the file can be written by other users.
    init?(path: String, key: [UInt8]) {
        guard let opened = Self.open(path, key) ?? Self.create(path, key) else { return nil }
        (descriptor, end) = opened
        self.path = path
        // The files used last are kept longest.
        futimens(descriptor, nil)
        scan()
    }

    deinit { close(descriptor) }

    private static func open(_ path: String, _ key: [UInt8]) -> (Int32, Int64)? {
        let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var info = stat()
        if fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(),
            info.st_mode & 0o022 == 0, read(descriptor, 0..<Int64(key.count)) == key
        {
            return (descriptor, Int64(info.st_size))
        }
        close(descriptor)
        return nil
    }

    private static func create(_ path: String, _ key: [UInt8]) -> (Int32, Int64)? {
        // Another process may still use the file that is replaced; it keeps what it opened.
        let new = path + ".\(getpid()).new"
        unlink(new)
        let descriptor = Glibc.open(new, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        if write(descriptor, key, key.count) == key.count, rename(new, path) == 0 {
            return (descriptor, Int64(key.count))
        }
        close(descriptor)
        unlink(new)
        return nil
    }

    /// Finds the records. What follows a damaged length is missing.
    private func scan() {
        var place = Int64(32)
        while place < end {
            guard let head = Self.read(descriptor, place..<place + Int64(Self.head)) else { return spoil() }
            let (page, length) = (Int(Self.number(head[0..<4])), Int64(Self.number(head[4..<8])))
            let start = place + Int64(Self.head)
            guard page < Self.maxPage, length <= Self.maxPayload, start + length <= end else { return spoil() }
            places[page] = start..<start + length
            place = start + length
        }
    }

    /// The next opening makes a new file.
    private func spoil() { unlink(path) }

    /// Returns the payload of a page; nil if it is missing or damaged.
    func payload(of page: Int) -> [UInt8]? {
        guard let place = places[page],
            let record = Self.read(descriptor, place.lowerBound - Int64(Self.head)..<place.upperBound),
            Self.isIntact(record[...])
        else {
            places[page] = nil
            return nil
        }
        return Array(record.dropFirst(Self.head))
    }

    /// Calls `body` for every intact page, in no particular order.
    func forEachPayload(_ body: (Int, ArraySlice<UInt8>) -> Void) {
        guard let bytes = Self.read(descriptor, 0..<end) else { return }
        for (page, place) in places {
            let record = bytes[Int(place.lowerBound) - Self.head..<Int(place.upperBound)]
            if Self.isIntact(record) { body(page, record.dropFirst(Self.head)) } else { places[page] = nil }
        }
    }

    func has(_ page: Int) -> Bool { places[page] != nil }

    /// Stores a page that is not stored yet.
    func add(_ payload: [UInt8], of page: Int) {
        guard !has(page), (0..<Self.maxPage).contains(page), payload.count <= Self.maxPayload,
            end + Int64(payload.count) < Self.maxBytes
        else { return }
        let head = Self.bytes(UInt32(page)) + Self.bytes(UInt32(payload.count))
        let record = head + Self.checksum(head + payload) + payload
        guard write(descriptor, record, record.count) == record.count else { return spoil() }
        // Other processes append too, so the place is where this write ended.
        end = Int64(lseek(descriptor, 0, SEEK_CUR))
        places[page] = end - Int64(payload.count)..<end
    }

    private static func isIntact(_ record: ArraySlice<UInt8>) -> Bool {
        let start = record.startIndex
        var hash = SHA256()
        record.withUnsafeBytes { bytes in
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[..<8]))
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[head...]))
        }
        return hash.finalize().prefix(8).elementsEqual(record[start + 8..<start + head])
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(8)) }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns nil unless the file has all these bytes.
    private static func read(_ descriptor: Int32, _ range: Range<Int64>) -> [UInt8]? {
        guard let count = Int(exactly: range.upperBound - range.lowerBound), count <= maxBytes else { return nil }
        let file = FileDescriptor(rawValue: descriptor)
        let bytes = try? [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
                let length = try file.read(fromAbsoluteOffset: range.lowerBound + Int64(done), into: rest)
                guard length > 0 else { break }
                done += length
            }
        }
        return bytes?.count == count ? bytes : nil
    }
}
