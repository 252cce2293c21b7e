import Annotations
import Screen

/// Separates text repeated on every page (heads, feet, page numbers) from the page's content.
struct RunningHeads {
    let words: [PageWord]
    let pageHeight: Double
    /// Usual height of a word of body text.
    let height: Double

    /// Splits the words of a page into content and running heads.
    func split(_ region: [Int]) -> (matter: [Int], heads: [Int]) {
        let bands = PageBand.bands(of: region, in: words)
        guard bands.count >= 4, pageHeight > 0 else { return (region, []) }
        let first = (1...2).reversed().first { isHead(Array(bands[..<$0]), next: bands[$0]) } ?? 0
        let last = (1...2).reversed().first { count in
            isHead(bands[(bands.count - count)...].reversed(), next: bands[bands.count - count - 1])
        }
        let end = bands.count - (last ?? 0)
        return (
            bands[first..<end].flatMap(\.words), bands[..<first].flatMap(\.words) + bands[end...].flatMap(\.words)
        )
    }

    /// Whether bands, from the edge of the page inwards, are a running head: small, at the very edge or with a page
    /// number, and away from the next band.
    private func isHead(_ bands: [PageBand], next: PageBand) -> Bool {
        guard let outer = bands.first, let inner = bands.last, bands.allSatisfy(isQuiet) else { return false }
        let gap = distance(inner, next)
        let within = zip(bands, bands.dropFirst()).map(distance).max() ?? 0
        guard within < gap * 0.7 else { return false }
        let number = bands.contains { $0.words.contains { words[$0].isPageNumber } }
        guard gap > height * (number && bands.count == 1 ? 0.9 : 1.5) else { return false }
        return number || isAtEdge(outer) || bands.allSatisfy { $0.box.height < height * 0.9 }
    }

    /// Returns the distance between two bands' letter cores, because boxes of large letters extend beyond the letters.
    private func distance(_ one: PageBand, _ other: PageBand) -> Double {
        let (upper, lower) = one.box.top <= other.box.top ? (one, other) : (other, one)
        let bottom = upper.words.map { words[$0].coreBottom }.max() ?? upper.box.bottom
        let top = lower.words.map { words[$0].coreTop }.min() ?? lower.box.top
        return top - bottom
    }

    private func isQuiet(_ band: PageBand) -> Bool {
        let isNearEdge = band.box.bottom < pageHeight * 0.1 || band.box.top > pageHeight * 0.9
        return isNearEdge && band.rows(height: height) == 1
            && band.words.allSatisfy { words[$0].box.height <= height * 1.2 }
    }

    private func isAtEdge(_ band: PageBand) -> Bool {
        band.box.bottom < pageHeight * 0.055 || band.box.top > pageHeight * 0.945
    }
}

extension PageWord {
    /// A number alone, in digits or lower-case Roman numerals.
    fileprivate var isPageNumber: Bool {
        shown.count <= 5
            && (shown.allSatisfy(\.isDigit) || shown.allSatisfy { "ivxlc".unicodeScalars.contains($0.base) })
    }
}
