import Annotations

// Writes what depends on which annotations the finished file has: replies and groups.
extension AnnotatedPDF {
    /// Writes the records that waited.
    mutating func finishReplies() throws {
        let new = waiting.filter { own[ByteOrdered($0.record.id)] == nil }
        // They may answer each other.
        for item in new where PDFAnnotation(item.record.content, on: tree.pages[item.page].frame) != nil {
            _ = number(of: item.record.id)
        }
        for item in new {
            try create(item.record, under: nil, onPage: item.page, item.image, item.appearance)
        }
        var edited: [ByteOrdered: Waiting] = [:]
        for item in waiting { edited[ByteOrdered(item.record.id)] = item }
        for (id, mine) in own.sorted(by: { $0.key < $1.key }) where mine.isKept {
            guard let page = mine.content["pageIndex"]?.integer.flatMap({ Int(exactly: $0) }),
                mine.content.contentType == .comments
            else { continue }
            let item = edited[id]
            let root = newTarget(of: mine, id)
            guard item != nil || root != nil else { continue }
            let record = item?.record ?? Record(id: id.text, content: mine.content)
            try merge(record, into: mine, onPage: item?.page ?? page, nil, answering: root)
        }
        waiting = []
    }

    /// Returns the object that a comment of the file must answer because the one that it answers is gone; nil if its
    /// target is still there, or its root is gone too.
    private func newTarget(of mine: Own, _ id: ByteOrdered) -> ObjectID? {
        let source = mine.source.map(ObjectSource.object) ?? numbers[id].map(PDFObject.reference)
        guard let target = PDFDictionary(source, in: dump)?.entries["IRT"]?.reference,
            own[ByteOrdered(ids.id(target))]?.isKept == false,
            let root = mine.content["rootId"]?.string, own[ByteOrdered(root)]?.isKept == true
        else { return nil }
        return numbers[ByteOrdered(root)]
    }

    /// Returns the object that a record has in the finished file.
    func finalNumber(of id: Record.ID) -> ObjectID? {
        if let mine = own[ByteOrdered(id)], !mine.isKept { return nil }
        return numbers[ByteOrdered(id)]
    }
}

extension Content {
    /// The record that this annotation answers or is grouped with.
    var answered: Record.ID? { self["postilla"]?["inReplyTo"]?.string }
}
