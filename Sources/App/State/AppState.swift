package import Annotations
package import Screen

/// All that the program knows and shows. A value: `update` changes it, `view` draws it.
package struct AppState: Equatable, Sendable {
    /// Where the program begins.
    package enum Start: Equatable, Sendable {
        case library
        /// A layer that is on this machine.
        case layer(LayerReference)
        /// A layer named by a token, on this machine or not.
        case join(server: String, token: TokenText)
    }

    package internal(set) var size: Size
    package internal(set) var now = Timestamp(milliseconds: 0)
    package internal(set) var hasQuit = false
    package let theme: Theme
    /// Seconds that the wall clock of the person is ahead of UTC.
    package let utcOffset: Int
    let begin: Start

    /// - Parameter begin: where the program begins; leaving a layer leads to the library only if it began there.
    package init(begin: Start, size: Size, theme: Theme = .standard, utcOffset: Int = 0) {
        self.begin = begin
        self.size = size
        self.theme = theme
        self.utcOffset = utcOffset
    }
}

extension AppState {
    /// The first requests.
    func start() -> [Effect] {
        switch begin {
        case .library: [.loadLibrary]
        case .layer(let reference): [.openLayer(reference)]
        case .join(let server, let token): [.join(server: server, token: token)]
        }
    }

    /// Milliseconds until something on the screen changes by the passing of time alone; nil: nothing does.
    package var wakeAfter: Int64? { nil }
}
