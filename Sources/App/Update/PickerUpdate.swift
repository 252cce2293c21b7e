import Screen

// Choosing from a list by typing.
extension AppState {
    mutating func runInPicker(_ command: Command) -> [Effect]? {
        guard picker != nil else { return nil }
        if command == .accept { return choose() }
        let rows = pickerArea.rows
        return picker?.run(command, rows: rows) == true ? [] : nil
    }

    private mutating func choose() -> [Effect] {
        guard let item = picker?.current else { return [] }
        if let why = item.denial {
            notice = .warning(why)
            return []
        }
        picker = nil
        switch item.choice {
        case .command(let command): return run(command, count: nil)
        case .typed(let command):
            guard command.takesWords else { return runTyped(command.rawValue) }
            return beginCommandLine(command.rawValue + " ")
        }
    }
}
