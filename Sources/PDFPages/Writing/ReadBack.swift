import Annotations

/// Checks that a written PDF holds the annotations it was meant to hold, by reading it again.
struct ReadBack {
    private var expected: [(digest: Int, id: Record.ID)] = []

    mutating func expect(_ content: Content, as id: Record.ID) { expected.append((Self.digest(content), id)) }

    /// - Throws: ``PDFError/notWritten(_:)`` with the records whose annotations differ or are missing, and the
    ///   annotations that should not be there.
    func check(_ records: [Record]) throws(PDFError) {
        var found: [Int: [Record.ID]] = [:]
        for record in records { found[Self.digest(record.content), default: []].append(record.id) }
        var wrong: [Record.ID] = []
        for (digest, id) in expected where found[digest]?.popLast() == nil { wrong.append(id) }
        wrong.sort { ByteOrdered($0) < ByteOrdered($1) }
        // An edited annotation that is as it was is both missing and too much.
        if wrong.isEmpty { wrong = found.values.joined().sorted { ByteOrdered($0) < ByteOrdered($1) } }
        guard wrong.isEmpty else { throw .notWritten(wrong) }
    }

    /// A rewritten file has other object numbers, which the members left out here repeat.
    private static func digest(_ content: Content) -> Int {
        var hasher = Hasher()
        // Whether a new note is a comment is known only from the whole file.
        let members = content.asNote.object.members.filter { $0.key != "pdfObjectId" && $0.key != "postilla" }
        for member in members.sorted(by: { ByteOrdered($0.key) < ByteOrdered($1.key) }) {
            hasher.combine(ByteOrdered(member.key))
            hasher.combine(ByteOrdered(member.value.text))
        }
        return hasher.finalize()
    }
}
