/// The write-ahead log of a database, read from its bytes: the committed pages in it, and whether commits that it had are
/// gone. When SQLite opens a database, it silently ends the log at the first frame that is not valid.
///
/// The format is described at sqlite.org/walformat.html.
package struct WriteAheadLogContents {
    /// Where in the log the newest committed version of a page begins.
    package private(set) var pages: [Int: Int] = [:]
    /// The number of pages of the database after the last commit; nil if the log has none.
    package private(set) var pageCount: Int?
    /// The number of commits that were made and that SQLite will not read.
    package private(set) var lostCommits = 0

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// - Parameters:
    ///   - log: The file `-wal`; empty if there is none.
    ///   - index: The beginning of the file `-shm` as the last process left it, before SQLite opens the database again;
    ///     empty if there is none.
    package init(log: [UInt8], index: [UInt8]) {
        let index = WriteAheadIndex(index)
        let header = Header(log)
        let frameSize = Self.frameHeaderSize + (header?.pageSize ?? 4096)
        let there = max(0, log.count - Self.headerSize) / frameSize
        var (valid, committed) = (0, 0)
        if let header { (valid, committed) = readCommits(log, header, there: there, frameSize) }
        // Another log's index says nothing about this one.
        if let index, header == nil || index.salt == header?.salt {
            // What is in the database already is not lost with the log.
            guard index.frames > committed, !log.isEmpty || index.frames > index.copied else { return }
            lostCommits = max(
                1, Self.commits(log, committed..<max(committed, min(index.frames, there)), header, frameSize))
        } else if let header {
            // A kill can cut off the last frame, which then belongs to no commit that was reported.
            let last = (valid..<there).last { Self.salt(log, 40 + $0 * frameSize) == header.salt } ?? valid
            if last > valid { lostCommits = Self.commits(log, committed..<last + 1, header, frameSize) }
        }
    }

    private static func salt(_ log: [UInt8], _ place: Int) -> UInt64 { log.withUnsafeBytes { salt($0, place) } }

    /// - Returns: the number of frames up to the first one that is not valid, and up to the last commit.
    private mutating func readCommits(
        _ log: [UInt8], _ header: Header, there: Int, _ frameSize: Int
    ) -> (valid: Int, committed: Int) {
        var sum = header.sum
        var (valid, committed) = (0, 0)
        var new: [Int: Int] = [:]
        log.withUnsafeBytes { bytes in
            for frame in 0..<there {
                let start = Self.headerSize + frame * frameSize
                guard Self.salt(bytes, start + 8) == header.salt else { return }
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 8]))
                let page = start + Self.frameHeaderSize
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[page..<page + header.pageSize]))
                guard sum.one == Self.big(bytes, start + 16), sum.two == Self.big(bytes, start + 20) else { return }
                valid = frame + 1
                new[Int(Self.big(bytes, start))] = page
                let count = Self.big(bytes, start + 4)
                guard count > 0 else { continue }
                pages.merge(new) { $1 }
                new = [:]
                pageCount = Int(count)
                committed = frame + 1
            }
        }
        return (valid, committed)
    }

    /// Counts the frames that end a commit of this log, valid or not.
    private static func commits(_ log: [UInt8], _ frames: Range<Int>, _ header: Header?, _ frameSize: Int) -> Int {
        log.withUnsafeBytes { bytes in
            frames.count { frame in
                let start = headerSize + frame * frameSize
                return big(bytes, start + 4) > 0 && (header.map { salt(bytes, start + 8) == $0.salt } ?? true)
            }
        }
    }

    fileprivate static func big(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    fileprivate static func salt(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }

    /// The header of a log; nil if it is not valid.
    private struct Header {
        var pageSize = 0
        var salt: UInt64 = 0
        var sum: Sum

        init?(_ log: [UInt8]) {
            guard log.count >= headerSize else { return nil }
            let (magic, pageSize, salt, sums) = log.withUnsafeBytes { bytes in
                (big(bytes, 0), big(bytes, 8), WriteAheadLogContents.salt(bytes, 16), (big(bytes, 24), big(bytes, 28)))
            }
            guard magic & ~1 == 0x377F_0682, pageSize >= 512, pageSize <= 65536 else { return nil }
            sum = Sum(isBigEndian: magic & 1 == 1)
            log.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
            guard sum.one == sums.0, sum.two == sums.1 else { return nil }
            (self.pageSize, self.salt) = (Int(pageSize), salt)
        }
    }

    /// SQLite's running checksum.
    fileprivate struct Sum {
        let isBigEndian: Bool
        var one: UInt32 = 0
        var two: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// - Parameter bytes: a multiple of 8.
        mutating func add(_ bytes: UnsafeRawBufferPointer) {
            for place in stride(from: 0, to: bytes.count, by: 8) {
                let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let second = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                one &+= (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ two
                two &+= (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ one
            }
        }
    }
}

/// What the file `-shm` says about the log: it outlives a killed process.
private struct WriteAheadIndex {
    /// The number of frames up to the last commit.
    let frames: Int
    /// How many of them were copied to the database.
    let copied: Int
    let salt: UInt64

    /// - Returns: nil unless both copies of the header are the same and have its checksum.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 136, bytes[..<48] == bytes[48..<96], bytes[12] == 1 else { return nil }
        func number(_ place: Int) -> UInt32 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
        }
        // In the byte order of this machine.
        var sum = WriteAheadLogContents.Sum(isBigEndian: 1.bigEndian == 1)
        bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<40])) }
        guard sum.one == number(40), sum.two == number(44) else { return nil }
        frames = Int(number(16))
        copied = Int(number(96))
        salt = bytes.withUnsafeBytes { WriteAheadLogContents.salt($0, 32) }
    }
}
