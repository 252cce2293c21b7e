extension Timestamp {
    /// Parses a date in PDF syntax, `D:20240625182216-07'00'` (ISO 32000-1, 7.9.4).
    ///
    /// Everything after the year is optional; the default time zone is UTC. Returns nil if the text is not a date.
    package init?(pdf text: String) {
        var rest = (text.dropping(prefix: "D:") ?? text[...]).unicodeScalars
        func digits(_ count: Int) -> Substring? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return Substring(digits)
        }
        guard let year = digits(4) else { return nil }
        let day = "\(year)-\(digits(2) ?? "01")-\(digits(2) ?? "01")"
        let time = "\(digits(2) ?? "00"):\(digits(2) ?? "00"):\(digits(2) ?? "00")"
        var zone = "Z"
        if let sign = rest.popFirst(), sign == "+" || sign == "-" {
            let hours = digits(2) ?? "00"
            if rest.first == "'" { rest.removeFirst() }
            zone = "\(sign)\(hours):\(digits(2) ?? "00")"
        }
        self.init(iso8601: "\(day)T\(time)\(zone)")
    }

    /// The time in PDF syntax: `D:20240625182216Z`.
    package var pdf: String { "D:" + iso8601.prefix(scalars: 19).filter(\.isNumber) + "Z" }
}
