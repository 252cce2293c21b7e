/// Finds the numbers along the axes of a figure, which are not read row by row.
enum FigureLabels {
    /// Minimum number of rows; fewer are not conclusive.
    private static let fewestRows = 4

    /// Returns the indices of rows with labels: runs of rows that hold little except widely spaced numbers.
    static func rows(in rows: [PageRow], words: [PageWord]) -> Set<Int> {
        var found: Set<Int> = []
        var start = 0
        while start < rows.count {
            var end = start
            var stretches = 0
            var numbers = 0
            while end < rows.count, let own = numberCount(of: rows[end], words) {
                stretches += rows[end].stretches.count
                numbers += own
                end += 1
            }
            if end - start >= fewestRows, numbers * 4 >= stretches * 3 { found.formUnion(start..<end) }
            start = max(end, start + 1)
        }
        return found
    }

    /// Returns the number of stretches that are only a number; nil for a row with text.
    private static func numberCount(of row: PageRow, _ words: [PageWord]) -> Int? {
        guard row.count <= 60 else { return nil }
        let numbers = row.stretches.count { stretch in
            stretch.words.count <= 2
                && stretch.words.allSatisfy { word in
                    words[word].shown.count <= 8 && words[word].shown.contains(where: \.isDigit)
                        && !words[word].shown.contains(where: \.isLetter)
                }
        }
        return numbers > 0 ? numbers : nil
    }
}
