import Annotations

/// Tells what is repeated on every page (heads, feet, page numbers) from what the page is about.
enum RunningHeads {
    /// Splits the words of a page into its matter and its running heads.
    static func split(
        _ region: [Int], words: [PageWord], pageHeight: Double, height: Double
    ) -> (matter: [Int], heads: [Int]) {
        let bands = PageBand.bands(of: region, in: words)
        guard bands.count >= 4, pageHeight > 0 else { return (region, []) }
        func isQuiet(_ band: PageBand) -> Bool {
            band.rows(height: height) == 1 && band.words.allSatisfy { words[$0].box.height <= height * 1.2 }
        }
        func isNumber(_ band: PageBand) -> Bool {
            band.words.count == 1 && words[band.words[0]].shown.allSatisfy(\.isDigit)
        }
        var first = 0
        var last = bands.count
        while first < 2, isQuiet(bands[first]), bands[first].box.bottom < pageHeight * 0.1 { first += 1 }
        if first > 0, bands[first].box.top - bands[first - 1].box.bottom < height * 0.9 { first = 0 }
        while last > bands.count - 2, isQuiet(bands[last - 1]), bands[last - 1].box.top > pageHeight * 0.9 { last -= 1 }
        if last < bands.count {
            let gap = bands[last].box.top - bands[last - 1].box.bottom
            if gap < height * 0.9 {
                let only = bands.count - 1
                let near = bands[only].box.top - bands[only - 1].box.bottom
                last = isNumber(bands[only]) && near > height * 0.3 ? only : bands.count
            }
        }
        return (
            bands[first..<last].flatMap(\.words),
            bands[..<first].flatMap(\.words) + bands[last...].flatMap(\.words)
        )
    }
}
