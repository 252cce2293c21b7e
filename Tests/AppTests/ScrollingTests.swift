import Testing

@testable import App

@Suite struct ScrollingTests {
    /// Ten visible rows of a hundred, with the first row and the cursor's row given.
    @Test(arguments: [
        (0, 5, 0), (0, 9, 0), (0, 10, 1), (20, 19, 19), (20, 29, 20), (20, 30, 21), (20, 50, 47), (20, 2, 0),
        (60, 99, 90),
        (95, 99, 90), (50, 0, 0),
    ])
    func tenOfAHundred(top: Int, cursor: Int, expected: Int) {
        #expect(Scrolling.top(top, cursor: cursor, rows: 10, count: 100) == expected)
    }

    @Test func fewRowsOrNoneStayAtTheTop() {
        #expect(Scrolling.top(3, cursor: 2, rows: 10, count: 4) == 0)
        #expect(Scrolling.top(0, cursor: 0, rows: 0, count: 0) == 0)
    }

    @Test func theCursorIsAlwaysInSight() {
        for top in 0..<40 {
            for cursor in 0..<40 {
                for rows in 1..<12 {
                    let first = Scrolling.top(top, cursor: cursor, rows: rows, count: 40)
                    #expect((first..<first + rows).contains(cursor))
                }
            }
        }
    }
}
