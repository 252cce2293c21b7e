import Screen
import TestSupport

extension Peers {
    /// Postilla on a layer with a complete local copy, with the server running: the first frame comes from the local
    /// store, then the connection is established.
    func postilla(_ layer: FilledLayer) -> Contestant {
        Contestant(
            name: "postilla", command: layer.command, environment: layer.environment,
            isComplete: { $0.showsFirstRows },
            filter: .init(opening: "/", measured: Contestant.Filter.letters, closing: "\u{1B}"))
    }
}

extension VirtualTerminal {
    /// Whether every row of Postilla's list shows a record, and the title the page.
    fileprivate var showsFirstRows: Bool {
        // It opens where the last visit ended.
        guard line(0).contains(#/page \S+ (\(\d+ )?of /#),
            let rule = (0..<size.rows).first(where: { line($0).contains(" Annotations ") }),
            let left = line(rule).firstRange(of: " Annotations ")?.lowerBound
        else { return false }
        // In a stacked layout the title stands in a rule.
        let column = line(rule).hasPrefix("─") ? 0 : line(rule).distance(from: line(rule).startIndex, to: left)
        // Below the rows is the status line or, if there is room, the rule of the detail.
        let rows = (rule + 1..<size.rows - 2).map { String(line($0).dropFirst(column)) }.prefix { !$0.hasPrefix("─") }
        return !rows.isEmpty && rows.allSatisfy { $0.firstMatch(of: /^[▌ ][*^! ]?[A-Z?] +\d+ +[a-z-]/) != nil }
    }
}
