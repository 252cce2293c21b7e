package import Screen

/// How a terminal takes pictures.
package enum PictureFormat: Hashable, Sendable {
    /// The graphics protocol of kitty, which ghostty, WezTerm and Konsole know too.
    case kitty
    /// DEC's, of xterm, foot, mlterm and others.
    case sixel

    /// What a terminal is asked, in an order that makes the answer to the last question the last one.
    static let query = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c".utf8)

    /// What the answers say; nil: no pictures.
    package init?(_ reports: [TerminalReport]) {
        if reports.contains(.graphics(isUnderstood: true)) {
            self = .kitty
        } else if reports.contains(where: { if case .attributes(let list) = $0 { list.contains(4) } else { false } }) {
            self = .sixel
        } else {
            return nil
        }
    }
}
