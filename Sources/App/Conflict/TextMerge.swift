import Annotations
import Screen

/// A merge of two versions of a text, line by line (as diff3 does): what only one side changed is taken from it, what
/// both changed differently stands between marker lines that name the sides.
struct TextMerge: Equatable, Sendable {
    let text: String
    /// The marker lines in the text, byte for byte; empty if nothing was changed by both. No line of either version is
    /// one.
    let markers: [String]

    /// Longer texts are merged as one piece: comparing takes the product of the lengths.
    private static let maxLines = 1_000
    private static let leastWidth = 7

    /// - Parameters:
    ///   - base: The common version; nil if there is none: then what both have is.
    ///   - name: The other person's, cleaned.
    init(base: String?, theirs: String, mine: String, theirName name: String) {
        func lines(_ text: String) -> [Substring] { text.split(scalar: "\n", omittingEmptySubsequences: false) }
        let (their, my) = (lines(theirs), lines(mine))
        // A text may be about conflicts in version control, and have such lines itself.
        let rows = (their + my).filter { ["<", "=", ">"].contains($0.unicodeScalars.first) }
        let taken = Set(rows.map { ByteOrdered(String($0)) })
        let markers =
            (Self.leastWidth...).lazy
            .map { Self.markers($0, name) }
            .first { !$0.contains { taken.contains(ByteOrdered($0)) } } ?? Self.markers(Self.leastWidth, name)
        let pieces = Self.pieces(base.map(lines), their, my)
        var all: [Substring] = []
        var isMarked = false
        for piece in pieces {
            switch piece {
            case .agreed(let lines): all += lines
            case .conflict(_, let mine, let theirs):
                isMarked = true
                all += [markers[0][...]] + theirs + [markers[1][...]] + mine + [markers[2][...]]
            }
        }
        text = all.joined(separator: "\n")
        self.markers = isMarked ? markers : []
    }

    /// The only version of a text.
    init(only text: String) { (self.text, markers) = (text, []) }

    private static func markers(_ width: Int, _ name: String) -> [String] {
        let (start, middle, end) = ("<", "=", ">")
        func row(_ sign: String) -> String { String(repeating: sign, count: width) }
        return [row(start) + " theirs: " + name, row(middle), row(end) + " yours"]
    }

    private static func pieces(
        _ base: [Substring]?, _ their: [Substring], _ my: [Substring]
    ) -> [ThreeWay.Piece<Substring>] {
        let whole = [ThreeWay.Piece.conflict(base: base ?? [], mine: my, theirs: their)]
        guard base != nil || max(their.count, my.count) <= maxLines else { return whole }
        let old = base ?? Matches(their, my).common(of: their)
        guard [old.count, their.count, my.count].allSatisfy({ $0 <= maxLines }) else {
            return their == my ? [.agreed(my)] : whole
        }
        return ThreeWay.pieces(base: old, mine: my, theirs: their)
    }

    /// The marker line that is left in an edited text, byte for byte; nil if there is none.
    func markerLeft(in edited: String) -> String? {
        let lines = edited.split(scalar: "\n", omittingEmptySubsequences: false)
        return markers.first { marker in lines.contains { $0.utf8.elementsEqual(marker.utf8) } }
    }

    /// Names both versions: a draft belongs to the merge that it was written for, and not to that of later versions.
    var name: String {
        // FNV-1a. It tells the merges of one record apart, and nothing depends on it being hard to forge.
        let hash = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}
