/// `"page \(number): \(title)"` as clean text; interpolated values are cleaned too.
extension CleanText: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(cleaning: value)
    }

    package init(stringInterpolation: Interpolation) {
        self = stringInterpolation.text
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = CleanText()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            text += CleanText(cleaning: literal)
        }

        package mutating func appendInterpolation(_ value: CleanText) {
            text += value
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += CleanText(cleaning: value.description)
        }
    }
}
