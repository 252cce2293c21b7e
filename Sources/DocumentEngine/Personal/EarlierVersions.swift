import Annotations
import Merging
import PDFPages

/// The versions of a file that were read or written before the present one, the oldest first.
///
/// Another program may have had one of them open while the file got a newer one, and then save its own copy. What the file
/// lacks then was not deleted: that program has never seen it. A copy that continues an earlier version is compared with
/// that version.
struct EarlierVersions: Hashable, Sendable {
    struct Version: Hashable, Sendable {
        var size: Int64
        /// Lower-case hex.
        var sha256: String
    }

    private(set) var versions: [Version] = []
    private static let most = 64

    mutating func add(_ facts: FileFacts) { add([Version(size: facts.size, sha256: facts.sha256)]) }

    mutating func add(_ new: [Version]) {
        versions.removeAll(where: new.contains)
        versions += new
        versions.removeFirst(max(0, versions.count - Self.most))
    }

    /// Returns the revisions of a file, which another program may have written one after the other. Blocks.
    static func revisions(of path: String) throws -> [Version] {
        try FileBeginnings.revisions(of: path).map { Version(size: $0.size, sha256: $0.sha256) }
    }

    /// Returns the longest version that a file begins with. Reads the file once. Blocks.
    ///
    /// - Throws: ``OwnFileError``
    func ancestor(of path: String) throws(OwnFileError) -> Version? {
        guard let longest = versions.map(\.size).max() else { return nil }
        let file = try OpenFile(path)
        let hashes = try file.hashes(at: Set(versions.map(\.size)), upTo: longest)
        return versions.filter { hashes[$0.size] == $0.sha256 }.max { $0.size < $1.size }
    }
}

extension EarlierVersions {
    func write(_ key: String, to json: inout JSONWriter) {
        json.key(key)
        json.array(versions) { json, version in
            json.object {
                $0.member("size", version.size)
                $0.member("sha256", version.sha256)
            }
        }
    }

    init(json: JSON?) {
        versions = (json?.array ?? []).compactMap { entry in
            guard let size = entry["size"]?.integer, let hash = entry["sha256"]?.string else { return nil }
            return Version(size: size, sha256: hash)
        }
    }
}

// MARK: - Merging a copy that continues an earlier version

extension OwnFiles {
    /// The records of the earlier version that the file at a path continues; nil if it continues none.
    ///
    /// - Parameter size: that of a version that the file continues in any case.
    func ancestor(
        of path: String, in state: OwnFileState, longerThan size: Int64? = nil
    ) async throws -> BaseAnnotations? {
        let version = try await engine.apart { try state.earlier.ancestor(of: path) }
        guard let version, version.size > size ?? -1 else { return nil }
        let tools = tools(for: version.size, isPrivate: state.isPrivate)
        return try await intake.work.perform(on: version.size) {
            try await tools.annotations(of: path, upTo: version.size)?.byOwnNames
        }
    }
}

extension FileMerge {
    /// - Parameters:
    ///   - ancestor: the records of the earlier version that the file continues, by their numbers in it.
    ///   - base: the records as the file had them last.
    init(
        ancestor: [Record], base: [Record], mine: [Record], file: [Record], state: OwnFileState, pages: [PageFrame]
    ) {
        let known = Self.together(base, mine)
        let was = Self.renumbered(
            Self.named(ancestor, like: known, sharesIDs: state.sharesIDs, pages), ancestor, known, state)
        let theirs = Self.named(file, like: Self.together(was, known), sharesIDs: state.sharesIDs, pages)
        self.init(base: was, mine: mine, theirs: theirs, present: mine, state: state)
    }

    /// Gives the records that were deleted since the ids that they had in the layer: their numbers.
    ///
    /// - Parameters:
    ///   - original: the same records as the ancestor has them.
    ///   - known: the records that were not deleted. One of them may have the number of a deleted one, which a program
    ///     may use again.
    private static func renumbered(
        _ records: [Record], _ original: [Record], _ known: [Record], _ state: OwnFileState
    ) -> [Record] {
        guard state.sharesIDs else { return records }
        let taken = Set((records + known).map { ByteOrdered($0.id) })
        let isKnown = Set(known.map { ByteOrdered($0.id) })
        var ids: [ByteOrdered: Record.ID] = [:]
        // Both have the values of form fields at their end, and otherwise one order.
        for (record, old) in zip(records, original.filter { $0.contentType != .formFields })
        where record.contentType != .formFields && !record.id.isExactly(old.id)
            && !isKnown.contains(ByteOrdered(record.id))
        {
            if state.rows[ByteOrdered(old.id)]?.mine == nil, state.rows[ByteOrdered(old.id)] != nil,
                !taken.contains(ByteOrdered(old.id))
            {
                ids[ByteOrdered(record.id)] = old.id
            }
        }
        guard !ids.isEmpty else { return records }
        return records.map { record in
            var record = record
            record.id = ids[ByteOrdered(record.id)] ?? record.id
            record.content = record.content.renamingTargets { ids[ByteOrdered($0)] ?? $0 }
            return record
        }
    }

    /// The records of both; of those in both, the first one.
    private static func together(_ one: [Record], _ other: [Record]) -> [Record] {
        let known = Set(one.map { ByteOrdered($0.id) })
        return one + other.filter { !known.contains(ByteOrdered($0.id)) }
    }
}
