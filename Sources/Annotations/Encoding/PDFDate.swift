extension Timestamp {
    /// A date as PDF writes it, `D:20240625182216-07'00'` (ISO 32000-1, 7.9.4).
    ///
    /// Everything after the year may be missing; without a time zone it is taken for UTC. nil for what is no date.
    package init?(pdf text: String) {
        var rest = text.hasPrefix("D:") ? text.dropFirst(2) : text[...]
        func digits(_ count: Int) -> Substring? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return digits
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

    /// As PDF writes it: `D:20240625182216Z`.
    package var pdf: String { "D:" + iso8601.prefix(19).filter(\.isNumber) + "Z" }
}
