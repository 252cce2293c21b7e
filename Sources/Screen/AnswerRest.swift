/// Recognises the rest of an answer of the terminal that a slow line has cut, and that came too late to be one sequence
/// with its beginning.
enum AnswerRest {
    /// Whether `rest` goes on with an answer that began with `start`. One byte that a person may as well type counts only
    /// if it ends the answer.
    ///
    /// - Parameter start: Begins with Esc; may be nothing else.
    static func continues(_ start: [UInt8], with rest: [UInt8]) -> Bool {
        let whole = start + rest
        guard whole.count > 2 else { return false }
        switch whole[1] {
        case UInt8(ascii: "["): return continuesSequence(whole, isTyped: rest.count == 1)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"):
            guard KeyGrammar.beginsAnswer(whole[1], whole[2]) else { return false }
            return continuesString(whole, isTyped: rest.count == 1, rest: rest)
        default: return false
        }
    }

    private static func continuesSequence(_ whole: [UInt8], isTyped: Bool) -> Bool {
        switch ControlSequence.read(whole[...], isLast: false) {
        case .report: return true
        case .incomplete: return !isTyped
        case .nothing(let length):
            // Attributes, a cursor position, a status, a mode, a size.
            return "cRnuyt".utf8.contains(whole[length - 1])
        case .key, .pasteBegins, .answerBegins: return false
        }
    }

    /// Such a string ends with BEL or Esc `\`.
    private static func continuesString(_ whole: [UInt8], isTyped: Bool, rest: [UInt8]) -> Bool {
        if let control = whole[2...].firstIndex(where: { $0 < 0x20 }) {
            if whole[control] == 0x07 { return true }
            guard whole[control] == KeyGrammar.escape else { return false }
            let next = control + 1
            return next < whole.count ? whole[next] == UInt8(ascii: "\\") : !isTyped
        }
        guard !isTyped else { return false }
        return whole[1] != UInt8(ascii: "]") || rest.allSatisfy(isInColor)
    }

    /// Whether the byte occurs in `11;rgba:ffff/ffff/ffff/ffff`.
    private static func isInColor(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: ":;/rg?".utf8.contains(byte)
        }
    }
}
