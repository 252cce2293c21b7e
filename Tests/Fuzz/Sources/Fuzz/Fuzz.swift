import Glibc

/// libFuzzer's driver: it generates inputs, detects those that reach new code paths in the reader, and stops at the
/// first that traps, hangs or exceeds the memory limit.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The reader under test: `FUZZ_TARGET`.
private let target: FuzzTarget? = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
    return FuzzTarget.all.first { $0.name == name }
}()

/// The entry point: the package manager gives a program's `main` this name. Without a target it lists them; with
/// `FUZZ_SEEDS` it writes the target's seeds into that folder.
@_cdecl("Fuzz_main")
public func begin(_ count: Int32, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    guard let target else {
        for target in FuzzTarget.all { print(target.name) }
        return 0
    }
    if let folder = getenv("FUZZ_SEEDS").map({ String(cString: $0) }) { return write(target.seeds, to: folder) }
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments, read)
}

private func write(_ seeds: [String], to folder: String) -> Int32 {
    for (index, seed) in seeds.enumerated() {
        guard let file = fopen("\(folder)/seed-\(index)", "w") else { return 1 }
        fwrite(seed, 1, seed.utf8.count, file)
        fclose(file)
    }
    return 0
}

/// Reads one input. libFuzzer requires this name; its own `main` is not used here.
@_cdecl("LLVMFuzzerTestOneInput")
public func read(_ bytes: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: length))
    do { try target?.read(input) } catch { fatalError("\(target?.name ?? ""): \(error)") }
    return 0
}
