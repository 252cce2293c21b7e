import Screen

/// A page that is shown as a picture instead of as text, or is about to be: until the next key, or until something else
/// has to be shown there.
struct ShownPicture: Equatable, Sendable {
    let reference: LayerReference
    /// Counted from 0.
    let page: Int
    let area: Area
}
