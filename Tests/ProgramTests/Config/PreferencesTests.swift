import App
import Screen
import TestSupport
import Testing

@testable import postilla

/// The user's viewer settings.
@Suite struct PreferencesTests {
    private func preferences(_ text: String, _ environment: [String: String] = [:]) -> Preferences {
        Preferences(environment: environment, file: ("c.toml", text))
    }

    @Test func whatIsSetIsInForce() {
        let set = preferences(
            """
            theme = "dark"
            mouse = false
            view = "layout"
            delay = "0s"
            author = "Ana \\"A\\" Ñ"

            [keys.list]
            delete = ["dd", "<del>"]   # twice, so that it is meant
            sort = []

            [colors]
            warning = "bold 208"
            """)
        #expect(set.problems.isEmpty, "\(set.problems)")
        #expect(!set.isOn(.mouse) && set.isOn(.announce))
        #expect(set.pageView == .layout && set.delay == .zero)
        #expect(set.text(.author) == "Ana \"A\" Ñ")
        #expect(set.theme.warning == Style(.bold, foreground: .indexed(208)))
        #expect(set.theme.error == Theme.dark.error)
        let list = set.keymap.bindings(in: [.list])
        #expect(list.first { $0.command == .delete }?.keyNames == "dd or Del")
        #expect(!list.contains { $0.command == .sort })
    }

    @Test(arguments: [
        ("thema = \"dark\"", "c.toml, line 1: unknown setting: thema; did you mean theme?"),
        (
            "theme = \"solarized\"",
            "c.toml, line 1: theme must be one of auto, terminal, dark, light, high-contrast, mono"
        ),
        ("marks = \"boxes\"", "c.toml, line 1: marks must be colors or brackets"),
        ("strike = \"out\"", "c.toml, line 1: strike must be dim or combining"),
        ("\nmouse = \"perhaps\"", "c.toml, line 2: mouse must be true or false"),
        ("delay = \"2h\"", "c.toml, line 1: delay must be a time from 0s to 60s, in quotes"),
        ("author = [\"a\", \"b\"]", "c.toml, line 1: author must be one string in quotes"),
        ("theme = dark", "c.toml, line 1: invalid value: dark"),
        ("[keys.lists]\nnote = \"a\"", "c.toml, line 2: unknown context: keys.lists; did you mean keys.list?"),
        ("[keys.list]\nnotes = \"a\"", "c.toml, line 2: unknown command: notes; did you mean note?"),
        (
            "[keys.list]\n\nnote = \"e\"",
            "c.toml, line 3: e is already edit; give edit another key, or none (edit = [])"
        ),
        ("[keys.list]\nnote = \"<C-\"", "c.toml, line 2: \"<C-\" is not a valid key"),
        ("[keys.library]\nhighlight = \"H\"", "c.toml, line 2: highlight has no effect in keys.library"),
        (
            "[colors]\nwarnings = \"red\"",
            "c.toml, line 2: unknown colour name: warnings; did you mean warning?"
        ),
        ("[colors]\nwarning = \"purple\"", "c.toml, line 2: \"purple\" is not a colour"),
    ])
    func whatIsWrongIsNamedWithFileAndLine(text: String, problem: String) {
        let problems = preferences(text).problems
        #expect(problems.count == 1 && problems[0].hasPrefix(problem), "\(problems)")
    }

    @Test func allThatIsWrongIsNamed() {
        let problems = preferences("thema = 1\nmouse = 2\n[keys.list]\nnote = \"e\"\ndelete = \"m\"").problems
        #expect(problems.count == 4)
    }

    @Test func theEnvironmentComesAfterTheFileButNotWhereItForbids() {
        let set = preferences("theme = \"dark\"\neditor = \"ed\"", ["NO_COLOR": "1", "VISUAL": "vi"])
        #expect(set.text(.editor) == "ed" && !set.usesColor && set.theme == .plain)
        #expect(preferences("", ["EDITOR": "nano"]).text(.editor) == "nano")
        #expect(preferences("[colors]\nwarning = \"red bold\"", ["NO_COLOR": "1"]).theme.warning == Style(.bold))
    }

    /// The printed settings reproduce the ones in force.
    @Test(arguments: [
        "", "theme = \"light\"\n[keys.page]\nnote = [\"Q\", \"<C-n>\"]\nhighlight = []\n[colors]\nrule = \"red\"",
    ])
    func whatIsPrintedCanBeReadAgain(text: String) {
        let first = preferences(text)
        let printed = first.lines().joined(separator: "\n")
        let again = preferences(printed)
        #expect(again.problems.isEmpty, "\(again.problems)")
        #expect(again.theme == first.theme)
        for context in KeyContext.allCases {
            func keys(_ preferences: Preferences) -> [String] {
                preferences.keymap.bindings(in: [context]).map { "\($0.command.rawValue) \($0.keyNames)" }.sorted()
            }
            #expect(keys(again) == keys(first))
        }
        for preference in Preference.allCases { #expect(again.text(preference) == first.text(preference)) }
    }

    @Test func thePageOfSettingsShowsTheDefaults() throws {
        // docs/keys.md explains the commands.
        let lines = Preferences().lines().map {
            $0.hasPrefix("#") ? $0 : String($0.split(separator: "  # ", omittingEmptySubsequences: false)[0])
        }
        let page = """
            # Settings

            The viewer reads `$XDG_CONFIG_HOME/postilla/config.toml`, or the file named by `--config` or \
            `POSTILLA_CONFIG`. `postilla config` prints the current settings and their origin; `postilla config --check FILE` lists the errors of a file \
            by line. The viewer does not start with an invalid file.

            This page is generated by `PreferencesTests` (`RECORD_SNAPSHOTS=1 swift test --filter PreferencesTests`). It \
            shows all defaults; [keys](keys.md) explains the commands, as does `postilla config`. The theme auto \
            asks the terminal for its background; colours under `[colors]` replace single ones of any theme.

            ```toml
            \(lines.joined(separator: "\n"))
            ```

            """
        if Repository.isRecording { try Repository.write(page, to: "docs/config.md") }
        #expect(try Repository.text("docs/config.md") == page)
    }
}
