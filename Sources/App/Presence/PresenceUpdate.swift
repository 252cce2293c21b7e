import Annotations
import InstantCore
import PageLayout

// Presenting, following and the list of participants.
extension AppState {
    mutating func presenceCame(_ presence: LayerPresence) {
        guard let before = document?.presence else { return }
        document?.presence.people = presence.people
        ownPresenting(presence)
        let isLive = document?.status.connection == .live
        switch (before.leader, presence.presenter) {
        case (let leader?, nil):
            // Without a connection no presence arrives; the presenter may still be presenting.
            guard isLive else { return }
            document?.presence.leader = nil
            if before.isFollowing { document?.presence.former = leader }
            document?.presence.isFollowing = false
            inform("\(leader.shownName) stopped presenting; you stay on page \((document?.page.index ?? 0) + 1)")
        case (let leader?, let presenter?) where leader.isAgain(presenter):
            document?.presence.leader = presenter
            if before.isFollowing, leader.whereabouts != presenter.whereabouts { goToLeader() }
        case (_, let presenter?) where before.former.map(presenter.isAgain) == true:
            document?.presence.leader = presenter
            document?.presence.former = nil
            document?.presence.isFollowing = true
            inform("\(presenter.shownName) is presenting again, and you follow; any motion on the page stops it")
            goToLeader()
        case (_, let presenter?):
            document?.presence.leader = presenter
            document?.presence.former = nil
            document?.presence.isFollowing = false
            if before.presenting == .no { inform("\(presenter.shownName) is presenting; F to follow") }
        case (nil, nil): break
        }
    }

    /// Updates the user's presenting state. One participant presents at a time, and the server decides who.
    private mutating func ownPresenting(_ presence: LayerPresence) {
        guard let presenting = document?.presence.presenting, presenting != .no else { return }
        if presence.own?.isPresenting == true {
            document?.presence.presenting = .yes
        } else if let presenter = presence.presenter {
            document?.presence.presenting = .no
            notice = .warning("Not presenting: \(presenter.shownName) is already presenting")
        } else if presenting == .yes {
            document?.presence.presenting = .no
            notice = .warning("Stopped presenting; P to start again")
        }
    }

    /// Shows a notice about others, unless an error is shown.
    private mutating func inform(_ text: String) {
        if notice?.kind != .error { notice = .done(text) }
    }

    // MARK: Commands

    mutating func present() {
        guard let document else { return }
        let begins = document.presence.presenting == .no
        self.document?.presence.presenting = begins ? .asked : .no
        self.document?.presence.former = nil
        guard begins else { return notice = .done("Stopped presenting") }
        let isAlone = document.presence.people.isEmpty && invitation != nil
        notice = .done(
            isAlone
                ? "Presenting, no audience yet; :who shows how to join"
                : "Presenting your page and selection. P to stop")
    }

    mutating func follow() {
        guard let document, let leader = document.presence.leader else { return }
        guard !document.presence.isFollowing else {
            notice = .done("Already following \(leader.shownName); any motion on the page stops it")
            return
        }
        self.document?.jumps.leave(document.place)
        self.document?.presence.isFollowing = true
        if notice?.text.ends(with: "; F to follow") == true { notice = nil }
        // With room for one pane only, show the pane that the presenter controls.
        if layout.form == .single { self.document?.focus = .page }
        goToLeader()
    }

    private mutating func goToLeader() {
        guard let document, let place = document.presence.leader?.whereabouts, let wanted = place.pageIndex else {
            return
        }
        let index = max(0, min(wanted, (document.pageCount ?? wanted + 1) - 1))
        let rects = place.selection.first { $0.pageIndex == index }?.rects ?? []
        let arrival: PagePane.Arrival = rects.isEmpty ? .start : .place(rects: rects, box: nil)
        if index != document.page.index {
            self.document?.page.turn(to: index, arrival)
        } else if !rects.isEmpty {
            self.document?.page.arrival = arrival
        }
    }

    /// Stops following when the user moves on the page.
    mutating func breakAway(from before: FollowerPosition?) {
        guard let before, let after = followerStanding, after.reference == before.reference, after != before else {
            return
        }
        document?.presence.isFollowing = false
        document?.presence.former = nil
    }

    /// The user's position while following, or while waiting for the presenter to come back; nil otherwise.
    var followerStanding: FollowerPosition? {
        guard let document, document.presence.isFollowing || document.presence.former != nil else { return nil }
        let page = document.page
        return FollowerPosition(
            reference: document.reference, page: page.index, cursor: page.cursor, mark: page.mark,
            selection: page.selection, arrival: page.arrival)
    }

    /// Sends the user's presence if it has changed.
    mutating func reconcilePresence() -> [Effect] {
        guard let document, !document.isLocal else { return [] }
        let own = document.ownPresence
        guard own != document.presence.announced else { return [] }
        self.document?.presence.announced = own
        return [.announce(own)]
    }
}

extension DocumentState {
    /// Why the user cannot present.
    var denialOfPresenting: String? {
        if presence.presenting != .no { return nil }
        if let why = denialOfCreation { return why }
        if status.connection != .live { return "not connected; presenting needs the server" }
        return presence.leader.map { "another person is already presenting: \($0.shownName)" }
    }

    /// Why the user cannot follow.
    var denialOfFollowing: String? {
        if presence.presenting != .no { return "you are presenting" }
        return presence.leader == nil ? "no one is presenting" : nil
    }
}

/// The state that a motion on the page changes.
struct FollowerPosition: Equatable, Sendable {
    var reference: LayerReference
    var page: Int
    var cursor: PageCursor
    var mark: Int
    var selection: PageSelection?
    var arrival: PagePane.Arrival?
}
