import Annotations
import InstantCore
import SyncProtocol
import Testing

/// Every edit that may be put aside, with what the user may do meanwhile and what the server may have.
@Suite("What is put aside, as a table") struct AsideTableTests {
    /// Scenes that failed before.
    @Test(arguments: [
        AsideScene(.update, "d", "u"),
        AsideScene(.update, "d", "", "u"),
        AsideScene(.create, "d", "u"),
        AsideScene(.create, "d", "", "u"),
        AsideScene(.deleteWithText, "u", ""),
        AsideScene(.restore, "", "w"),
        AsideScene(.restore, "", "wd"),
        AsideScene(.restore, "d", "u"),
        AsideScene(.restore, "wd", "u"),
        AsideScene(.restore, "ww", "u"),
        AsideScene(.restore, "wwd", "uu"),
        AsideScene(.restoreWithText, "d", "u"),
        AsideScene(.restoreWithText, "wd", "uu"),
        AsideScene(.thread, "w", ""),
        AsideScene(.thread, "", "wu"),
        AsideScene(.thread, "er", "r"),
        AsideScene(.thread, "re", "u"),
        AsideScene(.reply, stored: 1, "wx", "d", "u"),
        AsideScene(.restoreThread, "rd", ""),
        AsideScene(.restoreThread, "r", "d"),
    ])
    func whatFailedBeforeHolds(scene: AsideScene) throws { try scene.play() }

    /// Each run plays one scene in this many, from a random start.
    private static let part = 48

    @Test(arguments: AsideScene.Beginning.allCases) func nothingIsLost(beginning: AsideScene.Beginning) throws {
        let all = AsideScene.all(beginning)
        for index in stride(from: Int.random(in: 0..<Self.part), to: all.count, by: Self.part) {
            do { try all[index].play() } catch { Issue.record("\(all[index]): \(error)") }
        }
        #expect(all.count > 1000)
    }
}

/// One row of the table.
struct AsideScene: CustomStringConvertible, Sendable {
    typealias Action = AsideStage.Action

    /// The edit that is refused, and what was there before.
    enum Beginning: String, CaseIterable {
        case create, update, delete, restore
        /// The deletion has absorbed an edit.
        case deleteWithText
        /// The deletion that is undone had absorbed an edit.
        case restoreWithText
        case thread, threadsComment, reply, deleteThread, deleteLastComment, restoreThread, restoreLastComment

        /// What the server has.
        fileprivate var before: [Action] {
            switch self {
            case .create, .thread, .threadsComment: []
            case .update, .delete, .deleteWithText, .reply, .restore, .restoreWithText: [.write]
            case .deleteThread, .restoreThread: [.write, .reply]
            case .deleteLastComment, .restoreLastComment: []
            }
        }
        /// What is sent before the edit, and can be undone.
        fileprivate var sent: [Action] {
            switch self {
            case .restore, .restoreThread: [.delete]
            case .restoreWithText: [.write, .delete]
            case .restoreLastComment: [.deleteComment]
            default: []
            }
        }
        fileprivate var edit: [Action] {
            switch self {
            case .create, .update: [.write]
            case .thread, .threadsComment: []
            case .reply: [.reply]
            case .delete, .deleteThread: [.delete]
            case .deleteWithText: [.write, .delete]
            case .deleteLastComment: [.deleteComment]
            case .restore, .restoreWithText, .restoreThread, .restoreLastComment: [.undo]
            }
        }
        /// Whether root and comment were created in one step: before the edit, or as the edit.
        fileprivate var isThread: Bool {
            [.thread, .threadsComment, .deleteLastComment, .restoreLastComment].contains(self)
        }
        /// Whether the edit has two changes.
        fileprivate var isSeveral: Bool { self == .thread || self == .threadsComment }
        fileprivate var hasComments: Bool {
            ![.create, .update, .delete, .deleteWithText, .restore, .restoreWithText].contains(self)
        }
    }

    var beginning: Beginning
    /// How many of the changes the server has, although their answers were lost, and whether the client has received that.
    var stored = 0
    var isReceived = false
    /// What another user does after the edit was sent.
    var other: ChangeKind?
    /// What the user does while the edit is on its way, while it is put aside, and while it is tried again.
    var actions: [[Action]] = [[], [], []]
    /// What the user does once everything else was sent.
    var afterwards: [Action] = []
    /// Whether the trial is refused, too, and whether the server has what was tried.
    var isRefusedAgain = false
    var isTrialStored = false

