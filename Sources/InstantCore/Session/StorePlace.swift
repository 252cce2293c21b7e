/// Which of a layer's stores a process uses.
///
/// A store holds one view of its layer. All processes whose tokens have that view share it. The main store takes over
/// another view only while no other process uses it; a process with another view uses a side store meanwhile.
package enum StorePlace: Hashable, Sendable {
    /// The store that it uses already.
    case here
    /// The main store, which has this view.
    case main
    /// The main store, after its rows outside this view are removed.
    case mainConverted
    /// The side store of this view.
    case side

    package enum Main: Hashable, Sendable {
        /// It has this view, or none yet.
        case fits
        /// It has another view, and no other process uses it.
        case free
        /// It has another view, and other processes use it.
        case inUse
    }

    /// - Parameters:
    ///   - isAccepted: Whether the server accepted the token. Until then, its view is only a claim, for which nothing is
    ///     removed.
    ///   - fits: Whether the store in use has this view, or none yet.
    package static func forView(isAccepted: Bool, fits: Bool, isMain: Bool, main: Main) -> StorePlace {
        switch main {
        case .fits where isMain: .here
        case .fits where isAccepted || !fits: .main
        case .free where isAccepted: .mainConverted
        default: fits ? .here : .side
        }
    }
}
