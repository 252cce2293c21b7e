import Annotations

/// The file in the element of a file attachment.
struct XFDFAttachedFile {
    static let element = "fileattachment"

    let name: String
    /// nil without a file, or for one that is compressed.
    let bytes: [UInt8]?

    init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

    /// The data is `raw`, as in a PDF, where filters may apply, or `filtered`: without them.
    init(_ node: XMLNode) {
        // Programs may write a path.
        let path = node.attributes["file"] ?? ""
        name = String((path.split(whereSeparator: { "/\\".contains($0) }).last ?? "file").prefix(1000))
        guard let data = node.child("data") else {
            bytes = nil
            return
        }
        let (attributes, text) = (data.attributes.map { ($0.key.lowercased(), $0.value.lowercased()) }, data.text)
        let settings = Dictionary(attributes) { first, _ in first }
        let isCompressed = settings["mode"] != "filtered" && settings["filter"]?.isEmpty == false
        guard !isCompressed else {
            bytes = nil
            return
        }
        bytes = settings["encoding"] == "ascii" ? Array(text.utf8) : Self.bytes(text)
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
