package import Annotations
package import SystemPackage

extension PDFTools {
    /// Writes the file of a file attachment to an open file.
    ///
    /// - Parameters:
    ///   - id: the number of the annotation, or its name.
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

    /// Reads which annotations of a PDF hold a file. For several files, because the PDF is read once.
    ///
    package func attachedFiles(in file: String) async throws -> AttachedFiles {
        let dump = try await dump(of: file)
        let streams = Self.streams(in: dump, PageTree(dump, limit: limits.pages))
        try dump.checkTime()
        return AttachedFiles(tools: self, rebuilt: dump.rebuilt, streams: streams)
    }

    private func attachedFile<Sink: OutputSink>(
        of id: Record.ID, in file: String, into sink: Sink
    ) async throws -> Sink? {
        try await attachedFiles(in: file).stream(of: id, in: file, into: sink)
    }

    /// Returns the files by the numbers of the annotations, and by names that only one annotation with a file has: such a
    /// name may be the id of its record.
    private static func streams(in dump: ObjectDump, _ tree: PageTree) -> [ByteOrdered: ObjectID] {
        let ids = AnnotationIDs(dump)
        var streams: [ByteOrdered: ObjectID] = [:]
        var named: [ByteOrdered: [ObjectID]] = [:]
        for (index, page) in tree.pages.enumerated() {
            for (position, entry) in (page.dictionary.array("Annots") ?? []).enumerated() {
                let annotation = PDFDictionary(entry, in: dump)
                guard annotation?["Subtype"].name == "FileAttachment",
                    let stream = annotation?.dictionary("FS").flatMap(EmbeddedFile.stream)
                else { continue }
                let id = ByteOrdered(ids.id(of: entry, at: position, page: index))
                streams[id] = streams[id] ?? stream
                if let name = annotation?.text("NM"), Int(name) == nil {
                    named[ByteOrdered(name), default: []].append(stream)
                }
            }
        }
        return streams.merging(named.compactMapValues { $0.count == 1 ? $0.first : nil }) { numbered, _ in numbered }
    }
}

/// The files that the annotations of a PDF hold.
package struct AttachedFiles: Sendable {
    fileprivate let tools: PDFTools
    /// The copy that is read instead of a damaged file.
    fileprivate let rebuilt: RebuiltFile?
    fileprivate let streams: [ByteOrdered: ObjectID]

    /// Returns whether a file attachment's file is in the PDF.
    ///
    /// - Parameter id: the number of the annotation, or its name.
    package func contains(_ id: Record.ID) -> Bool { streams[ByteOrdered(id)] != nil }

    /// Returns the bytes of a file; nil if the PDF does not hold it.
    ///
    /// - Parameter file: the PDF that was read, unchanged.
    /// - Throws: ``PDFError``, also for a file larger than the limit on output.
    package func bytes(of id: Record.ID, in file: String) async throws -> [UInt8]? {
        try await stream(of: id, in: file, into: CollectedOutput())?.bytes
    }

    fileprivate func stream<Sink: OutputSink>(
        of id: Record.ID, in file: String, into sink: Sink
    ) async throws -> Sink? {
        guard let stream = streams[ByteOrdered(id)] else { return nil }
        let path = try rebuilt?.path ?? PDFTools.argument(for: file)
        let outcome = try await tools.run(
            .qpdf,
            ["--no-warn", "--show-object=\(stream.number),\(stream.generation)", "--filtered-stream-data", path],
            into: sink)
        guard outcome.exitCode == 0 || outcome.exitCode == 3 else { throw try await tools.reason(for: file) }
        return outcome.sink
    }
}

private struct FileSink: OutputSink {
    let target: FileDescriptor

    mutating func receive(_ bytes: [UInt8]) throws { try target.writeResult(bytes) }
}
