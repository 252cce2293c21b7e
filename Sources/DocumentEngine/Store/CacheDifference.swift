/// A cache said something else than its source. Thrown only where caches are checked, see `Server.Options.checksCaches`.
struct CacheDifference: Error, Hashable, CustomStringConvertible {
    var what: String
    var cached: String
    var stored: String

    init<Value>(_ what: String, cached: Value, stored: Value) {
        self.what = what
        (self.cached, self.stored) = ("\(cached)", "\(stored)")
    }

    var description: String { "the cache of \(what) says \(cached), and its source says \(stored)" }
}
