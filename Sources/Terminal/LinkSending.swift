import Screen

/// Cells to send anew because they lead to an address, or no longer do.
struct LinkToSend: Hashable {
    var row: Int
    var columns: Range<Int>
    /// nil: no link any longer.
    var target: LinkTarget?
}

extension Canvas {
    /// Returns the links that the terminal does not have yet, or may lose because ncurses sends cells near them again,
    /// and the places of those that are gone.
    func linksToSend(since old: Canvas?) -> [LinkToSend] {
        guard let old, old.size == size else {
            return links.map { LinkToSend(row: $0.row, columns: $0.columns, target: $0.target) }
        }
        guard !links.isEmpty || !old.links.isEmpty else { return [] }
        let (known, wanted) = (Set(old.links), Set(links))
        let gone = old.links.filter { !wanted.contains($0) }.map {
            LinkToSend(row: $0.row, columns: $0.columns, target: nil)
        }
        let sent = links.filter { link in
            guard known.contains(link) else { return true }
            // Cells before the first difference stay as they are.
            return changedColumns(inRow: link.row, since: old).map { link.columns.upperBound >= $0.lowerBound } ?? false
        }
        return gone + sent.map { LinkToSend(row: $0.row, columns: $0.columns, target: $0.target) }
    }
}
