import Annotations

/// Completes commands after `help`, which the scripts of ArgumentParser leave out.
enum HelpCompletion {
    /// Returns a generated completion script with the commands after `help`.
    ///
    /// - Parameters:
    ///   - shell: `bash`, `zsh` or `fish`; the script stays as it is for any other.
    ///   - commands: Their names.
    static func added(to script: String, shell: String, commands: [String]) -> String {
        let names = commands.joined(separator: " ")
        switch shell {
        case "bash":
            // The later definition of a function counts.
            return script + "\n_postilla_help() { COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\")); }\n"
        case "zsh":
            return script.replacingFirst("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
        case "fish":
            let condition = "__postilla_should_offer_completions_for_positional \"postilla help\" -ge 1"
            return script + "\ncomplete -c 'postilla' -n '\(condition)' -fa '\(names)'\n"
        default: return script
        }
    }

    /// The shell that a command line asks a script for; nil if it asks for something else.
    static func shell(in arguments: [String]) -> String? {
        let option = "--generate-completion-script"
        guard let first = arguments.first else { return nil }
        if let shell = first.dropping(prefix: option + "=") { return String(shell) }
        return first == option && arguments.count > 1 ? arguments[1] : nil
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = range(ofScalars: text) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
