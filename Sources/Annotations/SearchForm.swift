import Foundation

extension String {
    /// The form in which texts are searched: lower case, and one spelling of each letter with accents (Normalization
    /// Form C, Unicode Standard Annex 15). Keyboards, PDFs and file systems differ in how they spell *é*. Ids are never
    /// compared in this form.
    package var searchForm: String {
        let lower = lowercased()
        return lower.utf8.allSatisfy { $0 < 0x80 } ? lower : lower.precomposedStringWithCanonicalMapping
    }
}
