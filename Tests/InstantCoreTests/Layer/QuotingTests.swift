import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// A filter knows the text under marks of the current file only.
@Suite struct QuotingTests {
    private let layer: Layer

    init() throws {
        let identity = LayerIdentity(server: "", documentID: "doc", layer: "", userID: nil)
        let store = MemoryStore(LayerMetadata(identity: identity, clientID: "c"))
        layer = Layer(store: store)
        let content = note("mine").changing { $0["type"] = "pspdfkit/markup/highlight" }
        try store.write { try $0.show(ShownRow(Record(id: "a", content: content), delivery: .delivered)) }
    }

    private func found(_ text: String) throws -> Int {
        var query = ListQuery()
        (query.filter.text, query.filter.inQuotes) = (text, true)
        return try layer.count(query)
    }

    @Test func wordsOfAReplacedFileAreForgotten() throws {
        #expect(try layer.pagesToQuote(from: "old.pdf") == [0])
        try layer.note(quotes: [ByteOrdered("a"): "the tide"], from: "old.pdf")
        #expect(try layer.pagesToQuote(from: "old.pdf") == [])
        #expect(try found("tide") == 1)
        #expect(try layer.pagesToQuote(from: "new.pdf") == [0])
        #expect(try found("tide") == 0)
    }

    @Test func whatIsStillReadFromAnotherFileIsNotTaken() throws {
        #expect(try layer.pagesToQuote(from: "new.pdf") == [0])
        try layer.note(quotes: [ByteOrdered("a"): "the tide"], from: "old.pdf")
        #expect(try found("tide") == 0)
        try layer.note(quotes: [ByteOrdered("a"): "an ebb"], from: "new.pdf")
        #expect(try found("ebb") == 1)
        #expect(try layer.pagesToQuote(from: "new.pdf") == [])
    }
}
