/// A number of servers on one database, and the people who use them.
package struct ClusterScene: Sendable {
    package var servers = 100
    package var people = 10_000
    /// People who have the same layer open, on average.
    package var peoplePerLayer = 4
    package var writesPerPersonAndMinute = 1.0
    /// Turned pages and moved selections, each of which is announced.
    package var movesPerPersonAndMinute = 6.0
    package var seconds = 10
    /// The part of the notifications that never arrive.
    package var loss = 0.0
    /// The part of the people who have announced themselves.
    package var visible = 1.0

    package init() {}

    var layers: Int { max(1, people / max(1, peoplePerLayer)) }
}

/// What a run cost, each as a total over all servers.
package struct ClusterLoad: Hashable, Sendable {
    /// Transactions that write records.
    package var commits = 0
    /// Transactions with NOTIFY; one may carry several notifications.
    package var notifyTransactions = 0
    /// Notifications, each of which the database hands to every server.
    package var notifications = 0
    package var deliveries = 0
    /// Reads of one layer because of a notification.
    package var looks = 0
    /// Queries by the clock, and the layers whose heads each of them reads.
    package var polls = 0
    package var polledLayers = 0
    /// Changes handed to listeners.
    package var events = 0
    /// Notifications about people, and their entries.
    package var presenceNotifications = 0
    package var presenceEntries = 0
    /// The most layers that one server has to follow.
    package var mostLayersOfAServer = 0
}
