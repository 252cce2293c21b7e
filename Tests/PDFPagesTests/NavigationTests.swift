import TestSupport
import Testing

@testable import PDFPages

/// The outline and the page labels of a file.
@Suite(.inTurns) struct NavigationTests {
    private func navigation(catalog: String, _ extra: [String], pages: Int = 5) async throws -> PDFNavigation {
        var pdf = SmallPDF()
        pdf.pages = (0..<pages).map { ("/MediaBox[0 0 612 792]", "BT /F1 20 Tf 100 602 Td (Page \($0)) Tj ET") }
        pdf.catalog = catalog
        pdf.extra = extra
        let folder = try Folder()
        return try await PDFTools().navigation(of: folder.write(pdf.bytes))
    }

    @Test func headingsInTheOrderTheyAreReadIn() async throws {
        let found = try await navigation(
            catalog: "/Outlines 14 0 R",
            [
                "<</First 15 0 R/Last 17 0 R>>", "<</Title(One)/Dest[4 0 R/Fit]/First 16 0 R/Next 17 0 R>>",
                "<</Title(One and a half)/A<</S/GoTo/D[2/Fit]>>>>", "<</Title(Two)/Dest(nowhere)>>",
            ])
        #expect(
            found.outline.map { "\($0.depth) \($0.title) \($0.pageIndex.map(String.init) ?? "-")" }.prefix(2) == [
                "0 One 0", "1 One and a half 2",
            ])
        #expect(found.outline.count == 3)
        #expect(found.outline[2].pageIndex == nil)
        #expect(found.labels.isEmpty)
    }

    @Test func anOutlineThatIsALoopEnds() async throws {
        let found = try await navigation(
            catalog: "/Outlines 14 0 R",
            [
                "<</First 15 0 R>>", "<</Title(A)/First 15 0 R/Next 16 0 R>>", "<</Title(B)/Next 15 0 R/First 14 0 R>>",
            ])
        #expect(found.outline.map(\.title).prefix(2) == ["A", "B"])
        #expect(found.outline.count <= 3)
    }

    @Test func labelsByRange() async throws {
        let found = try await navigation(
            catalog: "/PageLabels<</Nums[0<</S/r/St 3>>2<</S/D>>3<</P(A-)/S/A/St 27>>4<</P(Cover)>>]>>", [])
        #expect(found.labels == ["iii", "iv", "1", "A-AA", "Cover"])
    }

    @Test(arguments: [
        ("/PageLabels<</Nums[1<</S/R/St 1999>>]>>", ["1", "MCMXCIX", "MM", "MMI", "MMII"]),
        ("/PageLabels<</Kids[14 0 R 15 0 R]>>", ["1", "2", "b", "c", "d"]),
        ("/PageLabels<</Nums[0<</S/D/St -5>>]>>", ["1", "2", "3", "4", "5"]),
        ("/PageLabels<</Nums[-1<</S/r>>(x)<<>>]>>", []), ("/PageLabels 99 0 R", []), ("/PageLabels[1 2]", []),
    ])
    func oddLabels(catalog: String, labels: [String]) async throws {
        let kids = ["<</Nums[0<</S/D>>]>>", "<</Nums[2<</S/a/St 2>>]>>"]
        #expect(try await navigation(catalog: catalog, kids).labels == labels)
    }
}
