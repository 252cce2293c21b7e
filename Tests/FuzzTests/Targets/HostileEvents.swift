import Annotations
import App
import InstantCore
import Screen

extension HostileTexts {
    /// Returns the events with this number; all their texts are untrusted.
    func events(_ number: Int) -> [Message] {
        let happenings: [() -> [Message]] = [
            { [.notice(self.next)] }, { [.openFailed(self.next)] }, { [.downloadFailed(self.next)] },
            { [.pageFailed(0, self.next)] }, { [.recordsChanged(["1"], author: self.next)] },
            { [.status(SyncStatus(connection: .live, grant: self.grant, refused: 2))] },
            { [.status(SyncStatus(connection: .lost(self.next), unsent: 1))] },
            { [.status(SyncStatus(connection: .needsToken(.refused(self.next)), grant: self.grant))] },
            {
                let later = Timestamp(milliseconds: 1_780_142_500_000)
                return [.status(SyncStatus(connection: .offline(retryAt: later), problem: self.next))]
            },
            { [.tokenRead(self.token)] }, { [.tokenRefused(self.next)] }, { [.undoFailed(step: 1, self.next)] },
            { [.key(.paste(self.next))] }, { [.presence(LayerPresence(people: [self.person, self.person]))] },
            { [.titled(self.next)] }, { [.externallyEdited(self.next)] }, { [.indexFailed(self.next)] },
            { [.library([self.entry, self.entry])] }, { [.facets(self.facets)] },
            { [.download(TransferStatus(done: 3, total: 9, bytesPerSecond: 1))] },
            { [.requests([self.request])] }, { [.navigation(self.navigation)] }, { [.page(0, self.page)] },
            { [.history([self.next])] }, { [.demoReady(server: self.next, self.token)] },
            { self.next.prefix(40).map { .key(.character($0)) } },
            { [.resize(Size(rows: 8, columns: 30))] }, { [.resize(Size(rows: 24, columns: 70))] },
            { [.key(.escape)] }, { [.tokenExpires(Timestamp(milliseconds: 1_780_142_460_000))] },
            { [.tick(Timestamp(milliseconds: 1_780_142_430_000))] },
        ]
        return happenings[number % happenings.count]()
    }
}
