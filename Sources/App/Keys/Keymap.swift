import Screen

/// Which key means what, where. The footer, the help and the documentation are made from it, so that none of them can
/// promise a key that is not there.
package struct Keymap: Hashable, Sendable {
    package var bindings: [Binding]

    package static let standard = Keymap(
        bindings: everywhere + moving + library + document + list + thread + page + selection + cards + writing)

    package func bindings(in contexts: [KeyContext]) -> [Binding] {
        contexts.flatMap { context in bindings.filter { $0.context == context } }
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
            for binding in bindings where binding.context == context {
                if binding.sequences.contains(keys) { return .command(binding.command) }
                isBegun = isBegun || binding.sequences.contains { $0.starts(with: keys) }
            }
            if isBegun { return .unfinished }
        }
        return .none
    }
}
