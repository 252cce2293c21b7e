/// One input at the terminal: a key, a paste or a mouse event.
///
/// To a terminal, Ctrl-M and Ctrl-[ are Enter and Esc, and have these names here. Ctrl-I is Tab, too, unless the terminal
/// tells them apart (kitty's keyboard protocol). Ctrl-J is a separate key.
package enum Key: Hashable, Sendable {
    case character(Character)
    /// A lower-case letter, a blank, or one of `\ ] ^ _`.
    case control(Character)
    case alt(Character)
    case named(Name, Modifiers)
    /// F1 is `function(1)`.
    case function(Int, Modifiers = [])
    /// Pasted text, unchanged except that every line end is `\n`. Untrusted.
    case paste(String)
    /// Mouse events, with row and column from 0.
    case click(row: Int, column: Int)
    case wheelUp(row: Int, column: Int)
    case wheelDown(row: Int, column: Int)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case enter, escape, tab, backspace, delete, insert, up, down, left, right, home, end
        case pageUp = "pageup"
        case pageDown = "pagedown"
    }

    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let shift = Modifiers(rawValue: 1)
        package static let alt = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }

    package static let enter = Key.named(.enter, [])
    package static let escape = Key.named(.escape, [])
    package static let tab = Key.named(.tab, [])
    package static let backTab = Key.named(.tab, .shift)
    package static let backspace = Key.named(.backspace, [])
    package static let delete = Key.named(.delete, [])
    package static let insert = Key.named(.insert, [])
    package static let up = Key.named(.up, [])
    package static let down = Key.named(.down, [])
    package static let left = Key.named(.left, [])
    package static let right = Key.named(.right, [])
    package static let home = Key.named(.home, [])
    package static let end = Key.named(.end, [])
    package static let pageUp = Key.named(.pageUp, [])
    package static let pageDown = Key.named(.pageDown, [])
}
