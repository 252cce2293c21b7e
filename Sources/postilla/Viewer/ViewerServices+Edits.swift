import Annotations
import App
import Instant
import InstantCore

// Edits of the open layer, one step after the other.
extension ViewerServices {
    /// All edits of a step or none: when one is refused, those before it are taken back.
    func perform(_ step: EditStep) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        var done: [EditReceipt] = []
        do {
            for edit in step.edits {
                switch edit {
                case .create(let content): done.append(try descriptor.create(content, author: author))
                case .update(let id, let content): done.append(try descriptor.update(id, content: content))
                case .delete(let id): done.append(try descriptor.delete(id))
                case .beginThread(let root, let text):
                    let receipts = try descriptor.beginThread(root, .plain(text), author: author)
                    done += [receipts.root, receipts.comment]
                }
            }
            tab.receipts[step.id] = done
            tab.post(.edited(step: step.id, done.map(\.id)))
        } catch {
            for receipt in done.reversed() { _ = try? descriptor.undo(receipt) }
            tab.post(.editFailed(step: step.id, "\(error)"))
        }
        layer?.tellStatus()
    }

    /// The receipts of an undo take the place of the step's: undoing again is redo.
    func undo(_ step: Int) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        guard let done = tab.receipts[step] else {
            return tab.post(.undoFailed(step: step, "this was done before the layer was opened"))
        }
        var undone: [EditReceipt] = []
        do {
            for receipt in done.reversed() { undone.append(try descriptor.undo(receipt)) }
            tab.receipts[step] = undone
            tab.post(.undone(step: step))
        } catch {
            for receipt in undone.reversed() { _ = try? descriptor.undo(receipt) }
            tab.post(.undoFailed(step: step, "\(error)"))
        }
        layer?.tellStatus()
    }

    private var author: String? { options.author ?? layer?.client.rememberedAuthor }

    func setDefaultGroup(_ choice: LayerFacts.GroupChoice?) {
        guard let descriptor = layer?.descriptor else { return }
        do {
            if let choice {
                try descriptor.overrideDefaultGroup(with: choice.group)
            } else {
                try descriptor.resetDefaultGroup()
            }
        } catch { tell(error) }
    }

    func resolve(_ id: Record.ID, _ resolution: Resolution) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        do {
            guard let conflict = try descriptor.conflicts().first(where: { $0.recordID == id }) else {
                return tab.post(.notice("this is settled already"))
            }
            switch resolution {
            case .mine: try descriptor.resolve(conflict.id, .mine)
            case .theirs: try descriptor.resolve(conflict.id, .theirs)
            case .merged(let content): try descriptor.resolve(conflict.id, .merged(content))
            }
            tab.post(.recordsChanged([id], author: nil))
        } catch { tell(error) }
        layer?.tellStatus()
    }
}
