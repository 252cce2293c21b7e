import Annotations
import Testing

@testable import DocumentEngine

/// The state of a file on disk.
struct OwnFileStateTests {
    private static func note(_ text: String) throws -> Record {
        Record(id: "1", content: try Content(#"{"type":"pspdfkit/note","v":1,"pageIndex":0,"text":"\#(text)"}"#))
    }

    private static func state() throws -> OwnFileState {
        var state = OwnFileState(
            document: "01", path: "/home/ana/my \"best\" paper.pdf",
            facts: FileFacts(inode: 1, size: 2, changed: 3, sha256: "ab"))
        state.rows[ByteOrdered("1")] = .init(base: try note("before"), mine: try note("after"))
        return state
    }

    /// Each byte of the file, changed in its lowest bit.
    @Test func noChangedByteIsReadAsData() throws {
        let state = try Self.state()
        let bytes = state.json
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(OwnFileState(json: changed) == nil, "byte \(place)")
        }
        #expect(OwnFileState(json: bytes)?.rows == state.rows)
    }

    @Test func aStateOfAnEarlierVersionIsReadAsBefore() throws {
        let state = try Self.state()
        let text = String(decoding: state.json, as: UTF8.self)
        let end = try #require(text.range(of: #","checksum""#))
        let earlier = text[..<end.lowerBound].replacing(#""checked":true,"#, with: "") + "}"
        let read = try #require(OwnFileState(json: Array(earlier.utf8)))
        #expect(read.rows == state.rows && read.path == state.path)
        // One whose checksum is only missing is damaged.
        #expect(OwnFileState(json: Array((text[..<end.lowerBound] + "}").utf8)) == nil)
    }

    /// Earlier versions were not checked, so a record that is none must not be taken for none at all.
    @Test func aRecordThatCannotBeReadIsDamage() throws {
        let text = String(decoding: try Self.state().json, as: UTF8.self)
        let end = try #require(text.range(of: #","checksum""#))
        let earlier = text[..<end.lowerBound].replacing(#""checked":true,"#, with: "") + "}"
        #expect(OwnFileState(json: Array(earlier.replacing(#""content":{"#, with: #""kontent":{"#).utf8)) == nil)
    }

    @Test func thePathIsFoundInADamagedState() throws {
        let bytes = try Self.state().json
        #expect(OwnFileState.path(inDamaged: Array(bytes.dropLast(30))) == "/home/ana/my \"best\" paper.pdf")
        #expect(OwnFileState.path(inDamaged: Array(bytes.prefix(40))) == nil)
        #expect(OwnFileState.path(inDamaged: []) == nil)
    }

    @Test func whoHasAPrivateFileOpenIsStored() throws {
        var state = try Self.state()
        state.isPrivate = true
        state.owners = [ProcessIdentity(pid: 1)]
        #expect(OwnFileState(json: state.json)?.owners == state.owners)
    }
}
