import Screen

/// The mapping from keys to commands by context. Footer, help and documentation are generated from it, so they never
/// show a key that does not exist.
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
        bindings: everywhere + moving + library + document + list + thread + page + picture + selection + reader
            + review + cards
            + writing
    )

    package func bindings(in contexts: [KeyContext]) -> [Binding] {
        contexts.flatMap { byContext[$0] ?? [] }
    }

    enum Match: Equatable {
        case command(Command)
        /// The keys are the start of a longer sequence.
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
