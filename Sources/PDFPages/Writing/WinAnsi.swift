/// The letters that the standard fonts bring (ISO 32000-1, annex D.2).
enum WinAnsi {
    /// nil for a text with other letters. Controls but for line ends are left out.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x20...0x7E, 0xA0...0xFF: bytes.append(UInt8(scalar.value))
            case 0x0D, 0..<0x20, 0x7F...0x9F: if scalar == "\t" { bytes.append(0x20) }
            default:
                guard let byte = others[scalar] else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static let others: [Unicode.Scalar: UInt8] = [
        "€": 0x80, "‚": 0x82, "ƒ": 0x83, "„": 0x84, "…": 0x85, "†": 0x86, "‡": 0x87, "ˆ": 0x88, "‰": 0x89, "Š": 0x8A,
        "‹": 0x8B, "Œ": 0x8C, "Ž": 0x8E, "‘": 0x91, "’": 0x92, "“": 0x93, "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97,
        "˜": 0x98, "™": 0x99, "š": 0x9A, "›": 0x9B, "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
    ]
}
