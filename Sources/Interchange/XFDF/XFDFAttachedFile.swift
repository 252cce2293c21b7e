import Annotations
import PDFPages

/// The file in the element of a file attachment.
struct XFDFAttachedFile {
    static let element = "fileattachment"

    let name: String
    /// nil without a file, or for one in an unknown form.
    let bytes: [UInt8]?

    init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// The data is `raw`, as in a PDF, where filters may apply, or `filtered`: without them.
    init(_ node: XMLNode) {
        // Programs may write a path.
        let path = node.attributes["file"] ?? ""
        name = String((path.split(whereScalar: { $0 == "/" || $0 == "\\" }).last ?? "file").prefix(scalars: 1000))
        guard let data = node.child("data") else {
            bytes = nil
            return
        }
        let (attributes, text) = (data.attributes.map { ($0.key.lowercased(), $0.value.lowercased()) }, data.text)
        let settings = Dictionary(attributes) { first, _ in first }
        let raw = settings["encoding"] == "ascii" ? Array(text.utf8) : Self.bytes(text)
        guard settings["mode"] != "filtered",
            let filter = data.attributes.first(where: { $0.key.lowercased() == "filter" })
        else {
            bytes = raw
            return
        }
        let filters = filter.value.split(whereScalar: {
            !$0.properties.isAlphabetic && $0.properties.numericType == nil
        }).map(String.init)
        bytes = filters.count > 2 ? nil : raw.flatMap { FDFObjects.decode($0, filters) }
    }

    /// Completes what was read of the annotation without its file.
    ///
    /// - Returns: the content, and what to tell about it.
    static func complete(
        _ content: Content, _ defects: [String], name: String, holdsFile: Bool
    ) -> (Content, told: [String]) {
        let named = content.changing { object in
            object["fileName"] = .string(name)
            guard holdsFile, object["postilla"]?["warning"]?.string == PDFAnnotation.noFile else { return }
            var aside = object["postilla"]?.object ?? JSONObject()
            aside["warning"] = nil
            object["postilla"] = aside.members.isEmpty ? nil : .object(aside)
        }
        return (named, holdsFile ? defects.filter { $0 != PDFAnnotation.noFile } : defects)
    }

    /// Reads hexadecimal digits with white space between them.
    private static func bytes(_ text: String) -> [UInt8]? {
        var (bytes, half): ([UInt8], UInt8?) = ([], nil)
        bytes.reserveCapacity(text.utf8.count / 2)
        for digit in text.utf8 {
            guard let value = digit.hexadecimalValue else {
                guard [0x20, 0x09, 0x0A, 0x0D].contains(digit) else { return nil }
                continue
            }
            if let first = half { bytes.append(first << 4 | value) }
            half = half == nil ? value : nil
        }
        return half == nil ? bytes : nil
    }

    func write(into node: inout XMLNode) {
        let bytes = bytes ?? []
        node.attributes["file"] = name.isEmpty ? "file" : name
        node.attributes["size"] = "\(bytes.count)"
        let data = XMLNode(
            "data", ["MODE": "raw", "encoding": "hex", "length": "\(bytes.count)"], [.text(bytes.hexadecimal)])
        node.parts.append(.node(data))
    }
}
