import Children
import Foundation

/// nginx in the foreground in a new folder, serving the files of one folder, with default settings otherwise.
final class NginxServer {
    let version: String
    let port: UInt16
    private let process = ChildProcess()

    /// - Returns: nil if nginx is not installed.
    static func start(files: URL, in folder: URL) throws -> NginxServer? {
        let path = Tools.path("nginx") ?? "/usr/sbin/nginx"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        return try NginxServer(program: path, files: files, folder: folder)
    }

    private init(program: String, files: URL, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // It drops root's rights, and must still be able to read the files.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        port = try LoopbackSocket.freePort()
        version = (try? Tools.firstLine(of: ["/bin/sh", "-c", "\(program) -v 2>&1"])) ?? "nginx"
        let configuration = folder.appendingPathComponent("nginx.conf")
        try """
        daemon off;
        master_process off;
        \(geteuid() == 0 ? "user root;" : "")
        pid \(folder.path)/pid;
        error_log \(folder.path)/error.log;
        events {}
        http {
            access_log off;
            sendfile on;
            client_body_temp_path \(folder.path)/body;
            proxy_temp_path \(folder.path)/proxy;
            fastcgi_temp_path \(folder.path)/fastcgi;
            uwsgi_temp_path \(folder.path)/uwsgi;
            scgi_temp_path \(folder.path)/scgi;
            server { listen 127.0.0.1:\(port); root \(files.path); }
        }
        """.write(to: configuration, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-c", configuration.path, "-p", folder.path, "-e", folder.path + "/error.log"]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let limit = Watchdog(seconds: 30, what: "nginx")
        defer { limit.stop() }
        while (try? LoopbackSocket(port: port)) == nil {
            guard process.isRunning else { throw BenchmarkError("nginx did not start") }
            sched_yield()
        }
    }

    func stop() {
        // An orderly end is not needed.
        process.kill()
        process.waitUntilExit()
    }
}
