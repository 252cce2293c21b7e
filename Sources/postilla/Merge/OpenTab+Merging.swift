import Annotations
import App
import Instant
import Interchange
import PDFPages

extension OpenTab {
    /// Reads an annotated copy, and finds out what it brings. Posts `copyRead` or `copyNotRead`.
    ///
    /// - Parameters:
    ///   - path: of the copy.
    ///   - name: the path as it was typed.
    func merge(_ path: String, named name: String) {
        guard let layer, let edits else { return post(.copyNotRead("this layer cannot be edited.")) }
        Task { [self] in
            // What was done before counts.
            await withCheckedContinuation { done in edits.afterAll { done.resume() } }
            do { post(.copyRead(try await copy(path, named: name, into: layer.descriptor))) } catch {
                let why = (error as? CommandFailure)?.message ?? "\(error)"
                let end = "; nothing merged"
                post(.copyNotRead((why.dropping(suffix: end) ?? why[...]) + "."))
            }
        }
    }

    private func copy(
        _ path: String, named name: String, into descriptor: InstantDocumentDescriptor
    ) async throws -> MergedCopy {
        guard let pdf = own?.pdf ?? descriptor.pdfPath else {
            throw CommandFailure("the PDF is not downloaded yet, and nothing tells what the copy changed")
        }
        let target = try LayerMerge(descriptor)
        let document = try await MergeDocument(reading: pdf)
        var reader = MergeReader(document)
        try await reader.read(path, author: nil)
        var files = reader.files
        var merge = CopyMerge(
            document.records, into: try await target.records(), pages: document.frames, writesPDF: false)
        for file in files { merge.add(file.copy) }
        try await LayerMerge.addFiles(to: &merge, of: &files)
        let planned = try target.edits(merge, of: files)
        var result = MergedCopy(path: name, edits: planned.edits, newIDs: planned.newIDs)
        result.tell(merge, files, denied: planned.denied)
        return result
    }
}

extension MergedCopy {
    fileprivate mutating func tell(_ merge: CopyMerge, _ files: [MergeFile], denied: [ByteOrdered: EditOutcome]) {
        unchanged = merge.counts.reduce(0) { $0 + $1.unchanged }
        remarks += files.flatMap(\.warnings)
        for entry in merge.entries {
            let failed = denied[ByteOrdered(entry.record.id)]
            switch entry.finding {
            case .added where failed == nil: added += 1
            case .changed where failed == nil: changed += 1
            case .deleted where failed == nil: deleted += 1
            case .conflict, .keptDeleted, .missing, .added, .changed, .deleted:
                if case .conflict = entry.finding { conflicts += 1 }
                let annotation = Annotation(entry.record)
                let page = annotation.pageIndex.map { ", page \($0 + 1)" } ?? ""
                let text = annotation.text.isEmpty ? "" : " “\(annotation.text.prefix(scalars: 40))”"
                let row = MergeRow(entry, failed: failed)
                remarks.append("\(annotation.kind.name)\(text)\(page): \(row.reason ?? row.action)")
            }
        }
        remarks += files.flatMap(\.problems).map { [$0.name, $0.reason].compactMap { $0 }.joined(separator: ": ") }
    }
}
