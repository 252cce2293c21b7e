import Foundation
import Screen
import TestSupport

/// The programs that Postilla is compared with, set up to do nothing but show the list.
struct Peers {
    /// Where their files are written.
    var folder: URL

    /// less on a file of rows, each on one line of the screen, without the user's options and history.
    func less(_ remarks: [Remark]) throws -> Contestant? {
        guard let program = Tools.path("less") else { return nil }
        let file = folder.appendingPathComponent("rows-\(remarks.count)")
        try RemarkFiles.lines(remarks).write(to: file, atomically: true, encoding: .utf8)
        return Contestant(
            name: "less", command: [program, "-S", file.path], environment: ["LESS": "", "LESSHISTFILE": "-"],
            version: try Tools.firstLine(of: [program, "--version"]),
            isComplete: { $0.remarkRows == $0.size.rows - 1 && !$0.line($0.size.rows - 1).isEmpty },
            first: "g")
    }

    /// fzf on the same rows, the first one on top, without reading the user's files.
    func fzf(_ remarks: [Remark]) throws -> Contestant? {
        guard let program = Tools.path("fzf"), let cat = Tools.path("cat") else { return nil }
        let file = folder.appendingPathComponent("rows-\(remarks.count)")
        try RemarkFiles.lines(remarks).write(to: file, atomically: true, encoding: .utf8)
        let count = remarks.count
        return Contestant(
            name: "fzf", command: [program, "--layout=reverse", "--bind=home:first,end:last", "--no-hscroll"],
            environment: ["FZF_DEFAULT_COMMAND": "\(cat) \(file.path)", "FZF_DEFAULT_OPTS": "", "SHELL": "/bin/sh"],
            version: "fzf " + (try Tools.firstLine(of: [program, "--version"])),
            // The prompt and the line of counts are above.
            isComplete: { $0.remarkRows == $0.size.rows - 2 && $0.line(1).contains("\(count)/\(count)") },
            nextRow: "\u{1B}[B", previousRow: "\u{1B}[A", first: "\u{1B}[1~", last: "\u{1B}[4~",
            filter: .init(opening: "\u{15}", measured: Contestant.Filter.letters, closing: "\u{15}"), quit: "\u{1B}")
    }

    /// tig on a history of commits with the remarks as their subjects, the newest first.
    func tig(_ remarks: [Remark]) throws -> Contestant? {
        guard let program = Tools.path("tig"), let git = Tools.path("git") else { return nil }
        let repository = folder.appendingPathComponent("history-\(remarks.count)")
        try RemarkFiles.writeHistory(remarks, to: repository, git: git)
        return Contestant(
            name: "tig", command: [program],
            environment: [
                "HOME": folder.path, "GIT_DIR": repository.appendingPathComponent(".git").path,
                "GIT_WORK_TREE": repository.path, "TIGRC_USER": "/dev/null",
                "XDG_DATA_HOME": folder.path,
            ],
            version: try Tools.firstLine(of: [program, "--version"]),
            // The title and the input line are below.
            isComplete: { $0.remarkRows == $0.size.rows - 2 && $0.line($0.size.rows - 2).contains("[main]") },
            nextScreen: " ", previousScreen: "-", first: "\u{1B}[1~", last: "\u{1B}[4~", quit: "Q")
    }

    /// neomutt on a mailbox in one file, which it reads completely at each start.
    func neomuttOnMailbox(_ remarks: [Remark]) throws -> Contestant? {
        let file = folder.appendingPathComponent("mailbox-\(remarks.count)")
        try RemarkFiles.mailbox(remarks).write(to: file, atomically: true, encoding: .utf8)
        return try neomutt("neomutt, mbox", file)
    }

    /// neomutt on a Maildir, with one file per message. A header cache would be its local store; it is off by default.
    func neomuttOnMaildir(_ remarks: [Remark]) throws -> Contestant? {
        let maildir = folder.appendingPathComponent("maildir-\(remarks.count)")
        try RemarkFiles.writeMaildir(remarks, to: maildir)
        return try neomutt("neomutt, maildir", maildir)
    }

    /// Runs it without the user's and the system's configuration; the settings keep it from asking, waiting or reading
    /// elsewhere.
    private func neomutt(_ name: String, _ mail: URL) throws -> Contestant? {
        guard let program = Tools.path("neomutt") else { return nil }
        let configuration = folder.appendingPathComponent("neomuttrc")
        try """
        unset header_cache
        set sort=reverse-mailbox-order
        set folder=\(folder.path)
        set read_inc=0 write_inc=0 sleep_time=0
        set mail_check=0 timeout=0
        set quit=yes

        """.write(to: configuration, atomically: true, encoding: .utf8)
        return Contestant(
            name: name, command: [program, "-n", "-R", "-F", configuration.path, "-f", mail.path],
            environment: ["HOME": folder.path, "MAIL": "/dev/null"],
            version: try Tools.firstLine(of: [program, "-v"]),
            isComplete: { terminal in
                // The help line is above, the status bar and the command line are below.
                terminal.remarkRows == terminal.size.rows - 3
                    && terminal.line(terminal.size.rows - 2).contains("Msgs:")
            },
            first: "=", last: "*",
            filter: .init(opening: "l~s \(Contestant.Filter.word)", measured: ["\r"], closing: "l~A\r"))
    }
}
