import InstantCore
import Testing

/// Which store a process uses, and when a leader counts as silent.
@Suite struct StorePlaceTests {
    struct Row: Sendable {
        var isAccepted: Bool
        var fits: Bool
        var isMain: Bool
        var main: StorePlace.Main
        var place: StorePlace
    }

    static let table: [Row] = [
        // In the main store.
        Row(isAccepted: false, fits: true, isMain: true, main: .fits, place: .here),
        Row(isAccepted: true, fits: true, isMain: true, main: .fits, place: .here),
        Row(isAccepted: false, fits: false, isMain: true, main: .free, place: .side),
        Row(isAccepted: true, fits: false, isMain: true, main: .free, place: .mainConverted),
        Row(isAccepted: false, fits: false, isMain: true, main: .inUse, place: .side),
        Row(isAccepted: true, fits: false, isMain: true, main: .inUse, place: .side),
        // In a side store.
        Row(isAccepted: false, fits: true, isMain: false, main: .fits, place: .here),
        Row(isAccepted: true, fits: true, isMain: false, main: .fits, place: .main),
        Row(isAccepted: false, fits: false, isMain: false, main: .fits, place: .main),
        Row(isAccepted: false, fits: true, isMain: false, main: .free, place: .here),
        Row(isAccepted: true, fits: true, isMain: false, main: .free, place: .mainConverted),
        Row(isAccepted: true, fits: false, isMain: false, main: .free, place: .mainConverted),
        Row(isAccepted: false, fits: false, isMain: false, main: .free, place: .side),
        Row(isAccepted: true, fits: true, isMain: false, main: .inUse, place: .here),
        Row(isAccepted: true, fits: false, isMain: false, main: .inUse, place: .side),
    ]

    @Test(arguments: table) func placesAre(_ row: Row) {
        let place = StorePlace.forView(
            isAccepted: row.isAccepted, fits: row.fits, isMain: row.isMain, main: row.main)
        #expect(place == row.place, "\(row)")
    }

    @Test func nothingOfAClaimedViewIsRemovedAndNothingOfAUsedOne() {
        for row in Self.table where row.place == .mainConverted {
            #expect(row.isAccepted && row.main == .free)
        }
    }

    @Test(
        arguments: [
            (["1", "1", "1", "1", "1"], [false, false, false, true, true]),
            (["1", "1", "1", "2", "2", "2", "2"], [false, false, false, false, false, false, true]),
            // No process leads for a moment.
            (["1", "1", "1", nil, "1", "1"], [false, false, false, false, false, false]),
            ([nil, nil, nil, nil, nil], [false, false, false, false, false]),
        ] as [([String?], [Bool])])
    func aLeaderIsSilentAfterThreeChecksWithoutANewSign(_ signs: [String?], _ silent: [Bool]) {
        var watch = LeaderWatch()
        var found: [Bool] = []
        for sign in signs { found.append(watch.checked(sign)) }
        #expect(found == silent)
    }
}
