import Foundation
import Instant

/// The guide "Setting user collaboration permissions", and editing.
struct Review {
    let documentDescriptor: InstantDocumentDescriptor
    let document: InstantDocument

    init(_ documentDescriptor: InstantDocumentDescriptor) {
        self.documentDescriptor = documentDescriptor
        document = documentDescriptor.editableDocument
    }

    // MARK: Accessing permissions

    func describe(_ annotation: InstantRecord) -> String {
        let annotationGroup = annotation.instantRecordGroup
        let recordOperations = annotation.instantRecordOperations
        let canDelete = recordOperations.contains(.delete)
        return "group \(annotationGroup ?? "null"), \(recordOperations), can delete: \(canDelete)"
    }

    func whyNot(_ operation: RecordOperations, _ annotation: InstantRecord) throws(InstantError) -> String? {
        guard let denial = try document.denial(of: operation, on: annotation.id) else { return nil }
        if case .needs(let entries) = denial.reason { return "missing: \(entries.map(\.description))" }
        return denial.description
    }

    // MARK: The default group

    func writeInGroup(_ group: String) throws(InstantError) {
        try documentDescriptor.overrideDefaultGroup(with: group)
        print(try documentDescriptor.defaultGroup ?? "null")
        try documentDescriptor.resetDefaultGroup()
    }

    // MARK: Editing

    func start() throws(InstantError) {
        let box = PageRect(left: 72, top: 72, width: 200, height: 40)
        let contents: [Content] = [
            .note(onPage: 0, at: PagePoint(x: 72, y: 72), text: "Hello from outside"),
            .markup(.highlight, onPage: 0, rects: [box]),
            .ink(onPage: 0, strokes: [[PagePoint(x: 10, y: 10), PagePoint(x: 20, y: 30)]]),
            .freeText(onPage: 0, in: box, text: "Draft"),
            .rectangle(onPage: 0, in: box, fill: "#ffffff"),
            .ellipse(onPage: 0, in: box),
            .line(onPage: 0, from: PagePoint(x: 0, y: 0), to: PagePoint(x: 9, y: 9)),
            .stamp(onPage: 0, in: box, title: "Seen"),
            try Content(#"{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"as JSON"}"#),
        ]
        for content in contents {
            if let denial = try document.denialOfViewing(content) {
                print("hidden from you: \(denial)")
            } else {
                try document.add(content, author: "Consumer")
            }
        }
        try document.undo()
        try document.redo()
    }

    func addPicture(_ file: URL) throws(InstantError) -> InstantRecord.ID {
        let attachment = try document.addAttachment(contentsOf: file)
        let box = PageRect(left: 72, top: 200, width: 144, height: 96)
        return try document.add(.image(onPage: 0, in: box, attachment: attachment))
    }

    func discuss(_ annotation: InstantRecord) throws(InstantError) {
        try document.reply(to: annotation.id, text: "Agreed.")
        for comment in try document.comments(of: annotation.id) { print(comment.text) }
    }

    // MARK: Lists, conflicts

    func find(_ words: String) throws(InstantError) -> [InstantRecord] {
        var query = ListQuery(order: .newest)
        query.filter.text = words
        query.filter.recordsOnly = true
        return try document.annotations(matching: query, in: 0..<20)
    }

    func settle() throws(InstantError) {
        for conflict in try documentDescriptor.conflicts() {
            try document.resolve(conflict, conflict.isRefusal ? .theirs : .mine)
        }
        for edit in try documentDescriptor.unsentEdits() {
            print(edit.madeAt, edit.recordID, edit.state)
            if edit.state == .waiting { try document.discard(edit.id) }
        }
    }
}
