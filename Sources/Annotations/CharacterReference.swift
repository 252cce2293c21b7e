extension Unicode.Scalar {
    /// What a reference stands for that every XML knows (XML 1.0, sections 4.1 and 4.6).
    ///
    /// - Parameter reference: what stands between `&` and `;`: `amp`, `#233`, `#xE9`.
    package init?(reference: some StringProtocol) {
        switch reference {
        case "amp": self = "&"
        case "lt": self = "<"
        case "gt": self = ">"
        case "quot": self = "\""
        case "apos": self = "'"
        default:
            let isHexadecimal = reference.hasPrefix("#x")
            let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
            guard reference.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
                let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(value)
            else { return nil }
            self = scalar
        }
    }
}
