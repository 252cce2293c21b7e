import EngineCore
import SyncProtocol
import Synchronization

/// What the one writer of a file would read there again with each small push: layers, clients, tokens that are not
/// revoked. What is kept says what reading within the current transaction would say; whenever that is not certain, after
/// anything that was taken back and anything rare, all of it is forgotten.
///
/// It also knows what need not be written, because reading finds it from rows that are: the head of a layer is the newest
/// revision of its records, and a client stands behind the last of the answers that are kept for it.
final class WriterMemory: Sendable {
    struct Layer: Hashable, Sendable {
        var stored: StoredLayer
        /// The PDF brought no records of its own.
        var isBaseEmpty: Bool
    }

    private struct ClientKey: Hashable {
        var layer: Int64
        var id: String
    }

    private struct State {
        var ids: [LayerKey: Int64] = [:]
        var layers: [Int64: Layer] = [:]
        var clients: [ClientKey: ClientRows] = [:]
        var goodTokens: Set<String> = []
    }

    private let state = Mutex(State())
    /// Of each kind; of more, all are forgotten.
    private let most: Int

    init(most: Int = 4096) { self.most = most }

    func forget() { state.withLock { $0 = State() } }

    // MARK: Layers

    func layer(_ key: LayerKey) -> Layer? { state.withLock { state in state.ids[key].flatMap { state.layers[$0] } } }

    func note(_ layer: Layer) {
        state.withLock { state in
            if state.layers.count >= most { (state.ids, state.layers) = ([:], [:]) }
            state.ids[layer.stored.key] = layer.stored.id
            state.layers[layer.stored.id] = layer
        }
    }

    func hasEmptyBase(_ layer: StoredLayer) -> Bool {
        state.withLock { $0.layers[layer.id].map { $0.isBaseEmpty && $0.stored.base == layer.base } ?? false }
    }

    /// A record of this revision was written.
    func wrote(_ revision: Revision, to layer: StoredLayer) {
        state.withLock { state in
            guard let head = state.layers[layer.id]?.stored.head, head < revision else { return }
            state.layers[layer.id]?.stored.head = revision
        }
    }

    /// Whether reading the layer would find this head without more being written.
    func finds(head: Revision, of layer: StoredLayer) -> Bool {
        state.withLock { $0.layers[layer.id]?.stored.head == head }
    }

    // MARK: Clients

    func client(_ id: String, in layer: StoredLayer) -> ClientRows? {
        state.withLock { $0.clients[ClientKey(layer: layer.id, id: id)] }
    }

    func note(_ client: ClientRows, _ id: String, in layer: StoredLayer) {
        state.withLock { state in
            if state.clients.count >= most { state.clients = [:] }
            state.clients[ClientKey(layer: layer.id, id: id)] = client
        }
    }

    func change(_ id: String, in layer: StoredLayer, _ how: (inout ClientRows) -> Void) {
        state.withLock { state in
            let key = ClientKey(layer: layer.id, id: id)
            guard var rows = state.clients[key] else { return }
            how(&rows)
            state.clients[key] = rows
        }
    }

    // MARK: Tokens

    func isGood(tokenID: String) -> Bool { state.withLock { $0.goodTokens.contains(tokenID) } }

    func noteGood(tokenID: String) {
        state.withLock { state in
            if state.goodTokens.count >= most { state.goodTokens = [] }
            state.goodTokens.insert(tokenID)
        }
    }
}
