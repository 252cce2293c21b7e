package import Annotations
import Glibc
import SystemPackage

/// What became of a copy with the annotations of a layer.
package struct AnnotatingResult: Hashable, Sendable {
    /// The records that the copy does not hold as they are in the layer, in the order of their ids.
    package var unwritten: [Unwritten] = []
    /// Whether the copy has a signature that forbids its changes, or that is broken.
    package var breaksSignature = false
}

/// A record that was not written. An annotation of the file stays as the file has it, and a new one is missing.
package struct Unwritten: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// Read again, the written file would not hold it as it is.
        case differs
        /// Only a part of it was read, for this reason, so that the rest would be lost.
        case readInPart(String)
        /// Only a part of it could be written, for this reason.
        case tooLong(String)
    }

    package var id: Record.ID
    package var reason: Reason

    package init(id: Record.ID, reason: Reason) { (self.id, self.reason) = (id, reason) }

    /// Why, without text from the file: the end of a sentence about the annotation.
    package var why: String {
        switch reason {
        case .differs: "it would read differently in the file"
        case .readInPart(let limit): "only a part of it can be read: \(limit)"
        case .tooLong(let limit): "only a part of it could be written: \(limit)"
        }
    }
}

extension PDFTools {
    /// Writes a copy of a file with the annotations of a layer instead of its own, and reads it again to check it.
    ///
    /// The changes are appended to the file, whose bytes all stay, so signatures stay valid. qpdf rewrites an encrypted
    /// or damaged file instead, which a signature does not survive.
    ///
    /// - Parameters:
    ///   - target: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for intermediate data.
    ///   - page: if the file is one page taken out of another file, its index there. The result is not read again.
    ///   - keepsSignatures: whether changes that a signature forbids are an error.
    ///   - add: adds the records. Called again, from the start, if some of them cannot be written.
    /// - Returns: which records the copy does not hold as they are, and what became of a signature.
    /// - Throws: ``PDFError``, and the errors of `add`.
    @discardableResult
    package func annotate(
        _ source: String, into target: String, notes: String, page: Int? = nil, keepsSignatures: Bool = true,
        _ add: (inout AnnotatedPDF) async throws -> Void
    ) async throws -> AnnotatingResult {
        var refused: [ByteOrdered: Unwritten.Reason] = [:]
        while true {
            do {
                return try await annotate(
                    source, into: target, notes: notes, page: page, keepsSignatures: keepsSignatures,
                    without: refused, add)
            } catch PDFError.notWritten(let ids) {
                // One record that cannot be written must not hold up the others.
                let new = ids.map(ByteOrdered.init).filter { refused[$0] == nil }
                guard !new.isEmpty else { throw PDFError.notWritten(ids) }
                for id in new { refused[id] = .differs }
            }
        }
    }

    /// - Parameter refused: records that are not written, with the reason.
    private func annotate(
        _ source: String, into target: String, notes: String, page: Int?, keepsSignatures: Bool,
        without refused: [ByteOrdered: Unwritten.Reason], _ add: (inout AnnotatedPDF) async throws -> Void
    ) async throws -> AnnotatingResult {
        let original = try await original(at: source)
        let appended = try original.tail.flatMap { try AppendedUpdate($0, of: original.dump, at: notes) }
        let update: any ObjectUpdate = try appended ?? PDFUpdate(of: original.dump, at: notes)
        var annotated = try AnnotatedPDF(original.dump, original.tree, update: update, page: page, without: refused)
        try await add(&annotated)
        let readBack = try annotated.finish()
        var result = AnnotatingResult(unwritten: annotated.unwritten)
        let signatures = Signatures(original.dump)
        if update.isEmpty, appended != nil || signatures.isSigned {
            try await copy(source, to: target)
            return result
        }
        guard signatures.allowAnnotations || !keepsSignatures else { throw PDFError.certified }
        if appended != nil {
            try await copy(source, to: target)
            try Self.append(notes, to: target)
        } else {
            guard !signatures.isSigned || !keepsSignatures else { throw PDFError.signed }
            try await apply(notes, to: original.dump.rebuilt?.path ?? source, into: target)
        }
        if page == nil, let readBack { try await check(target, readBack, isAppended: appended != nil) }
        result.breaksSignature = !signatures.allowAnnotations || (signatures.isSigned && appended == nil)
        return result
    }

    /// A file to annotate.
    private struct Original {
        var dump: ObjectDump
        var tree: PageTree
        /// nil if the file cannot be continued: it is encrypted or damaged.
        var tail: PDFTail?
    }

    private func original(at path: String) async throws -> Original {
        let intact = try await dump(ofIntact: path)
        let dump = if let intact { intact } else { try await dump(of: path) }
        let tree = PageTree(dump, limit: limits.pages)
        try dump.checkTime()
        guard !tree.pages.isEmpty else { throw PDFError.damaged }
        guard intact != nil, dump.trailer.dictionary?["Encrypt"] == nil, tree.pages.allSatisfy({ $0.id != nil }) else {
            return Original(dump: dump, tree: tree)
        }
        return Original(dump: dump, tree: tree, tail: try PDFTail.reading(Self.argument(for: path)))
    }

