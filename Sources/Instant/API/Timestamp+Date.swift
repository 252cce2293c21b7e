public import Annotations
public import FoundationEssentials
public import InstantCore

extension Timestamp {
    public init(_ date: Date) {
        self.init(milliseconds: Int64(saturating: (date.timeIntervalSince1970 * 1000).rounded()))
    }

    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Annotation {
    public var creationDate: Date? { createdAt?.date }
    public var modificationDate: Date? { updatedAt?.date }
}

extension SyncStatus {
    /// When the last cycle succeeded, by the local clock.
    public var lastSyncDate: Date? { lastSync?.date }
    /// How far the server's clock is ahead of the local one; negative if it is behind.
    public var serverClockLead: Duration { .milliseconds(clockOffset) }
}
