import Annotations

// What the screen says about the layer's own PDF.
extension FileStatus {
    /// `3 changes`
    static func changes(_ count: Int) -> String { "\(count) change\(count == 1 ? "" : "s")" }

    /// Said when a private session begins.
    static let privateSession = "Private: what is not written is lost when this window is left, closed or killed"

    var unwrittenChanges: String { Self.changes(unwritten) }

    /// The condition as a notice; nil if the status line is enough.
    func news(since old: Condition) -> Notice? {
        let kept = unwritten > 0 ? "\(unwrittenChanges) kept; " : ""
        if condition == .ready, case .readOnly = old { return .done("\(name) can be edited now") }
        switch condition {
        // An attempt to write it says more.
        case .missing where old == .writing: return nil
        case .missing:
            return .warning("\(name) is missing; \(kept):w! writes it again, :w FILE.pdf writes a copy")
        case .silent:
            return .warning("The disk with \(name) does not answer; edits are kept, and the tab can be closed")
        case .ready where old == .silent: return .done("The disk with \(name) answers again")
        case .unwritable(let why):
            return .warning("\(name) cannot be written: \(why); \(kept):w FILE.pdf writes a copy")
        case .readOnly(let why): return .warning("\(name) can only be read: \(why)")
        case .ready where old == .missing: return .done("\(name) is there again")
        case .opening, .ready, .writing, .merging: return nil
        }
    }

    /// What is said when the tab closes or the program ends; nil if the file has everything.
    var farewell: String? {
        guard unwritten > 0, !isPrivate else { return nil }
        let name = path.onOneLine
        if condition == .missing { return "\(name): \(unwrittenChanges) kept; the file is missing" }
        return "\(name): \(unwrittenChanges) kept, not in the file; run postilla write \(path.quotedForShell)"
    }
}

extension FileWritten {
    var sentence: String {
        var parts: [String] = []
        let isCopy = write.copy != nil
        switch form {
        case .unchanged: parts.append("\(path) has every change already")
        case .appended, .rewritten:
            parts.append(
                isCopy ? "Wrote a copy with every change: \(path)" : "Wrote \(FileStatus.changes(changes)) to \(path)")
        }
        switch form {
        case .appended(holdsDeleted: true):
            parts.append("it still contains deleted notes (:w --compact removes them)")
        case .rewritten(let why?): parts.append("written anew because \(why)")
        case .rewritten(nil): parts.append("written anew, without deleted notes")
        case .appended(holdsDeleted: false), .unchanged: break
        }
        if !leftOut.isEmpty { parts.append("left out, and kept here: \(leftOut.joined(separator: ", "))") }
        if groups > 0 {
            parts.append(groups == 1 ? "1 record without its group" : "\(groups) records without their groups")
        }
        return parts.joined(separator: "; ")
    }
}

extension FileRefusal {
    /// What can be typed instead, and what that does.
    var ways: [(command: String, effect: String)] {
        let option = write.isCompact ? " --compact" : ""
        var ways: [(String, String)] = []
        if let force { ways.append((":w!\(option)\(write.copy.map { " " + $0 } ?? "")", force)) }
        if let otherPath { ways.append((":w\(option) \(otherPath)", "write a copy")) }
        return ways
    }

    /// The reason, and what can be done, in one line.
    var sentence: String {
        let ways = ways.map { "\($0.command) to \($0.effect)" }
        let reason = reason.dropping(suffix: ".") ?? reason[...]
        return "Not written: \(reason)" + (ways.isEmpty ? "" : "; " + ways.joined(separator: ", "))
    }
}

extension FileMerge {
    func sentence(_ name: String) -> String {
        let counts = [(added, "added"), (changed, "changed"), (deleted, "deleted")].filter { $0.0 > 0 }
        // `4 annotations added, 1 changed`
        let annotations = counts.enumerated().map { place, count in
            "\(count.0) \(place > 0 ? "" : count.0 == 1 ? "annotation " : "annotations ")\(count.1)"
        }.joined(separator: ", ")
        var parts = ["\(name) changed on disk"]
        if counts.isEmpty, conflicts == 0 {
            parts[0] += hasNewPages ? "; new pages, the same annotations" : "; its annotations are the same"
        } else if !counts.isEmpty {
            parts[0] += ": \(annotations)"
        }
        if conflicts > 0 { parts.append("\(conflicts) in conflict with yours") }
        if lostMarks > 0 {
            let marks = lostMarks == 1 ? "1 mark without its words" : "\(lostMarks) marks without their words"
            parts.append("\(marks) (:lost-marks)")
        }
        return parts.joined(separator: "; ")
    }
}

extension String {
    /// The text as one word of a POSIX shell.
    var quotedForShell: String {
        if let escapedForShell { return escapedForShell }
        let path = begins(with: "-") ? "./" + self : self
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "._-/+,:@".unicodeScalars.contains(scalar)
            }
        let pieces = path.split(scalar: "'", omittingEmptySubsequences: false)
        return isPlain ? path : "'" + pieces.joined(separator: "'\\''") + "'"
    }
}