    private func check(_ target: String, _ readBack: ReadBack, isAppended: Bool) async throws {
        let written = isAppended ? try await dump(ofIntact: target) : try await dump(of: target)
        guard let written else { throw PDFError.damaged }
        var walk = AnnotationWalk(tree: PageTree(written, limit: limits.pages), file: written)
        try walk.walk()
        try written.checkTime()
        if walk.isComplete { try readBack.check(walk.found.records) }
    }

    private func copy(_ source: String, to target: String) async throws {
        let path = try Self.argument(for: source)
        let room = try Self.length(of: path) + Int64(1 << 20)
        let outcome = try await run(
            .cp, ["--reflink=auto", "--", path, Self.argument(for: target)], writing: room, into: CollectedOutput())
        guard outcome.exitCode == 0 else {
            try Self.checkRoom(for: try Self.length(of: path), in: target)
            throw PDFError.cannotWrite(EIO)
        }
    }

    private static func append(_ notes: String, to target: String) throws {
        let from = try FileDescriptor.open(FilePath(argument(for: notes)), .readOnly, options: .noFollow)
        defer { try? from.close() }
        let to = try FileDescriptor.open(FilePath(argument(for: target)), .writeOnly, options: [.append, .noFollow])
        defer { try? to.close() }
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while case let count = try piece.withUnsafeMutableBytes({ try from.read(into: $0) }), count > 0 {
            try to.writeResult(piece[..<count])
        }
    }

    /// Writes a copy of a file without annotations, except links and empty form fields. The copy contains no earlier
    /// revision and no unreferenced object of the file; equal files give equal copies.
    ///
    /// - Parameters:
    ///   - target: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for the update that qpdf applies at the end.
    package func strip(_ source: String, into target: String, notes: String) async throws {
        try await strip(source, try await dump(of: source), into: target, notes: notes)
    }

    func strip(_ source: String, _ dump: ObjectDump, into target: String, notes: String) async throws {
        let update = try PDFUpdate(of: dump, at: notes)
        var stripped = StrippedPDF(dump, pages: limits.pages)
        try stripped.write(to: update)
        try update.end()
        // The id in the file's trailer depends on its content only. An encrypted file cannot have such an id.
        try await apply(
            notes, to: dump.rebuilt?.path ?? source, into: target, ["--decrypt", "--deterministic-id"])
    }

    private func apply(
        _ notes: String, to source: String, into target: String, _ options: [String] = []
    ) async throws {
        let path = try Self.argument(for: source)
        let room = try Self.length(of: path) * 2 + Self.length(of: notes) + Int64(64 << 20)
        let update = try "--update-from-json=" + Self.argument(for: notes)
        let outcome = try await run(
            .qpdf, ["--no-warn"] + options + [path, update, Self.argument(for: target)], writing: room,
            into: CollectedOutput())
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else {
            try Self.checkRoom(for: try Self.length(of: path) + Self.length(of: notes), in: target)
            throw PDFError.damaged
        }
        // qpdf does not notice when the last bytes cannot be written.
        guard try Self.isComplete(target) else { throw PDFError.cannotWrite(ENOSPC) }
    }

    /// Rewrites a file in place without what nothing in it refers to, such as earlier versions and deleted annotations.
    ///
    /// - Parameters:
    ///   - notes: path of another existing file, for intermediate data.
    ///   - keepsSignatures: whether a signature, which would break, is an error.
    /// - Returns: whether a signature is broken now.
    /// - Throws: ``PDFError/signed``
    package func compact(_ target: String, notes: String, keepsSignatures: Bool) async throws -> Bool {
        let isSigned = Signatures(try await dump(of: target)).isSigned
        guard !isSigned || !keepsSignatures else { throw PDFError.signed }
        let path = try Self.argument(for: target)
        let room = try Self.length(of: path) * 2 + Int64(64 << 20)
        let outcome = try await run(
            .qpdf, ["--no-warn", path, Self.argument(for: notes)], writing: room, into: CollectedOutput())
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else {
            try Self.checkRoom(for: try Self.length(of: path), in: notes)
            throw PDFError.damaged
        }
        guard try Self.isComplete(notes) else { throw PDFError.cannotWrite(ENOSPC) }
        try await copy(notes, to: target)
        return isSigned
    }

    /// Whether a file ends as a PDF does.
    private static func isComplete(_ path: String) throws -> Bool {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        let length = try file.seek(offset: 0, from: .end)
        var end = [UInt8](repeating: 0, count: 6)
        guard length >= end.count else { return false }
        let count = try end.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: length - 6, into: $0) }
        return count == end.count && end.elementsEqual("%%EOF\n".utf8)
    }

    /// qpdf and cp report a full disk only as prose.
    ///
    /// - Throws: ``PDFError/cannotWrite(_:)`` if the file cannot get this size.
    private static func checkRoom(for bytes: Int64, in path: String) throws {
        let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .noFollow)
        defer { try? file.close() }
        switch posix_fallocate(file.rawValue, 0, off_t(bytes)) {
        case 0: return
        // Not a regular file.
        case ENODEV, ESPIPE: try file.writeResult([UInt8](repeating: 0, count: 64 << 10))
        case let code: throw PDFError.cannotWrite(code)
        }
    }

    static func length(of path: String) throws -> Int64 {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .noFollow)
        defer { try? file.close() }
        return try file.seek(offset: 0, from: .end)
    }
}
