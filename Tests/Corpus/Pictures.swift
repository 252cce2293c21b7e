import Foundation

/// Compares the pages of two PDFs as poppler draws them, pixel by pixel.
struct Pictures {
    let folder: URL
    /// Pixels per inch.
    static let resolution = 50.0

    /// A rectangle in points from the top left corner of a page, in which everything may differ.
    struct Spot {
        var page: Int
        var left, top, width, height: Double
    }

    /// Returns what differs, as sentences, a page each.
    func differences(_ original: String, _ other: String, pages: Int, except spots: [Spot]) throws -> [String] {
        var found: [String] = []
        for page in 0..<pages {
            guard let one = try picture(original, page) else { continue }
            guard let two = try picture(other, page) else {
                found.append("page \(page + 1) cannot be drawn any more")
                continue
            }
            guard one.width == two.width, one.height == two.height else {
                found.append("page \(page + 1) has another size")
                continue
            }
            let count = count(one, two, spots.filter { $0.page == page })
            if count > 0 { found.append("page \(page + 1): \(count) of \(one.width * one.height) pixels differ") }
        }
        return found
    }

    private struct Picture {
        var width, height: Int
        var pixels: Data
    }

    private func count(_ one: Picture, _ two: Picture, _ spots: [Spot]) -> Int {
        guard one.pixels != two.pixels else { return 0 }
        let scale = Self.resolution / 72
        // The border of a drawing may be as thick as a few points, and the icon of a note larger than its box.
        let masks = spots.map { spot in
            (
                Int((spot.left - 8) * scale)...Int((spot.left + max(spot.width, 24) + 8) * scale),
                Int((spot.top - 8) * scale)...Int((spot.top + max(spot.height, 24) + 8) * scale)
            )
        }
        var count = 0
        let (first, second) = (Array(one.pixels), Array(two.pixels))
        for place in first.indices where first[place] != second[place] {
            let (x, y) = (place % one.width, place / one.width)
            if !masks.contains(where: { $0.0.contains(x) && $0.1.contains(y) }) { count += 1 }
        }
        return count
    }

    /// Returns a page in shades of grey; nil if it cannot be drawn.
    private func picture(_ file: String, _ page: Int) throws -> Picture? {
        let run = try Tool.run(
            "pdftoppm",
            ["-q", "-gray", "-cropbox", "-r", "\(Self.resolution)", "-f", "\(page + 1)", "-l", "\(page + 1)", file],
            in: folder)
        // P5, width, height and depth, then the pixels.
        var rest = run.output[...]
        func word() -> String? {
            rest = rest.drop { $0 <= 0x20 }
            let word = rest.prefix { $0 > 0x20 }
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }
        guard run.status == 0, word() == "P5", let width = word().flatMap({ Int($0) }),
            let height = word().flatMap({ Int($0) }), word() != nil
        else { return nil }
        rest = rest.dropFirst()
        return rest.count == width * height ? Picture(width: width, height: height, pixels: Data(rest)) : nil
    }
}
