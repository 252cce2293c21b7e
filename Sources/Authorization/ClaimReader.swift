import Annotations

/// Reads claims, each by its own rule (guide: authentication), and collects warnings about harmless oddities.
struct ClaimReader {
    let object: JSONObject
    var warnings: [String] = []

    init(object: JSONObject) { self.object = object }

    /// Reads a string claim; `null` counts as absent.
    mutating func text(_ name: String, required: Bool = false, limit: Int = 1024) throws(TokenError) -> String? {
        switch object[name] {
        case nil, .null?:
            if required { throw .missing(name) }
            return nil
        case .string(let text)?:
            if required, text.isEmpty { throw .wrongType(name, "a non-empty string") }
            guard text.utf8.count <= limit, !text.utf8.contains(0) else {
                throw .wrongType(name, "a string of at most \(limit) bytes without NUL")
            }
            return text
        default: throw .wrongType(name, "a string")
        }
    }

    /// Reads the name of a user or a group. Empty means null, as in the permission grammar, where `group=` is the null
    /// group: otherwise no permission could name that group.
    mutating func name(_ claim: String) throws(TokenError) -> String? {
        let text = try text(claim)
        return text?.isEmpty == true ? nil : text
    }

    /// Reads `aud`: one string, or an array of them (RFC 7519 section 4.1.3).
    mutating func audience() throws(TokenError) -> [String] {
        switch object["aud"] {
        case nil, .null?: return []
        case .string(let name)?: return [name]
        case .array(let items)?:
            let names = items.compactMap(\.string)
            if names.count == items.count { return names }
            fallthrough
        default: throw .wrongType("aud", "a string or an array of strings")
        }
    }

    /// Reads a NumericDate (RFC 7519 section 2): seconds since 1970, with an optional fraction, up to the year 9999.
    mutating func moment(_ name: String) throws(TokenError) -> Timestamp? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let seconds = value.double, seconds >= 0, seconds <= 253_402_300_799 else {
            throw .wrongType(name, "seconds since 1970")
        }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }

    /// Reads `"all"` or an array of names. Unknown names are for other clients.
    mutating func generalPermissions() throws(TokenError) -> Set<GeneralPermission> {
        switch object["permissions"] {
        case nil, .null?: throw .missing("permissions")
        case .string("all")?: return Set(GeneralPermission.allCases)
        case .array(let items)?:
            var general: Set<GeneralPermission> = []
            for item in items {
                guard let word = item.string else { throw .wrongType("permissions", #""all" or an array of strings"#) }
                if let permission = GeneralPermission(rawValue: word) {
                    general.insert(permission)
                } else {
                    warnings.append(
                        word == "all"
                            ? #""all" in an array of permissions grants nothing; use "permissions": "all""#
                            : #"unknown permission "\#(word)"; it grants nothing"#)
                }
            }
            return general
        default: throw .wrongType("permissions", #""all" or an array of strings"#)
        }
    }

    mutating func collaborationPermissions() throws(TokenError) -> [Permission]? {
        switch object["collaboration_permissions"] {
        case nil, .null?: return nil
        case .array(let items)?:
            var permissions: [Permission] = []
            for item in items {
                guard let text = item.string else {
                    throw .wrongType("collaboration_permissions", "an array of strings")
                }
                switch Permission.read(text) {
                case .granted(let permission): permissions.append(permission)
                case .unknown:
                    warnings.append(#"unknown collaboration permission "\#(text)"; it grants nothing"#)
                case .malformed:
                    warnings.append(
                        #"invalid collaboration permission "\#(text)" (expected content-type:action:scope); it grants nothing"#
                    )
                }
            }
            return permissions
        default: throw .wrongType("collaboration_permissions", "an array of strings")
        }
    }

    /// Reads the default group. One guide names the claim `group`, every other source `default_group`. `group` alone is
    /// accepted with a warning; if both are present, they must agree.
    mutating func defaultGroup() throws(TokenError) -> String? {
        let group = try name("default_group")
        guard let old = try name("group") else { return group }
        guard let group else {
            warnings.append(#"the claim "group" is used as "default_group""#)
            return old
        }
        guard group.isExactly(old) else { throw .twoDefaultGroups }
        return group
    }
}
