import Annotations
import InstantCore

// Naming people in comments, and listing what names the user.
extension AppState {
    /// Requests the people that the open comment can mention, once it contains an `@`.
    mutating func askForPeople() -> [Effect] {
        guard let editor = document?.editor, !editor.hasAskedForPeople, editor.input.characters.contains("@") else {
            return []
        }
        document?.editor?.hasAskedForPeople = true
        return askForPeople(of: editor)
    }

    /// Requests them for a comment whose text is written elsewhere.
    func askForPeople(of editor: Editor) -> [Effect] { editor.isComment ? [.loadPeople] : [] }

    mutating func peopleCame(_ people: [RecordCreator]) -> [Effect] {
        let user = document?.reference.userID
        document?.people = People(people, except: user)
        guard document?.editor?.awaitsPeople == true else { return [] }
        document?.editor?.awaitsPeople = false
        return completeName(forward: true)
    }

    /// Completes the name after the `@` before the cursor, or goes on to the next or previous name.
    mutating func completeName(forward: Bool) -> [Effect] {
        guard let document, let editor = document.editor else { return [] }
        guard editor.isComment else { return only(.done("Only comments mention people")) }
        guard NameCompletion.sign(before: editor.input) != nil else {
            return only(.done("Type @ and the beginning of a name, then press Tab"))
        }
        guard document.people.isLoaded else {
            self.document?.editor?.awaitsPeople = true
            self.document?.editor?.hasAskedForPeople = true
            return [.loadPeople]
        }
        guard var names = editor.completion ?? NameCompletion(editor.input, document.people) else { return [] }
        guard let name = names.completion.step(forward: forward) else {
            return only(.done("Nobody here has a name that begins like this"))
        }
        self.document?.editor?.input.replace(from: names.start, with: name)
        self.document?.editor?.completion = names.completion.lines.count > 1 ? names : nil
        return []
    }

    /// Lists what mentions the user, or everything again.
    mutating func listMentions() -> [Effect] {
        guard let document else { return [] }
        guard document.reference.userID != nil else {
            return only(.warning("Nothing can mention you: this token names no user"))
        }
        self.document?.focus = .list
        setFilter(document.list.filter == FilterSyntax.mention ? "" : FilterSyntax.mention)
        return []
    }

    /// `; mentions @Ana Lopes`, for the notice of a saved comment.
    func naming(_ text: CommentText?) -> String {
        let names = text?.mentions.map(\.words) ?? []
        return names.isEmpty ? "" : ", mentions \(names.joined(separator: ", "))"
    }
}
