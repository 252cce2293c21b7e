import TestSupport

/// Starts, keys, idling and memory of several programs on the same list, in turns (A B C, A B C, …), so that other load
/// on the machine affects all of them.
struct ListBenchmark {
    var contestants: [Contestant]
    var rows: Int
    var columns: Int
    /// The number of starts of each program; the first frame is measured in all of them.
    var starts = 12
    /// The number of starts in which keys are pressed.
    var visits = 3
    /// The number of keys of each kind in a visit.
    var keys = 30

    func run() throws -> [ListFigures] {
        var figures = contestants.map(ListFigures.init)
        for contestant in contestants { try Visit(contestant, rows: rows, columns: columns).leave(contestant) }
        for start in 0..<starts {
            for index in figures.indices {
                let visit = try Visit(figures[index].contestant, rows: rows, columns: columns)
                figures[index].firstFrame.add(visit.firstFrame)
                figures[index].settled.add(visit.settled)
                if start < visits { press(visit, &figures[index]) }
                visit.leave(figures[index].contestant)
            }
        }
        return figures
    }

    private func press(_ visit: Visit, _ figures: inout ListFigures) {
        let contestant = figures.contestant
        _ = visit.press(contestant.first)
        for _ in 0..<10 { _ = visit.press(contestant.nextRow) }
        for _ in 0..<keys {
            let before = visit.terminal.bytesRead
            note(visit.press(contestant.nextRow), &figures.row, &figures.unanswered)
            figures.rowBytes.append(visit.terminal.bytesRead - before)
        }
        // Ten screens down and ten up, so that no key is pressed without effect at the end of a short list.
        for number in 0..<keys {
            let isDown = number / 10 % 2 == 0
            let key = isDown ? contestant.nextScreen : contestant.previousScreen
            note(visit.press(key), &figures.screen, &figures.unanswered)
        }
        guard let filter = contestant.filter else { return }
        for _ in 0..<max(1, keys / 8) {
            _ = visit.press(filter.opening, quiet: Visit.quietOfFilter)
            for key in filter.measured {
                note(visit.press(key, quiet: Visit.quietOfFilter), &figures.filter, &figures.unanswered)
            }
            _ = visit.press(filter.closing, quiet: Visit.quietOfFilter)
        }
    }

    private func note(_ answer: Duration?, _ samples: inout Samples, _ unanswered: inout Int) {
        if let answer { samples.add(answer) } else { unanswered += 1 }
    }

    /// Walks through the list to its end and through the filter, apart from the timed visits, because reading a
    /// process's memory delays it.
    func memory(of contestant: Contestant) throws -> ProcessMemory {
        var memory = ProcessMemory()
        // Before its first output the process may still be a copy of this one, with this one's memory.
        func look(_ terminal: VirtualTerminal) {
            if let process = terminal.process, terminal.bytesRead > 0 { memory.note(process: process) }
        }
        let visit = try Visit(contestant, rows: rows, columns: columns, watching: look)
        look(visit.terminal)
        var walk = [contestant.first] + Array(repeating: contestant.nextScreen, count: 20) + [contestant.last]
        if let filter = contestant.filter { walk += [filter.opening] + filter.measured + [filter.closing] }
        for key in walk {
            _ = visit.press(key)
            look(visit.terminal)
        }
        visit.leave(contestant)
        return memory
    }

    func idle(_ contestant: Contestant, seconds: Int = 5) throws -> (bytes: Int, processor: Duration) {
        let visit = try Visit(contestant, rows: rows, columns: columns)
        let idle = visit.idle(seconds: seconds)
        visit.leave(contestant)
        return idle
    }
}
