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
    private let after: JSONObject
    private let isOtherKind: Bool
    /// Whether it stands on another page now.
    let isMoved: Bool
    /// Why only a part of the record would be written; nil if all of it would.
    let limit: String?

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
        limit = annotation.limit
        let new = after.withRemarkAsNote
        self.after = new
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
        let isBoxChanged = was["bbox"] != new["bbox"]
        rules = all.filter { rule in
            if isOther { return true }
            if GovernedEntries.recent.contains(rule.member), new[rule.member] == nil { return false }
            if isMoved, rule.isPlace { return true }
            // Its margins are those of the box.
            if rule.member == "callout", isBoxChanged { return !Self.isSame(was["callout"], normal["callout"]) }
            // Clients may know less of a comment than its note says.
            if rule.member != "text", isComment, new[rule.member] == nil { return false }
            let value = was[rule.member]
            guard value != new[rule.member] else { return false }
            if rule.keys.contains("RC"), Self.changesLooks(of: rule.member, old, was, new) { return true }
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
            let path = key.split(scalar: "/")
            switch key {
            case "DA": result[key] = defaultAppearance
            case "F": result[key] = flags
            case "RC": if let text = richText.entry { result[key] = text }
            // Where the rich text had the style of the whole text, that style is kept.
            case "DS": if changesStyle || richText.isNew { result[key] = .some(wanted[key]) }
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
    /// - Parameters:
    ///   - box: the annotation's rectangle in the end.
    ///   - callout: the call-out's line in the end.
    func expected(box: Rect?, callout: JSON? = nil) -> Content {
        guard !isOtherKind else {
            var content = normal
            if let box { content["bbox"] = box.json }
            return Content(content)
        }
        return before.changing { content in
            for rule in rules { content[rule.member] = normal[rule.member] }
            if let callout { content["callout"] = callout }
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

    /// The rich text repeats what other entries say, which now differ.
    ///
    /// - Returns: the new rich text, `.some(nil)` to remove it, nil to leave it as it is; and whether the style of the
    ///   whole text is another one than before.
    private var richText: (entry: PDFObject??, isNew: Bool) {
        if let member, StyledText(of: after, member) != nil { return (.some(wanted["RC"]), true) }
        guard old.entries["RC"] != nil else { return (nil, false) }
        guard let source = old["RC"].string, let member, let said = before[member].flatMap(CommentText.init(json:)),
            let styled = StyledText(of: old, saying: said.words)
        else { return (.some(nil), true) }
        let words = wanted["Contents"]?.string ?? ""
        let changed = Set(rules.map(\.member))
        let isPlain = words.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
        if isPlain, changed.isDisjoint(with: ["font", "fontSize", "fontColor", "fontStyle", "horizontalAlign"]),
            CommentText.xhtml(source).words.isExactly(said.words),
            let text = try? source.replacingXHTMLText(with: words)
        {
            return (.string(text), false)
        }
        let restyled = styled.rewording(to: words).changing { style in
            if changed.contains("fontSize") { style.size = nil }
            if changed.contains("fontColor") { style.color = nil }
            if changed.contains("fontStyle") {
                let names = (normal["fontStyle"]?.array ?? []).compactMap(\.string)
                (style.isBold, style.isItalic) = (names.contains("bold"), names.contains("italic"))
            }
        }
        guard AnnotationKind(of: normal) != .text else {
            return (.string(restyled.richText(in: TextStyle(of: normal), css: wanted["DS"]?.string)), true)
        }
        let css = TextStyle.firstStyle(in: source)
        var whole = TextStyle()
        if let text = css { whole.read(text) }
        return (.string(restyled.richText(in: whole, css: css)), true)
    }

    /// The member that holds the text; nil for none.
    private var member: String? {
        rules.isEmpty
            ? nil
            : GovernedEntries.rules(for: AnnotationKind(of: after)).first {
                $0.keys.contains("Contents") && after[$0.member] != nil
            }?.member
    }

    /// Whether a text has other styles, in the same words.
    private static func changesLooks(
        of member: String, _ old: PDFDictionary, _ was: JSONObject, _ new: JSONObject
    ) -> Bool {
        guard let styled = StyledText(of: new, member), let said = was[member].flatMap(CommentText.init(json:)),
            let looks = styled.styling(said.words)
        else { return false }
        let whole = TextStyle(of: new)
        guard let present = StyledText(of: old, saying: said.words) else { return styled.differs(from: whole) }
        return !looks.looksLike(present, in: whole)
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

    /// A call-out's line moves with its text, if the record does not say where it is.
    private func moveCallout(_ result: inout [String: PDFObject?]) {
        guard after["callout"] == nil, let line = old.numbers("CL"), let from = old.numbers("Rect"), from.count == 4,
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
        for word in text.prefix(scalars: AnnotationReader.maxStyle).split(whereScalar: \.properties.isWhitespace) {
            result[result.count - 1].append(word)
            if word.unicodeScalars.first?.properties.isAlphabetic == true { result.append([]) }
        }
        return result.filter { !$0.isEmpty }
    }
}
