/// A terminal colour. The sixteen named colours are the terminal's own, so they suit its background.
package enum Color: Hashable, Sendable {
    case normal
    case black, red, green, yellow, blue, magenta, cyan, white
    case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan, brightWhite
    /// A colour of xterm's 256-colour palette.
    case indexed(UInt8)
    case rgb(UInt8, UInt8, UInt8)
}

/// Text attributes, which work without colour.
package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let underline = Attributes(rawValue: 4)
    package static let reverse = Attributes(rawValue: 8)
    package static let italic = Attributes(rawValue: 16)
}

/// The look of a cell.
package struct Style: Hashable, Sendable {
    package static let normal = Style()

    package var foreground: Color
    package var background: Color
    package var attributes: Attributes

    package init(_ attributes: Attributes = [], foreground: Color = .normal, background: Color = .normal) {
        self.attributes = attributes
        self.foreground = foreground
        self.background = background
    }

    /// Adds the attributes of `other`, and its colours where it has any.
    package func adding(_ other: Style) -> Style {
        Style(
            attributes.union(other.attributes),
            foreground: other.foreground == .normal ? foreground : other.foreground,
            background: other.background == .normal ? background : other.background)
    }

    package func adding(_ more: Attributes) -> Style {
        adding(Style(more))
    }

    package var withoutColor: Style { Style(attributes) }
}
