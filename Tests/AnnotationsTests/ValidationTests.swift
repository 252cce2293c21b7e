import Annotations
import Testing

/// The members that create and replace require; all others are optional.
@Suite("Validation")
struct ValidationTests {
    @Test(arguments: [
        (#"{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,32,32]}"#, InvalidContent?.none),
        (#"{"v":2,"type":"vendor/new","pageIndex":9,"bbox":[1,2,0,0]}"#, nil),
        (#"{"v":1,"type":"pspdfkit/comment","rootId":"R","text":"hello"}"#, nil),
        (#"{"v":2,"rootId":"R","text":{"format":"plain","value":""}}"#, nil),
        (#"{"v":1,"pageIndex":0,"bbox":[1,2,3,4]}"#, .missingType),
        (#"{"v":1,"type":"","pageIndex":0,"bbox":[1,2,3,4]}"#, .missingType),
        (#"{"v":1,"type":5,"pageIndex":0,"bbox":[1,2,3,4]}"#, .missingType),
        (#"{"type":"a","pageIndex":0,"bbox":[1,2,3,4]}"#, .badVersion),
        (#"{"v":3,"type":"a","pageIndex":0,"bbox":[1,2,3,4]}"#, .badVersion),
        (#"{"v":"1","type":"a","pageIndex":0,"bbox":[1,2,3,4]}"#, .badVersion),
        (#"{"v":1,"type":"a","bbox":[1,2,3,4]}"#, .badPageIndex),
        (#"{"v":1,"type":"a","pageIndex":-1,"bbox":[1,2,3,4]}"#, .badPageIndex),
        (#"{"v":1,"type":"a","pageIndex":10,"bbox":[1,2,3,4]}"#, .badPageIndex),
        (#"{"v":1,"type":"a","pageIndex":1000000000,"bbox":[1,2,3,4]}"#, .badPageIndex),
        (#"{"v":1,"type":"a","pageIndex":0.5,"bbox":[1,2,3,4]}"#, .badPageIndex),
        (#"{"v":1,"type":"a","pageIndex":0}"#, .badBox),
        (#"{"v":1,"type":"a","pageIndex":0,"bbox":[1,2,3]}"#, .badBox),
        (#"{"v":1,"type":"a","pageIndex":0,"bbox":[1,2,-3,4]}"#, .badBox),
        (#"{"v":1,"type":"a","pageIndex":0,"bbox":[1,2,1e999,4]}"#, .badBox),
        (#"{"v":1,"type":"pspdfkit/comment"}"#, .missingText),
        (#"{"v":1,"rootId":"R","text":{"format":"plain"}}"#, .missingText),
    ])
    func aDocumentOfTenPages(text: String, problem: InvalidContent?) throws {
        let content = try Content(text)
        #expect(Self.problem(of: content) == problem)
    }

    @Test func size() throws {
        let filling = String(repeating: "x", count: Content.maximumBytes)
        let content = try Content(#"{"v":1,"rootId":"R","text":"\#(filling)"}"#)
        #expect(Self.problem(of: content) == .tooLarge(bytes: filling.utf8.count + 30, limit: 1 << 20))
    }

    @Test("Without a page count any plausible page is valid")
    func unknownPages() throws {
        try Content(#"{"v":1,"type":"a","pageIndex":4000,"bbox":[1,2,3,4]}"#).validate()
    }

    private static func problem(of content: Content) -> InvalidContent? {
        do { try content.validate(pageCount: 10) } catch { return error }
        return nil
    }
}
