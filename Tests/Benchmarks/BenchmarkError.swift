/// Something that is needed for measuring is not there or did not work, in a sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
