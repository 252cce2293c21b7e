import Screen
import Testing

@Suite struct AreaTests {
    let area = Area(row: 2, column: 3, rows: 10, columns: 20)

    @Test func piecesCoverTheWhole() {
        let (top, below) = area.split(top: 4)
        #expect(top == Area(row: 2, column: 3, rows: 4, columns: 20))
        #expect(below == Area(row: 6, column: 3, rows: 6, columns: 20))
        let (above, bottom) = area.split(bottom: 1)
        #expect(above == Area(row: 2, column: 3, rows: 9, columns: 20))
        #expect(bottom == Area(row: 11, column: 3, rows: 1, columns: 20))
        let (left, after) = area.split(left: 5)
        #expect(left == Area(row: 2, column: 3, rows: 10, columns: 5))
        #expect(after == Area(row: 2, column: 8, rows: 10, columns: 15))
        let (before, right) = area.split(right: 5)
        #expect(before == Area(row: 2, column: 3, rows: 10, columns: 15))
        #expect(right == Area(row: 2, column: 18, rows: 10, columns: 5))
    }

    @Test func cuttingOffMoreThanThereIsLeavesNothing() {
        #expect(area.split(top: 11).rest.isEmpty)
        #expect(area.split(top: 11).top == area)
        #expect(area.split(bottom: 99).rest.isEmpty)
        #expect(area.split(left: -3).left.isEmpty)
        #expect(area.inset(rows: 6, columns: 1).isEmpty)
        #expect(area.inset(rows: 1, columns: 2) == Area(row: 3, column: 5, rows: 8, columns: 16))
    }

    @Test func areasMeet() {
        #expect(area.contains(Position(row: 2, column: 3)))
        #expect(!area.contains(Position(row: 12, column: 3)))
        #expect(area.intersection(Area(row: 0, column: 0, rows: 3, columns: 99)).rows == 1)
        #expect(area.intersection(Area(row: 50, column: 50, rows: 3, columns: 3)).isEmpty)
    }
}
