import Annotations

/// The token in `{"jwt": "…"}`; nil when the bytes are anything else.
func tokenMember(_ bytes: [UInt8]) -> String? {
    (try? JSONReader.parse(bytes))?["jwt"]?.string
}
