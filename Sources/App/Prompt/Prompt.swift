/// One line to be typed, or a question to be answered, at the foot of the screen.
struct Prompt: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        case command
        /// Filters the list while it is typed; Esc brings back what was there.
        case filter(before: String)
        case search
        /// The name for new records, and what was to be done once it is known.
        case author(then: [Edit], editor: Editor?)
        /// The address of a server, for a layer to be added.
        case server
        /// A PDF on the disk.
        case file
        case confirm(Confirmed)
    }

    /// What a yes does.
    enum Confirmed: Equatable, Sendable {
        case delete([String])
        case removeLayer(LayerReference, unsent: Int)
    }

    var purpose: Purpose
    var label: String
    var input: TextInput
    /// What Tab goes through; nil until it is pressed.
    var completion: Completion?

    init(_ purpose: Purpose, label: String, text: String = "") {
        self.purpose = purpose
        self.label = label
        input = TextInput(text)
    }

    var isQuestion: Bool {
        if case .confirm = purpose { true } else { false }
    }
}
