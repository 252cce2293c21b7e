import Annotations
import Dispatch
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol

@testable import DocumentEngine

/// A connection on which an answer in pieces has begun, and its reader.
final class Stream: Sendable {
    let channel: any Channel
    private let reader: FileHandle
    private let queue = DispatchQueue(label: "reader")

    private init(_ channel: any Channel, _ reader: FileHandle) {
        self.channel = channel
        self.reader = reader
    }

    static func run(_ body: (Stream) async throws -> Void) async throws {
        var ends: [CInt] = [0, 0]
        // Not for the programs that other tests start meanwhile: an end that one of them holds is not closed.
        #if os(Linux)
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        let reader = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HTTPResponseEncoder())
                }
            }
            .withConnectedSocket(ends[0]).get()
        let stream = Stream(channel, reader)
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        try await channel.writeAndFlush(HTTPServerResponsePart.head(head))
        _ = await stream.read(until: "\r\n\r\n")
        try await body(stream)
        try? await channel.close()
    }

    func outlet(
        after revision: Revision = 0, until end: Timestamp = Timestamp(milliseconds: .max)
    ) async throws -> Outlet {
        guard let outlet = try await onLoop({ Outlet(self.channel, after: revision, until: end) }) else {
            throw POSIXError(.ENOTCONN)
        }
        return outlet
    }

    func onLoop<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await channel.eventLoop.submit(body).get()
    }

    func release(_ outlet: Outlet) async throws { try await onLoop { outlet.release() } }

    /// A piece by the stream itself.
    func write(_ text: String) async throws {
        try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))))
    }

    /// Waits until the channel has nothing left to write.
    func sent() async throws {
        while try await onLoop({ (try? self.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }) > 0 {
            await Task.yield()
        }
    }

    func leave() { try? reader.close() }

    func read(_ count: Int) async -> String { await read { $0.count >= count } }

    func read(until end: String) async -> String {
        let end = Array(end.utf8)
        return await read { $0.suffix(end.count).elementsEqual(end) }
    }

    private func read(_ isEnough: @escaping @Sendable (Data) -> Bool) async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [reader] in
                var data = Data()
                while !isEnough(data) {
                    let more = reader.availableData
                    if more.isEmpty { break }
                    data.append(more)
                }
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}

/// The pieces of a chunked body (RFC 9112 §7.1), one after the other, as far as they are whole.
struct Chunks: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func next() -> String? {
        guard let end = rest.firstIndex(of: 0x0D) else { return nil }
        guard let count = Int(String(rest[..<end]) ?? "", radix: 16) else { return "no length" }
        let body = rest[end...].dropFirst(2)
        let piece = body.prefix(count)
        guard body.dropFirst(count).prefix(2).elementsEqual([0x0D, 0x0A]) else { return nil }
        rest = body.dropFirst(count + 2)
        return String(piece)
    }
}
