import Annotations
import Testing

/// Timestamps in PDF's format.
@Suite struct DateTests {
    @Test func asPDFWritesItAndReadsIt() {
        let moment = Timestamp(seconds: 1_719_339_736)
        #expect(moment.pdf == "D:20240625182216Z")
        #expect(Timestamp(pdf: moment.pdf) == moment)
        #expect(Timestamp(pdf: "D:20240625112216-07'00'") == moment)
    }
}
