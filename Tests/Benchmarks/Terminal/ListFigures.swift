/// The measurements of one contestant at one size of list and terminal.
struct ListFigures {
    var contestant: Contestant
    var firstFrame = Samples()
    var settled = Samples()
    var row = Samples()
    var screen = Samples()
    var filter = Samples()
    /// The bytes that each move by one row wrote to the terminal.
    var rowBytes: [Int] = []
    /// Keys that had no effect at all within a second.
    var unanswered = 0
    var memory = ProcessMemory()
    var idle: (bytes: Int, processor: Duration)?

    init(_ contestant: Contestant) { self.contestant = contestant }
}
