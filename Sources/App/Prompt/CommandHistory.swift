import Annotations

/// The lines of the command line, oldest first, and the position in them.
struct CommandHistory: Equatable, Sendable {
    private(set) var lines: [String] = []
    /// Whether the lines of earlier runs have been loaded.
    private(set) var isLoaded = false
    /// The line shown, counted from the newest; nil for the line being typed.
    private var back: Int?
    /// The text typed before going back. Only lines with this prefix are shown.
    private var typed = ""

    package static let maxLines = 500

    mutating func load(_ kept: [String]) {
        lines = kept.suffix(Self.maxLines) + lines
        isLoaded = true
    }

    /// Begins a new line.
    mutating func begin() { (back, typed) = (nil, "") }

    /// Adds an executed line.
    mutating func add(_ line: String) {
        lines.removeAll { $0 == line }
        lines.append(line)
        if lines.count > Self.maxLines { lines.removeFirst() }
        begin()
    }

    /// Returns the older or newer line; nil if none exists.
    ///
    /// - Parameter current: The current text of the prompt.
    mutating func step(older: Bool, from current: String) -> String? {
        if back == nil { typed = current }
        let newestFirst = lines.reversed().filter { $0.begins(with: typed) }
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
