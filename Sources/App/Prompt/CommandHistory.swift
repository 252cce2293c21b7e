/// The lines typed after `:`, oldest first, and where one is among them.
struct CommandHistory: Equatable, Sendable {
    private(set) var lines: [String] = []
    /// What was kept by earlier runs has been read.
    private(set) var isLoaded = false
    /// The line shown, counted from the newest; nil: the one being typed.
    private var back: Int?
    /// What was typed before going back: only lines that begin with it are shown.
    private var typed = ""

    package static let maxLines = 500

    mutating func load(_ kept: [String]) {
        lines = kept.suffix(Self.maxLines) + lines
        isLoaded = true
    }

    /// Begins a new line.
    mutating func begin() { (back, typed) = (nil, "") }

    /// A line was used.
    mutating func add(_ line: String) {
        lines.removeAll { $0 == line }
        lines.append(line)
        if lines.count > Self.maxLines { lines.removeFirst() }
        begin()
    }

    /// The line before or after; nil when there is none.
    ///
    /// - Parameter current: what stands in the prompt now.
    mutating func step(older: Bool, from current: String) -> String? {
        if back == nil { typed = current }
        let newestFirst = lines.reversed().filter { $0.hasPrefix(typed) }
        let next = older ? (back ?? -1) + 1 : (back ?? 0) - 1
        guard next >= 0 else {
            defer { back = nil }
            return back == nil ? nil : typed
        }
        guard newestFirst.indices.contains(next) else { return nil }
        back = next
        return newestFirst[next]
    }
}
