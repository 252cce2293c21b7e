import Annotations
import Authorization
import InstantCore

// The group of what one writes from now on.
extension AppState {
    /// - Parameter words: a group; two quotation marks: the null group; nothing: what the token says.
    mutating func setDefaultGroup(_ words: String) -> [Effect] {
        guard let document else { return [] }
        let choice = words.isEmpty ? nil : LayerFacts.GroupChoice(group: words == "\"\"" ? nil : words)
        if let choice, let why = document.denial({ _ in .createAnnotation(group: choice.group) }) {
            notice = .warning(why)
            return []
        }
        self.document?.groupChoice = choice
        let group = self.document?.groupForNew.map { "get the group \($0)" } ?? "get no group"
        let whose = choice == nil ? "as the token says" : ":default-group alone takes this back"
        notice = .done("new records \(group); \(whose)")
        return [.setDefaultGroup(choice)]
    }
}
