import Annotations
import Interchange
import PDFPages

/// Writes the result of a merge into a copy of the document.
struct MergedPDF {
    let document: MergeDocument
    let files: [MergeFile]
    let merge: CopyMerge

    /// What the PDF cannot hold, by the copy that it came from.
    private(set) var problems: [(copy: Int, problem: FileProblem)] = []
    /// What was not written, or not changed.
    private(set) var unwritten: [Unwritten] = []

    init(_ document: MergeDocument, _ files: [MergeFile], _ merge: CopyMerge) {
        (self.document, self.files, self.merge) = (document, files, merge)
    }

    /// Writes a file, which replaces another one in one step once it is complete and was read again.
    ///
    /// - Parameter isForced: whether root replaces the file of another account.
    /// - Throws: ``CommandFailure``
    mutating func write(to output: String, isForced: Bool) async throws {
        let target = try NewFile(replacing: output, isForced: isForced)
        let notes = try NewFile(replacing: output, isForced: isForced, purpose: ".notes")
        var found: [(copy: Int, problem: FileProblem)] = []
        do {
            let result = try await PDFTools().annotate(
                document.path, into: target.temporary, notes: notes.temporary
            ) { annotated in
                found = try await add(to: &annotated)
            }
            unwritten = result.unwritten
        } catch let error as PDFError { throw CommandFailure("\(output): \(error)") }
        withExtendedLifetime(notes) {}
        try target.finish()
        problems = found
    }

    private func add(to annotated: inout AnnotatedPDF) async throws -> [(copy: Int, problem: FileProblem)] {
        var problems: [(copy: Int, problem: FileProblem)] = []
        for id in document.fields { _ = annotated.keep(id) }
        let pictures = try await pictures()
        var roots: [ByteOrdered: Record] = [:]
        for record in merge.records where record.contentType != .comments { roots[ByteOrdered(record.id)] = record }
        for record in merge.records {
            let origin = merge.origins[ByteOrdered(record.id)]
            func tell(_ reason: String, isSkipped: Bool = true) {
                guard let origin else { return }
                problems.append((origin.copy, FileProblem(record.id, reason, isSkipped: isSkipped)))
            }
            var root: Record?
            if record.contentType == .comments {
                root = record.content["rootId"]?.string.flatMap { roots[ByteOrdered($0)] }
                guard root != nil else {
                    tell("the annotation that it answers is missing")
                    continue
                }
            }
            let file = try await file(of: record, origin)
            let picture = pictures[ByteOrdered(record.id)]
            guard try annotated.add(record, under: root, image: file, appearance: picture) else {
                tell("a PDF cannot hold it")
                continue
            }
            if origin != nil, file == nil, AnnotationKind(of: record.content.object) == .file {
                tell("its file is left out", isSkipped: false)
            }
            if let origin, files[origin.copy].isPDF, record.isStamp, picture == nil {
                tell("its picture is left out", isSkipped: false)
            }
        }
        return problems
    }

    /// Returns the pictures of new stamps, by their ids in the result.
    private func pictures() async throws -> [ByteOrdered: CopiedAppearance] {
        var result: [ByteOrdered: CopiedAppearance] = [:]
        for (place, file) in files.enumerated() where file.isPDF {
            let stamps = merge.records.compactMap { record -> (id: Record.ID, own: Record.ID)? in
                guard record.isStamp, let origin = merge.origins[ByteOrdered(record.id)], origin.copy == place else {
                    return nil
                }
                return (record.id, origin.id)
            }
            let found = try await PDFTools().appearances(of: stamps.map(\.own), in: file.path)
            for (id, own) in stamps { result[ByteOrdered(id)] = found[ByteOrdered(own)] }
        }
        return result
    }

    /// Returns the picture or the attached file of a new annotation.
    private func file(of record: Record, _ origin: CopyMerge.Origin?) async throws -> [UInt8]? {
        if let id = record.content.attachmentID {
            return files.lazy.compactMap { $0.attachments[id] }.first
        }
        guard let origin, files[origin.copy].isPDF, AnnotationKind(of: record.content.object) == .file else {
            return nil
        }
        return try await PDFTools().attachedFile(of: origin.id, in: files[origin.copy].path)
    }
}

extension Record {
    fileprivate var isStamp: Bool { [.stamp, .image].contains(AnnotationKind(of: content.object)) }
}
