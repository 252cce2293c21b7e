import Annotations

/// Parses the XHTML of `pdftotext -bbox-layout` incrementally into pages.
///
/// The elements are `page > flow > block > line > word`. It understands only the markup of that output, skips unknown
/// tags, replaces malformed numbers and never fails. Its buffer is bounded: a tag or word longer than ``maxWordLength``
/// loses its end.
struct PageTextReader: Sendable {
    static let maxWordLength = 16 << 10
    /// Limit on words per page; the rest is dropped.
    static let maxWords = 200_000

    /// Sizes of the expected pages, as displayed; further pages are skipped.
    private let sizes: [PageSize]
    private var count = 0
    private var page: PageText?
    private var flow = -1
    private var block = -1
    private var line = -1
    /// Box of the current word; nil between words.
    private var box: Rect?
    private var text: [UInt8] = []
    private var token: [UInt8] = []
    private var inTag = false

    init(sizes: [PageSize]) {
        self.sizes = sizes
    }

    /// Returns the pages that these bytes complete.
    mutating func receive(_ bytes: [UInt8]) -> [PageText] {
        var done: [PageText] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: inTag ? ">" : "<")) {
            keep(rest[..<end])
            rest = rest[(end + 1)...]
            if inTag {
                if let page = tag(ListingTag(token)) { done.append(page) }
            } else if box != nil {
                text += token
            }
            token.removeAll(keepingCapacity: true)
            inTag.toggle()
        }
        keep(rest)
        return done
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        token += bytes.prefix(max(0, Self.maxWordLength - token.count))
    }

    private mutating func tag(_ tag: ListingTag) -> PageText? {
        switch tag.name {
        case "page":
            let size = count < sizes.count ? sizes[count] : nil
            page = size.map { PageText(width: $0.width, height: $0.height, words: []) }
            (flow, block, line) = (-1, -1, -1)
        case "flow": flow += 1
        case "block": block += 1
        case "line": line += 1
        case "word":
            box = page.map { wordBox(tag, on: $0) }
            text.removeAll(keepingCapacity: true)
        case "/word": endWord()
        case "/page":
            count += 1
            defer { page = nil }
            return page
        default: break
        }
        return nil
    }

    private mutating func endWord() {
        defer { box = nil }
        guard let box, page != nil, page!.words.count < Self.maxWords else { return }
        let word = decodeEntities(text)
        guard !word.isBlank else { return }
        page!.words.append(
            PageText.Word(text: word, box: box, line: max(0, line), block: max(0, block), flow: max(0, flow)))
    }

    /// Returns the box of a word; a malformed one becomes an empty box at the end of the previous word.
    private func wordBox(_ tag: ListingTag, on page: PageText) -> Rect {
        if let left = tag["xMin"], let top = tag["yMin"], let right = tag["xMax"], let bottom = tag["yMax"] {
            return Rect(
                left: min(left, right), top: min(top, bottom), width: abs(right - left), height: abs(bottom - top))
        }
        guard let before = page.words.last?.box else { return Rect(left: 0, top: 0, width: 0, height: 0) }
        return Rect(left: before.right, top: before.top, width: 0, height: before.height)
    }
}

/// Decodes entities such as `&amp;` and `&#233;`. Malformed entities stay unchanged.
func decodeEntities(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    while let (plain, entity) = rest.parted(atFirst: "&") {
        result += plain
        // The longest entity in this output is `&#x10FFFF;`.
        guard let (name, _) = entity.prefix(scalars: 9).parted(atFirst: ";"),
            let character = Unicode.Scalar(reference: name)
        else {
            result.append("&")
            rest = entity
            continue
        }
        result.unicodeScalars.append(character)
        rest = entity[name.endIndex...].dropFirst(scalars: 1)
    }
    return result + rest
}
