package import Annotations
package import EngineCore
package import SyncProtocol

extension LayerView {
    /// A page of the snapshot as whoever asked for it reads it.
    package func page(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> SnapshotPage {
        let written = try snapshot(after: id, at: revision, epoch: epoch, limit: limit)
        let page = try SnapshotPage(bytes: written.bytes)
        guard page.at == written.at, page.next == written.next else { throw PageDiffers(page: page) }
        return page
    }
}

/// What is told of a page is not what it says.
package struct PageDiffers: Error {
    package let page: SnapshotPage
}
