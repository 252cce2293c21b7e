import Annotations

/// Moves the dates in a sample PDF near the present, so that the demo does not look abandoned. All move by the same time,
/// so that the ages, and with them the screen, are the same at any time of the day. The file's length stays.
enum SampleDates {
    /// - Returns: The file, its newest date two hours and five minutes before `now`; unchanged if it has no dates.
    static func recent(_ pdf: [UInt8], now: Timestamp) -> [UInt8] {
        let dates = dates(in: pdf)
        guard let newest = dates.map(\.date).max() else { return pdf }
        let shift = (now.milliseconds - newest.milliseconds) / 1000 * 1000 - age
        var moved = pdf
        for (place, date) in dates {
            let digits = (date + shift).iso8601.filter(\.isNumber).prefix(scalars: 14)
            moved.replaceSubrange(place..<place + 14, with: digits.utf8)
        }
        return moved
    }

    private static let age: Int64 = 125 * 60_000

    /// The dates as PDF writes them, `(D:20260105090000Z)`, and where their digits begin.
    private static func dates(in pdf: [UInt8]) -> [(place: Int, date: Timestamp)] {
        let start = Array("(D:".utf8)
        var found: [(Int, Timestamp)] = []
        for place in pdf.indices.dropLast(18)
        where pdf[place] == start[0] && pdf[place..<place + 3].elementsEqual(start) {
            let digits = pdf[place + 3..<place + 17].map { Character(Unicode.Scalar($0)) }
            guard digits.allSatisfy(\.isNumber), pdf[place + 17] == UInt8(ascii: "Z") else { continue }
            func part(_ range: Range<Int>) -> String { String(digits[range]) }
            let text =
                "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"
            if let date = Timestamp(iso8601: text) { found.append((place + 3, date)) }
        }
        return found
    }
}
