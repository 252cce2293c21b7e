import Annotations
import Authorization

/// The card for entering a token: an overlay with one line of input, which is a token or `@` and the path of a file.
/// The token is never shown.
struct TokenCard: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        /// For the open layer.
        case layer
        /// To add a layer from this server.
        case join(server: String)
    }

    var purpose: Purpose
    private(set) var secret = SecretInput()
    /// The path of the file that holds the token, while it is typed; nil while the input is a token.
    private(set) var path: TextInput?
    /// The paths that Tab offers.
    private(set) var completions: [String] = []
    /// The claims of the token; nil without one, or if it cannot be read.
    private(set) var claims: Claims?
    /// Why the token is invalid or was refused.
    var problem: String?
    /// The server's verdict on a token that it refused.
    var check: TokenCheck?
    /// Whether the token was submitted and no response has arrived.
    var isTrying = false
    /// Whether the file is being read.
    private(set) var isReading = false

    init(_ purpose: Purpose) { self.purpose = purpose }

    var received: TokenText? { secret.isEmpty ? nil : secret.token }

    var isEmpty: Bool { secret.isEmpty && path == nil }

    mutating func receive(_ token: TokenText) {
        self = TokenCard(purpose)
        secret = SecretInput(token.secret)
        read(isWhole: true)
    }

    mutating func clear() { self = TokenCard(purpose) }

    // MARK: Input

    /// - Parameter isPaste: Whether the text is complete, so that an invalid token is reported at once.
    mutating func insert(_ text: String, isPaste: Bool) {
        changed()
        let text = isEmpty && isPaste ? text.trimmed : text
        // A whole token replaces what was there.
        if isPaste, TokenText(text).looksLikeToken { return receive(TokenText(text)) }
        if path != nil {
            path?.insert(text.filter { !$0.isNewline })
            hideTokenInPath()
            return
        }
        if secret.isEmpty, text.begins(with: "@") {
            path = TextInput(text.dropFirst(scalars: 1).filter { !$0.isNewline })
            hideTokenInPath()
            return
        }
        secret.insert(text)
        read(isWhole: isPaste)
    }

    /// Runs an editing command; false for any other command.
    mutating func run(_ command: Command) -> Bool {
        if path != nil {
            if command == .deleteBack, path?.isEmpty == true {
                path = nil
                return true
            }
            guard ![.newLine, .up, .down].contains(command), path?.run(command) == true else { return false }
            changed()
            return true
        }
        guard secret.run(command) else { return false }
        changed()
        read(isWhole: false)
        return true
    }

    /// The path to read; nil if none is typed.
    mutating func takePath() -> String? {
        guard let text = path?.text.trimmed else { return nil }
        completions = []
        isReading = !text.isEmpty
        return text.isEmpty ? nil : text
    }

    /// Leaves the path to be corrected.
    mutating func fileWasNotRead() { isReading = false }

    /// Accepts the token of a file, unless the user has typed something else meanwhile.
    mutating func fileWasRead(_ token: TokenText) { if isReading { receive(token) } }

    /// Accepts the paths that begin with `text`, unless the user has typed on.
    mutating func complete(_ text: String, to paths: [String]) {
        guard let typed = path?.text, typed == text, let first = paths.first else { return }
        let common = paths.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        if common.count > typed.count { path = TextInput(common) }
        completions = paths.count > 1 ? paths : []
    }

    /// Reports what is wrong with an incomplete token before it is used.
    mutating func readWhole() { read(isWhole: true) }

    private mutating func changed() {
        (problem, check, isTrying, isReading, completions) = (nil, nil, false, false, [])
    }

    /// A token typed or pasted after `@` is not a path, and must not be shown as one.
    private mutating func hideTokenInPath() {
        guard let text = path?.text, let start = text.range(ofScalars: "eyJ")?.lowerBound else { return }
        path = nil
        secret = SecretInput(String(text[start...]))
        read(isWhole: false)
    }

    /// Reads the claims. While a token is typed, its beginning is not reported as invalid.
    private mutating func read(isWhole: Bool) {
        claims = nil
        let token = secret.token
        guard !secret.isEmpty, isWhole || token.looksLikeToken else { return }
        do { claims = try Claims(token: token.secret) } catch { if isWhole { problem = "\(error)" } }
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
