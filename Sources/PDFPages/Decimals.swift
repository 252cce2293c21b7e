import Annotations

/// Numbers in content streams and attributes: no exponent, at most four decimals.
package enum Decimals {
    package static func text(_ value: Double) -> String {
        guard case .number(let rounded) = PDFObject.rounded(value) else { return "0" }
        return JSONNumber(rounded).source
    }
}