    init(
        _ beginning: Beginning, stored: Int = 0, _ onItsWay: String = "", _ aside: String = "",
        _ afterwards: String = ""
    ) {
        (self.beginning, self.stored) = (beginning, stored)
        self.afterwards = afterwards.compactMap(Action.init)
        actions = [onItsWay, aside, ""].map { $0.compactMap(Action.init) }
    }

    var description: String {
        var words = ["\(beginning)"]
        if stored > 0 { words.append("stored \(stored)") }
        if isReceived { words.append("received") }
        if let other { words.append("another's \(other)") }
        words.append(actions.map { String($0.map(\.rawValue)) }.joined(separator: "|"))
        if !afterwards.isEmpty { words.append("then \(String(afterwards.map(\.rawValue)))") }
        if isRefusedAgain { words.append("refused again") }
        if isTrialStored { words.append("stored then") }
        return words.joined(separator: " ")
    }

    static func all(_ beginning: Beginning) -> [AsideScene] {
        let actions = Action.allCases.filter { beginning.hasComments || [.write, .delete, .undo].contains($0) }
        let one = [[]] + actions.map { [$0] }
        func longer(_ sequences: [[Action]]) -> [[Action]] {
            one + sequences.flatMap { first in actions.map { first + [$0] } }
        }
        let two = longer(one)
        var scenes: [AsideScene] = []
        for lost in beginning.isSeveral ? [0, 1, 2] : [0, 1] {
            for isReceived in lost > 0 ? [false, true] : [false] {
                for other: ChangeKind? in beginning.hasComments ? [nil] : [nil, .update, .delete] {
                    var scene = AsideScene(beginning)
                    (scene.stored, scene.isReceived, scene.other) = (lost, isReceived, other)
                    for first in beginning.hasComments ? two : longer(two) {
                        for second in beginning.hasComments ? one : two {
                            scene.actions = [first, second, []]
                            scenes.append(scene)
                        }
                    }
                    scene.isRefusedAgain = true
                    for first in beginning.hasComments ? one : two {
                        for second in one {
                            for third in one {
                                scene.actions = [first, second, third]
                                for isStored in [false, true] {
                                    scene.isTrialStored = isStored
                                    scenes.append(scene)
                                }
                            }
                        }
                    }
                    scene.isRefusedAgain = false
                }
            }
        }
        let undone = scenes.map { scene in
            var scene = scene
            scene.afterwards = [.undo]
            return scene
        }
        return scenes + undone
    }

    func play() throws {
        let stage = try AsideStage()
        let isAlone = other == nil
        stage.isAlone = isAlone
        if beginning.isThread { try stage.beginThread() }
        try stage.act(beginning.before)
        if !beginning.edit.isEmpty {
            try stage.send()
            stage.forget()
        }
        try stage.act(beginning.sent)
        if !beginning.sent.isEmpty { try stage.send() }
        try stage.act(beginning.edit)
        let refused = try stage.seal()
        let ids = beginning == .threadsComment ? ["c0"] : Set(refused.changes.prefix(1).map(\.id))
        try stage.store(refused, first: stored)
        if let other { try stage.interfere(other) }
        if isReceived { try stage.pull() }
        try stage.act(actions[0])
        try stage.refuse(ids, of: refused)
        if isAlone { try stage.checkShown("put aside") }
        try stage.act(actions[1])
        try stage.send()
        if isAlone { try stage.checkShown("while it is put aside") }
        stage.isLate = !afterwards.isEmpty
        try stage.act(afterwards)
        try stage.layer.retryAside()
        if isRefusedAgain, let trial = try stage.layer.seal() {
            try stage.store(trial, first: isTrialStored ? 1 : 0)
            try stage.act(actions[2])
            try stage.refuse(Set(trial.changes.map(\.id)), of: trial)
            if isAlone { try stage.checkShown("put aside again") }
        }
        for _ in 0..<3 {
            try stage.layer.retryAside()
            try stage.send()
        }
        try stage.pull()
        if isAlone { try stage.checkEnd() } else { try stage.checkNothingIsLost() }
    }
}
