import Annotations

/// Numbers as content streams and attributes hold them: no exponent, no more decimals than anybody sees.
package enum Decimals {
    package static func text(_ value: Double) -> String {
        guard case .number(let rounded) = PDFObject.rounded(value) else { return "0" }
        return JSONNumber(rounded).source
    }
}
