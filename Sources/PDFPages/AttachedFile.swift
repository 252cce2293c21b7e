package import Annotations
package import SystemPackage

extension PDFTools {
    /// Writes the file of a file attachment to an open file.
    ///
    /// - Parameters:
    ///   - id: the record of the annotation.
    ///   - target: open for writing.
    /// - Returns: false if the PDF has no such file: the annotation is not one of the PDF, or names a file outside.
    /// - Throws: ``PDFError``, also for a file larger than the limit on output.
    package func attachedFile(of id: Record.ID, in file: String, to target: FileDescriptor) async throws -> Bool {
        try await attachedFile(of: id, in: file, into: FileSink(target: target)) != nil
    }

    /// Returns the file of a file attachment; nil if the PDF does not hold it.
    package func attachedFile(of id: Record.ID, in file: String) async throws -> [UInt8]? {
        try await attachedFile(of: id, in: file, into: CollectedOutput())?.bytes
    }

    private func attachedFile<Sink: OutputSink>(
        of id: Record.ID, in file: String, into sink: Sink
    ) async throws -> Sink? {
        let dump = try await dump(of: file)
        let stream = Self.stream(of: id, in: dump, PageTree(dump, limit: limits.pages))
        try dump.checkTime()
        guard let stream else { return nil }
        let path = try dump.rebuilt?.path ?? Self.argument(for: file)
        let outcome = try await run(
            .qpdf,
            ["--no-warn", "--show-object=\(stream.number),\(stream.generation)", "--filtered-stream-data", path],
            into: sink)
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else { throw try await reason(for: file) }
        return outcome.sink
    }

    private static func stream(of id: Record.ID, in dump: ObjectDump, _ tree: PageTree) -> ObjectID? {
        let ids = AnnotationIDs(dump)
        for (index, page) in tree.pages.enumerated() {
            for (position, entry) in (page.dictionary.array("Annots") ?? []).enumerated()
            where ids.id(of: entry, at: position, page: index).isExactly(id) {
                let annotation = PDFDictionary(entry, in: dump)
                guard annotation?["Subtype"].name == "FileAttachment" else { return nil }
                return annotation?.dictionary("FS").flatMap(EmbeddedFile.stream)
            }
        }
        return nil
    }
}

private struct FileSink: OutputSink {
    let target: FileDescriptor

    mutating func receive(_ bytes: [UInt8]) throws { try target.writeResult(bytes) }
}
