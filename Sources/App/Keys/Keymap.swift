import Screen

/// Which key means what, where. The footer, the help and the documentation are made from it, so that none of them can
/// promise a key that is not there.
package struct Keymap: Hashable, Sendable {
    package var bindings: [Binding] { didSet { byContext = Self.grouped(bindings) } }
    private var byContext: [KeyContext: [Binding]]

    package init(bindings: [Binding]) {
        self.bindings = bindings
        byContext = Self.grouped(bindings)
    }

    private static func grouped(_ bindings: [Binding]) -> [KeyContext: [Binding]] {
        Dictionary(grouping: bindings, by: \.context)
    }

    package static let standard = Keymap(
        bindings: everywhere + moving + library + document + list + thread + page + selection + cards + writing)

    package func bindings(in contexts: [KeyContext]) -> [Binding] {
        contexts.flatMap { byContext[$0] ?? [] }
    }

    enum Match: Equatable {
        case command(Command)
        /// The keys begin a longer sequence.
        case unfinished
        case none
    }

    func match(_ keys: [Key], in contexts: [KeyContext]) -> Match {
        for context in contexts {
            var isBegun = false
            for binding in byContext[context] ?? [] {
                if binding.sequences.contains(keys) { return .command(binding.command) }
                isBegun = isBegun || binding.sequences.contains { $0.starts(with: keys) }
            }
            if isBegun { return .unfinished }
        }
        return .none
    }
}
