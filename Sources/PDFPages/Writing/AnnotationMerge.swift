import Annotations

/// What an edit of a record changes in the dictionary of an annotation that is in the file already: the entries of the
/// members that differ from what the dictionary says, see ``GovernedEntries``. Everything else stays.
struct AnnotationMerge {
    /// The dictionary in the file.
    private let old: PDFDictionary
    private let rules: [GovernedEntries]
    /// The entries that a new annotation with this record would have.
    private let wanted: [String: PDFObject]
    /// What reading ``wanted`` gives: the record as far as PDF can express it.
    private let normal: JSONObject
    private let before: Content
    private let isOtherKind: Bool
    /// Whether it stands on another page now.
    let isMoved: Bool

    /// - Parameters:
    ///   - before: what reading the dictionary gives.
    ///   - after: the record's content.
    ///   - frame: of the page that the record names.
    /// - Returns: nil for content that PDF has no annotation for.
    init?(_ old: PDFDictionary, from before: Content, to after: Content, on frame: PageFrame, pageCount: Int) {
        guard let annotation = PDFAnnotation(after, on: frame, isOwn: true) else { return nil }
        self.old = old
        self.before = before
        wanted = annotation.entries
        let new = after.withRemarkAsNote
        let was = before.object
        let page = Int(was["pageIndex"]?.integer ?? 0)
        let newPage = new["pageIndex"]?.integer.flatMap { Int(exactly: $0) } ?? page
        let normal = annotation.content(onPage: newPage, frame, pageCount: pageCount).0.object
        self.normal = normal
        isOtherKind = Self.kind(was) != Self.kind(new)
        isMoved = newPage != page
        // A record of a version that did not know its kind has fewer members, and says nothing about the others.
        let all = GovernedEntries.rules(for: AnnotationKind(type: new["type"]?.string ?? ""))
        let (isMoved, isOther) = (isMoved, isOtherKind)
        let isComment = AnnotationKind(type: new["type"]?.string ?? "") == .comment
        rules = all.filter { rule in
            if isOther || isMoved && rule.isPlace { return true }
            // Clients may know less of a comment than its note says.
            if rule.member != "text", isComment, new[rule.member] == nil { return false }
            let value = was[rule.member]
            guard value != new[rule.member] else { return false }
            // An action that may not be written is one that the record changed, nevertheless.
            return !Self.isSame(value, rule.member == "action" ? new[rule.member] : normal[rule.member])
        }
    }

    /// Whether the file's dictionary says what the record says.
    var isEmpty: Bool { rules.isEmpty }

    /// Whether the annotation looks different. A picture that only moves stays as it is, and that of a stamp or an image
    /// grows with its rectangle.
    var isDrawn: Bool {
        let drawn = rules.filter(\.isDrawn)
        guard !isOtherKind, !isMoved, drawn.count == 1, drawn[0].member == "bbox", old.entries["AP"] != nil else {
            return isOtherKind || !drawn.isEmpty
        }
        if ["pspdfkit/stamp", "pspdfkit/image"].contains(normal["type"]?.string) { return false }
        let boxes = [before["bbox"], normal["bbox"]].compactMap { $0.flatMap(Rect.init(json:)) }
        guard boxes.count == 2 else { return true }
        return abs(boxes[0].width - boxes[1].width) > 0.01 || abs(boxes[0].height - boxes[1].height) > 0.01
    }

    /// Whether the record's text replaces that of the file, of which the pop-up may hold a copy.
    var changesText: Bool { keys.contains("Contents") }

    private var keys: Set<String> {
        let former = AnnotationKind(of: before.object)
        return Set((rules + (isOtherKind ? GovernedEntries.rules(for: former) : [])).flatMap(\.keys))
    }

    /// The changed entries; nil for those that are removed.
    var entries: [String: PDFObject?] {
        var result: [String: PDFObject?] = [:]
        var parts: [String: [String]] = [:]
        for key in keys {
            let path = key.split(separator: "/")
            switch key {
            case "DA": result[key] = defaultAppearance
            case "F": result[key] = flags
            // The rich text repeats what other entries say, which now differ.
            case "RC": if old.entries[key] != nil { result[key] = .some(nil) }
            // Where the rich text had the style of the whole text, that style is kept.
            case "DS": if changesStyle || old.entries["RC"] != nil { result[key] = .some(wanted[key]) }
            case _ where path.count == 2: parts[String(path[0]), default: []].append(String(path[1]))
            default: result[key] = .some(wanted[key])
            }
        }
        for (key, names) in parts { result[key] = .some(merged(key, names)) }
        if isOtherKind { result["Subtype"] = .some(wanted["Subtype"]) }
        if keys.contains("Rect") { moveCallout(&result) }
        return result
    }

