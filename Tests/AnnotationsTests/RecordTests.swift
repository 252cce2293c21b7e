import Annotations
import Testing

@Suite("Records")
struct RecordTests {
    @Test func json() throws {
        let content = try Content(#"{"v":1,"opacity":1.50}"#)
        let record = Record(id: "01\"A", content: content, createdBy: "ana", updatedBy: nil, group: "")
        #expect(
            record.json
                == #"{"id":"01\"A","content":{"v":1,"opacity":1.50},"createdBy":"ana","updatedBy":null,"group":""}"#)
        var json = JSONWriter()
        record.write(to: &json, revision: 9)
        #expect(json.text.hasSuffix(#","group":"","revision":9}"#))
    }

    /// Swift's `==` takes both spellings for the same text.
    @Test func recordsWhoseNamesLookAlikeAreDifferent() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let record = Record(id: "a", content: Content(checked: "{}"))
        for place in [\Record.createdBy, \.updatedBy, \.group] {
            var (one, other) = (record, record)
            one[keyPath: place] = composed
            other[keyPath: place] = decomposed
            #expect(one != other)
            other[keyPath: place] = composed
            #expect(one == other && one.hashValue == other.hashValue)
        }
        #expect(Record(id: composed, content: record.content) != Record(id: decomposed, content: record.content))
    }

    @Test(
        "A record is written in place with the same result, or left to the other method",
        arguments: [
            "", "ana", "é日", "a\"b", "a\\", "\n", "\u{7F}", String(repeating: "long ", count: 60),
        ])
    func inPlace(text: String) {
        for record in [
            Record(id: text, content: Content(checked: "{}")),
            Record(id: "1", content: Content(checked: #"{"v":1}"#), createdBy: text, updatedBy: "ana", group: ""),
            Record(id: "1", content: Content(checked: "{}"), updatedBy: text),
            Record(id: "1", content: Content(checked: "{}"), createdBy: "ana", group: text),
        ] {
            for revision in [0, 7, Int64.max, .min] {
                var (wanted, found) = (JSONWriter(), JSONWriter())
                wanted.array { record.write(to: &$0, revision: revision) }
                var isWritten = false
                found.array { isWritten = record.writeInPlace(to: &$0, revision: revision) }
                #expect(isWritten == text.utf8.allSatisfy { $0 >= 0x20 && !#"\"\\"#.utf8.contains($0) && $0 != 0x7F })
                #expect(found.text == (isWritten ? wanted.text : "[]"))
            }
        }
    }

    @Test(arguments: [
        ("01HV60ME365HS69FVQ1CE6PK2G", true), ("218", true), ("a/b", true), ("..", true), ("日本", true),
        (String(repeating: "a", count: 256), true), ("", false), (String(repeating: "a", count: 257), false),
        (String(repeating: "é", count: 129), false), ("a b", false), ("a\nb", false), ("a\r\nX: y", false),
        ("\u{0}", false), ("a\u{7F}", false), ("\u{1B}[2J", false),
    ])
    func ids(id: String, valid: Bool) {
        #expect(Record.isValidID(id) == valid)
    }

    @Test func idsSortByTheTimeTheyWereMade() {
        var random = FixedBits(value: .max)
        let early = ULID.make(at: Timestamp(milliseconds: 1_469_918_176_385), using: &random)
        #expect(early == "01ARYZ6S41ZZZZZZZZZZZZZZZZ", "the time of the ULID specification's own example")
        random.value = 0
        let late = ULID.make(at: Timestamp(milliseconds: 1_469_918_176_386), using: &random)
        #expect(late == "01ARYZ6S420000000000000000")
        #expect(early < late)
        #expect(ULID.make(at: Timestamp(milliseconds: -1), using: &random) == String(repeating: "0", count: 26))
    }

    @Test func anIdTellsWhenItWasMade() {
        #expect(ULID.moment(of: "01ARYZ6S41ZZZZZZZZZZZZZZZZ") == Timestamp(milliseconds: 1_469_918_176_385))
        for other in ["", "01ARYZ6S41", "01aryz6s41ZZZZZZZZZZZZZZZZ"] { #expect(ULID.moment(of: other) == nil) }
    }

    @Test func idsOfOneMomentDiffer() {
        var random = SystemRandomNumberGenerator()
        let ids = (0..<1000).map { _ in ULID.make(at: Timestamp(seconds: 1_700_000_000), using: &random) }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { $0.utf8.count == 26 && Record.isValidID($0) })
    }
}

private struct FixedBits: RandomNumberGenerator {
    var value: UInt64
    mutating func next() -> UInt64 { value }
}

extension Record {
    fileprivate func writeInPlace(to json: inout JSONWriter, revision: Int64) -> Bool {
        let texts = [id, content.text, createdBy, updatedBy, group].map { $0.map { Array($0.utf8) } }
        let places = texts.map { text in
            text.map { text in
                let place = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count + 1)
                _ = place.update(fromContentsOf: text)
                return place
            }
        }
        defer { for place in places { place?.deallocate() } }
        func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
            places[index].map { UnsafeBufferPointer(rebasing: $0[..<($0.count - 1)]) }
        }
        guard let id = text(0), let content = text(1) else { return false }
        return Record.write(
            id: id, content: content, createdBy: text(2), updatedBy: text(3), group: text(4), revision: revision,
            to: &json)
    }
}
