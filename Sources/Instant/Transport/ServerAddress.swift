import Annotations
package import FoundationEssentials
package import InstantCore

extension ServerAddress {
    /// - Throws: ``InstantError`` (`invalidRequest`) with a sentence for the user.
    package init(_ url: URL) throws(InstantError) {
        do { try self.init(url.absoluteString) } catch { throw InstantError(.invalidRequest, error.description) }
    }

    /// Returns an address in its one form, so that spellings of the same one are equal; anything else unchanged.
    package static func oneForm(of text: String) -> String { (try? ServerAddress(text))?.canonical ?? text }

    /// Returns the `key=value` pairs of a query, percent-encoded; nil values are left out.
    static func query(_ items: [(String, String?)]) -> String {
        let pairs = items.compactMap { key, value in value.map { "\(key)=\(PercentEncoding.encode($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
