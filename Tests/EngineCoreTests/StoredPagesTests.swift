import Annotations
import EngineCore
import Testing

@Suite("Pages as stored")
struct StoredPagesTests {
    @Test func plainPagesAreTheirSize() throws {
        let pages = [ServerDocument.Page(width: 612, height: 792.5)]
        #expect(pages.json == "[[612,792.5]]")
        #expect(try [ServerDocument.Page](json: pages.json) == pages)
    }

    @Test func aTurnedPageIsTurnedAgain() throws {
        let pages = [ServerDocument.Page(PageFrame(left: -3, bottom: 4.25, width: 100, height: 200, turns: 1))]
        #expect((pages[0].width, pages[0].height) == (200, 100))
        #expect(try [ServerDocument.Page](json: pages.json) == pages)
    }

    @Test func aScaledPageKeepsItsUnit() throws {
        let pages = [ServerDocument.Page(PageFrame(width: 100, height: 200, unit: 2.5))]
        #expect(pages.json == "[[100,200,0,0,0,2.5]]")
        #expect(try [ServerDocument.Page](json: pages.json) == pages)
    }

    @Test(arguments: ["[[1,2,3,4,0,-1]]", "[]", "7", "[[]]", #"[["a",1]]"#, "[[1,2,3,4,1e300]]"])
    func whatIsBrokenIsNoCrash(_ json: String) throws {
        _ = try [ServerDocument.Page](json: json)
    }
}