    /// What reading the merged dictionary gives.
    ///
    /// - Parameter box: the annotation's rectangle in the end.
    func expected(box: Rect?) -> Content {
        guard !isOtherKind else {
            var content = normal
            if let box { content["bbox"] = box.json }
            return Content(content)
        }
        return before.changing { content in
            for rule in rules { content[rule.member] = normal[rule.member] }
            content["pageIndex"] = normal["pageIndex"]
            if let box { content["bbox"] = box.json }
        }
    }

    // MARK: Entries that are changed in part

    private func merged(_ key: String, _ names: [String]) -> PDFObject? {
        var part = old.dictionary(key)?.entries ?? [:]
        // `Border` is the older form of `BS`, which wins over it.
        if key == "BS", part.isEmpty, let border = old.array("Border"), border.count > 3,
            let dashes = old.file.resolve(border[3]).array, !dashes.isEmpty
        {
            part = ["S": .name("D"), "D": .array(dashes)]
        }
        for name in names { part[name] = wanted[key]?.dictionary?[name] }
        return part.isEmpty ? nil : .dictionary(part)
    }

    /// Whether the text has another style, and `DA` alone does not say so.
    private var changesStyle: Bool {
        rules.contains { $0.member != "text" && $0.keys.contains("DS") }
            && (old.entries["DS"] != nil || normal["fontStyle"] != nil || before["fontStyle"] != nil)
    }

    /// Bits that Instant JSON has no name for stay.
    private var flags: PDFObject? {
        let known = UInt32(1) << AnnotationNames.flags.count - 1
        let bits = old["F"].number.flatMap { UInt32(exactly: $0) } ?? 0
        let new = wanted["F"]?.number.flatMap { UInt32(exactly: $0) } ?? 0
        return .number(Double(bits & ~known | new & known))
    }

    private var defaultAppearance: PDFObject? {
        guard let text = old["DA"].string, let new = wanted["DA"]?.string else { return wanted["DA"] }
        let members = Set(rules.map(\.member))
        return .string(
            DefaultAppearance.merging(
                text, with: new, font: members.contains("font"), size: members.contains("fontSize"),
                color: members.contains("fontColor")))
    }

    /// A call-out's line moves with its text.
    private func moveCallout(_ result: inout [String: PDFObject?]) {
        guard let line = old.numbers("CL"), let from = old.numbers("Rect"), from.count == 4,
            let to = wanted["Rect"]?.array?.compactMap(\.number), to.count == 4,
            before["pageIndex"] == normal["pageIndex"]
        else { return }
        let (across, up) = (to[0] - min(from[0], from[2]), to[1] - min(from[1], from[3]))
        result["CL"] = .numbers(line.enumerated().map { $0.offset % 2 == 0 ? $0.element + across : $0.element + up })
    }

    // MARK: Comparing

    /// The kind of an annotation in the file, where a comment is a note.
    private static func kind(_ object: JSONObject) -> AnnotationKind {
        let kind = AnnotationKind(of: object)
        return kind == .comment ? .note : kind
    }

    /// Whether two values are the same to a reader of the PDF, in which numbers have four decimals.
    private static func isSame(_ one: JSON?, _ other: JSON?) -> Bool {
        switch (one ?? .null, other ?? .null) {
        case (.number(let one), .number(let other)):
            guard let one = one.double, let other = other.double else { return one == other }
            return abs(one - other) < 0.000_1
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        case (.object(let one), .object(let other)):
            return one.members.count == other.members.count
                && one.members.allSatisfy { isSame($0.value, other[$0.key]) }
        case (let one, let other): return one == other
        }
    }
}

extension DefaultAppearance {
    /// Returns a default appearance string with some of its settings taken from another one; its other operators stay.
    static func merging(_ text: String, with other: String, font: Bool, size: Bool, color: Bool) -> String {
        let (old, new) = (operations(text), operations(other))
        var result = old
        if color {
            result.removeAll { $0.last.map { colors.contains(String($0)) } == true }
            result.insert(contentsOf: new.filter { $0.last.map { colors.contains(String($0)) } == true }, at: 0)
        }
        if font || size, let wanted = new.last(where: { $0.last == "Tf" }), wanted.count > 2 {
            let present = result.last { $0.last == "Tf" } ?? wanted
            result.removeAll { $0.last == "Tf" }
            let operands = present.dropLast().suffix(2)
            let name = font || operands.count < 2 ? wanted[wanted.count - 3] : operands.first ?? "/Helv"
            let points = size || operands.count < 2 ? wanted[wanted.count - 2] : operands.last ?? "12"
            result.append([name, points, "Tf"])
        }
        return result.map { $0.joined(separator: " ") }.joined(separator: " ")
    }

    private static let colors = ["g", "rg", "k"]

    /// Splits the string into operators with their operands.
    private static func operations(_ text: String) -> [[Substring]] {
        var result: [[Substring]] = [[]]
        for word in text.prefix(1000).split(whereSeparator: \.isWhitespace) {
            result[result.count - 1].append(word)
            if word.first?.isLetter == true { result.append([]) }
        }
        return result.filter { !$0.isEmpty }
    }
}
