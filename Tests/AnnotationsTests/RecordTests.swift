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
