package import Annotations
package import EngineCore
package import SyncProtocol

extension LayerView {
    /// Returns a snapshot page as the client parses it.
    package func page(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> SnapshotPage {
        let written = try snapshot(after: id, at: revision, epoch: epoch, limit: limit)
        let page = try SnapshotPage(bytes: written.bytes)
        guard page.at == written.at, page.next == written.next else { throw PageDiffers(page: page) }
        return page
    }
}

/// The error of a page whose metadata differs from its bytes.
package struct PageDiffers: Error {
    package let page: SnapshotPage
}
