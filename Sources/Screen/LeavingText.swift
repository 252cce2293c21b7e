/// Text that leaves the program for people or for other programs: the clipboard, a paste buffer, a desktop notice, the
/// buffer of an editor, the words given to a hook. What acts on a terminal or hides in the text is removed, because it
/// is not what the person saw: pasted into a shell, `ESC[201~` ends the paste and runs the next line.
///
/// | in the text | becomes |
/// |---|---|
/// | CR LF, CR, U+2028, U+2029 | LF |
/// | all other control characters except LF and tab: U+0000 to U+001F, U+007F to U+009F | removed |
/// | the overrides U+202D and U+202E | removed |
/// | isolates U+2066 to U+2069 without their partner on the same line | removed |
/// | tags U+E0000 to U+E007F outside the flag of a region | removed |
///
/// Everything else stays: joiners, variation selectors, directional marks and balanced isolates spell words and emoji.
/// Unlike ``CleanText``, the text is for use, not for cells; unlike ``PrintableText``, it has no stand-ins.
package struct LeavingText: Hashable, Sendable {
    package let string: String
    /// How many characters were removed. Replaced line ends are not counted.
    package let removed: Int

    package init(_ text: String) {
        guard !Self.isPlain(text) else {
            (string, removed) = (text, 0)
            return
        }
        var cleaning = Cleaning(text)
        cleaning.removeTags()
        cleaning.removeLoneIsolates()
        (string, removed) = (String(String.UnicodeScalarView(cleaning.scalars)), cleaning.removed)
    }

    /// A fast path, since most text is printable ASCII.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }
    }

    private struct Cleaning {
        private(set) var scalars: [Unicode.Scalar] = []
        private(set) var removed = 0

        /// Unifies line ends, and removes control characters and overrides.
        init(_ text: String) {
            var previous: Unicode.Scalar?
            for scalar in text.unicodeScalars {
                defer { previous = scalar }
                switch scalar.value {
                case 0x0A: if previous != "\r" { scalars.append("\n") }
                case 0x0D, 0x2028, 0x2029: scalars.append("\n")
                case 0x09: scalars.append(scalar)
                case 0..<0x20, 0x7F..<0xA0, 0x202D, 0x202E: removed += 1
                default: scalars.append(scalar)
                }
            }
        }

        /// Tags are invisible. In the flag of a region, such as Scotland, they name it (UTS 51, emoji tag sequences).
        mutating func removeTags() {
            let isTag: (Unicode.Scalar) -> Bool = { (0xE0000...0xE007F).contains($0.value) }
            guard scalars.contains(where: isTag) else { return }
            var kept: [Unicode.Scalar] = []
            var rest = scalars[...]
            while let scalar = rest.popFirst() {
                if isTag(scalar) {
                    removed += 1
                    continue
                }
                kept.append(scalar)
                guard scalar == "\u{1F3F4}" else { continue }
                let region = rest.prefix {
                    (0xE0030...0xE0039).contains($0.value) || (0xE0061...0xE007A).contains($0.value)
                }
                guard (3...6).contains(region.count), rest.dropFirst(region.count).first == "\u{E007F}" else {
                    continue
                }
                kept += rest.prefix(region.count + 1)
                rest = rest.dropFirst(region.count + 1)
            }
            scalars = kept
        }

        /// An isolate ends with its line, at the latest (UAX 9).
        mutating func removeLoneIsolates() {
            var open: [Int] = []
            var lone: Set<Int> = []
            for (index, scalar) in scalars.enumerated() {
                switch scalar.value {
                case 0x2066...0x2068: open.append(index)
                case 0x2069: if open.popLast() == nil { lone.insert(index) }
                case 0x0A:
                    lone.formUnion(open)
                    open = []
                default: break
                }
            }
            lone.formUnion(open)
            guard !lone.isEmpty else { return }
            removed += lone.count
            scalars = scalars.indices.filter { !lone.contains($0) }.map { scalars[$0] }
        }
    }
}
