package import Authorization

extension ServerLayer {
    /// The view epoch: the layer's generation, its document's base version and what the bearer may see. A cursor is
    /// valid within one. Of letters, digits and `-` only: it travels in headers.
    package func epoch(for scope: ViewScope) -> String {
        "\(generation)-\(base)-\(Fingerprint.of(scope.canonicalText).prefix(16))"
    }

    /// Whether an epoch, of whichever view, is of the layer's present generation: its revisions mean what they say.
    func isGeneration(ofEpoch epoch: String) -> Bool { epoch.utf8.starts(with: "\(generation)-".utf8) }
}
