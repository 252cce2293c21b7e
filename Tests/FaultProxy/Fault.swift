package import TestSupport

/// The fault of a line. Bytes are counted from the start of the connection.
package enum Fault: Hashable, Sendable {
    package enum Way: Hashable, Sendable { case up, down }

    case none
    /// Accepted, and reset before a byte has passed.
    case refuse
    /// Reset (RST) after this many bytes.
    case reset(after: Int, Way)
    /// Closed normally (FIN) after this many bytes.
    case close(after: Int, Way)
    /// After this many bytes nothing more passes in that direction, without an error at either end.
    case stall(after: Int, Way)
    case slow(bytesPerSecond: Int)
    /// Inserts bytes that neither end sent, after this many.
    case garbage(after: Int, Way)
    /// A proxy that forwards an answer only once it is complete. Requests with this text in their head open live
    /// streams, whose answers never complete.
    case buffer(requestsWith: String)
    /// A firewall that takes this word for an attack: it answers 403 with a page in the server's place.
    case forbid(String)
    /// The line is cut as soon as the answer to a request with this text in its head comes, which the server has carried out.
    case loseAnswers(to: String)
    /// A proxy that accepts no larger bodies: it answers 413 with a page in the server's place.
    case limit(bodyBytes: Int)

    /// Draws one of the faults from which a client must recover soon without help; a silent line is excluded, because
    /// only a timeout detects it.
    package static func any(using random: inout SeededRandom) -> Fault {
        let way: Way = random.chance(1, of: 2) ? .up : .down
        // Most cuts hit heads and small answers.
        let after = Int.random(in: 0...(random.chance(3, of: 4) ? 1500 : 20_000), using: &random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: .refuse
        case 1, 2: .reset(after: after, way)
        case 3, 4: .close(after: after, way)
        case 5: .garbage(after: after, way)
        case 6: .slow(bytesPerSecond: Int.random(in: 20_000...200_000, using: &random))
        default: .none
        }
    }
}
