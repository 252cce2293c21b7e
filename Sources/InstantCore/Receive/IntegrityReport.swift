/// What a comparison with the server found.
public struct IntegrityReport: Hashable, Sendable {
    /// Records here and at the server, for the present token.
    public var here: Int64
    public var there: Int64
    /// The same records in the same revisions. If not, the layer is loaded anew.
    public var isSound: Bool

    package init(here: Int64, there: Int64, isSound: Bool) {
        self.here = here
        self.there = there
        self.isSound = isSound
    }
}
