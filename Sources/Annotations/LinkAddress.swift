/// The addresses that a link of a record may lead to. People who follow a link do not know who wrote it, so an address
/// must not run a script or start a program.
package enum LinkAddress {
    private static let schemes: Set = ["http", "https", "mailto"]

    /// Whether the address is on the web or for mail.
    ///
    /// Programs skip white space and controls before and within a scheme (WHATWG URL, section 4.4), so an address that
    /// contains them may lead elsewhere than it seems to.
    package static func isAllowed(_ address: String) -> Bool {
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")),
            !address.unicodeScalars.contains(where: { $0.isInvisible || $0.properties.isWhitespace })
        else { return false }
        return schemes.contains(address[..<colon].lowercased())
    }
}
