import Annotations

/// The pages of a file in order, found by walking the page tree (ISO 32000-1, 7.7.3).
///
/// A hostile tree may loop, be a thousand levels deep or list a page a million times, so depth and nodes are limited
/// and the rest is left out.
struct PageTree {
    private(set) var pages: [Page] = []
    /// Index of each page that is an indirect object, for links.
    private(set) var indexes: [ObjectID: Int] = [:]

    struct Page {
        /// nil for a page written directly into the tree.
        var id: ObjectID?
        var dictionary: PDFDictionary
        var frame: PageFrame
    }

    private struct Node {
        var object: PDFObject
        var inherited: [String: PDFObject]
        var depth: Int
    }

    static let maxDepth = 64
    private static let inheritable = ["MediaBox", "CropBox", "Rotate"]

    init(_ file: ObjectDump, limit: Int) {
        let catalog = PDFDictionary(file.trailer, in: file)?.dictionary("Root")
        guard let root = catalog?.entries["Pages"] else { return }
        // A stack: the next page is always last.
        var waiting = [Node(object: root, inherited: [:], depth: 0)]
        // Nodes count as soon as they are listed: each one costs memory, even if it is never walked.
        var room = 2 * limit
        while let node = waiting.popLast(), pages.count < limit {
            guard node.depth < Self.maxDepth, let dictionary = PDFDictionary(node.object, in: file) else { continue }
            var inherited = node.inherited
            for key in Self.inheritable where dictionary.entries[key] != nil { inherited[key] = dictionary[key] }
            if let kids = dictionary.array("Kids") {
                let taken = kids.prefix(room)
                room -= taken.count
                waiting += taken.reversed().map { Node(object: $0, inherited: inherited, depth: node.depth + 1) }
            } else {
                var own: ObjectID?
                if case .reference(let id) = node.object { own = id }
                if let own, indexes[own] == nil { indexes[own] = pages.count }
                // A page does not inherit its unit.
                inherited["UserUnit"] = dictionary["UserUnit"]
                pages.append(Page(id: own, dictionary: dictionary, frame: Self.frame(inherited, in: file)))
            }
        }
    }

    private static func frame(_ inherited: [String: PDFObject], in file: ObjectDump) -> PageFrame {
        let values = PDFDictionary(.dictionary(inherited), in: file)
        return PageFrame(
            mediaBox: values?.numbers("MediaBox"), cropBox: values?.numbers("CropBox"),
            rotation: values?["Rotate"].number, userUnit: values?["UserUnit"].number)
    }
}
