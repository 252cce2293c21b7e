import Annotations
import FileCore
import Testing

@Suite("The ids of annotations in a file")
struct FileNamesTests {
    private func record(_ number: String, _ name: String?, page: Int = 0) -> Record {
        let name = name.map { #","name":"\#($0)""# } ?? ""
        return Record(id: number, content: Content(checked: #"{"type":"pspdfkit/note","pageIndex":\#(page)\#(name)}"#))
    }

    private func ids(_ records: [Record]) -> [String] {
        let ids = FileNames.ids(of: records)
        return records.map { ids[ByteOrdered($0.id)] ?? "" }
    }

    @Test func aNameIsTheIDWhoeverWroteIt() {
        let uuid = "64f8ca28-6f57-4d2e-9f1c-9f0a7a3f2b11"
        #expect(
            ids([record("6", uuid), record("7", nil), record("8", "01J5Z3V6S8Q4T2W0X9Y7A1B3C5")])
                == [uuid, "7", "01J5Z3V6S8Q4T2W0X9Y7A1B3C5"])
    }

    @Test func aNameThatTwoAnnotationsOfAPageHaveIsNone() {
        #expect(ids([record("6", "a"), record("7", "a")]) == ["6", "7"])
    }

    @Test("A name that several pages have is the id of the first annotation, also when a later one comes")
    func theFirstOneKeepsIt() {
        #expect(ids([record("6", "fitz-A0")]) == ["fitz-A0"])
        #expect(ids([record("12", "fitz-A0", page: 1), record("6", "fitz-A0")]) == ["12", "fitz-A0"])
    }

    @Test func aNumberIsNoName() {
        #expect(ids([record("6", "7"), record("7", nil)]) == ["6", "7"])
    }

    @Test func theValueOfAFieldIsNamedAfterItsWidget() {
        let value = Record(
            id: "6:value", content: Content(checked: #"{"type":"pspdfkit/form-field-value","name":"year","value":"1"}"#)
        )
        #expect(ids([value, record("6", "the widget")]) == ["6:value", "6"])
        #expect(ids([value, record("6", "widget")]) == ["widget:value", "widget"])
        // The name of a field is no name of an annotation.
        #expect(ids([value, record("7", "year")]) == ["6:value", "year"])
    }
}
