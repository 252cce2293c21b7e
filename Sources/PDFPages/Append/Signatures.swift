import Annotations

/// What the signatures of a file allow (ISO 32000-2, 12.8).
struct Signatures: Hashable {
    /// Whether the file has a signature, which a full rewrite would break.
    let isSigned: Bool
    /// The strictest access permission (12.8.2.2): 1 no changes, 2 filling in forms and signing, 3 annotations as well;
    /// nil if no signature restricts changes.
    let permission: Int?

    var allowAnnotations: Bool { (permission ?? 3) >= 3 }

    init(_ dump: ObjectDump) {
        isSigned = dump.ids.contains { dump.mentions("/ByteRange", in: $0) }
        guard isSigned else {
            permission = nil
            return
        }
        var found: [Int] = []
        for id in dump.ids where dump.mentions("/DocMDP", in: id) || dump.mentions("/Lock", in: id) {
            Self.permissions(in: dump.object(id), dump, &found)
        }
        permission = found.min()
    }

    private static func permissions(in object: PDFObject, _ dump: ObjectDump, _ found: inout [Int]) {
        switch object {
        case .array(let items): for item in items { permissions(in: item, dump, &found) }
        case .dictionary(let entries):
            if dump.resolve(entries["TransformMethod"]).name == "DocMDP" {
                let parameters = dump.resolve(entries["TransformParams"]).dictionary
                found.append(level(dump.resolve(parameters?["P"])) ?? 2)
            }
            // A signature field can restrict changes, too; it does so once it is signed.
            if let lock = dump.resolve(entries["Lock"]).dictionary, entries["V"] != nil,
                let level = level(dump.resolve(lock["P"]))
            {
                found.append(level)
            }
            for value in entries.values { permissions(in: value, dump, &found) }
        default: break
        }
    }

    private static func level(_ object: PDFObject) -> Int? {
        object.number.flatMap { Int(exactly: $0) }.flatMap { (1...3).contains($0) ? $0 : nil }
    }
}
