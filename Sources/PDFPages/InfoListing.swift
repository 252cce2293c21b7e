import Annotations

/// The output of `pdfinfo`: a line `Name: value` per fact, and two lines per requested page.
struct InfoListing: Hashable {
    var title: String?
    var isEncrypted = false
    /// 0 when the output does not contain it.
    var pageCount = 0
    /// By page index; unreadable pages are missing.
    var sizes: [Int: PageSize] = [:]

    init(_ output: [UInt8]) {
        let text = String(decoding: output, as: UTF8.self)
        var turned: [Int: Bool] = [:]
        // The title comes first and may contain line ends that imitate further facts. pdfinfo prints the file's texts
        // before its own findings, so the last line with a name is used.
        for line in text.split(scalar: "\n") {
            guard let (name, rest) = line.parted(atFirst: ":") else { continue }
            let value = rest.trimming(scalars: \.properties.isWhitespace)
            switch name {
            case "Title": title = title ?? (value.isEmpty ? nil : String(value))
            case "Pages": pageCount = Int(value) ?? 0
            case "Encrypted": isEncrypted = value.begins(with: "yes")
            default:
                let words = name.split(scalar: " ")
                guard words.count == 3, words[0] == "Page", let number = Int(words[1]), number > 0 else { continue }
                switch words[2] {
                case "size": sizes[number - 1] = Self.size(value)
                case "rot": turned[number - 1] = (Int(value) ?? 0) % 180 != 0
                default: continue
                }
            }
        }
        for (page, isTurned) in turned where isTurned {
            sizes[page] = sizes[page].map { PageSize(width: $0.height, height: $0.width) }
        }
    }

    /// Parses `595.276 x 841.89 pts (A4)`; nil for an impossible page size.
    private static func size(_ text: Substring) -> PageSize? {
        let words = text.split(scalar: " ")
        guard words.count >= 3, let width = Double(words[0]), let height = Double(words[2]) else { return nil }
        // 14,400 units is the limit of PDF 1.x; a user unit can scale it.
        let possible = 1.0...1_000_000.0
        return possible.contains(width) && possible.contains(height) ? PageSize(width: width, height: height) : nil
    }
}
