import Glibc

/// Extended attributes of files, among them access lists (`system.posix_acl_access`).
///
/// The functions are looked up by name: Swift's Glibc does not declare `<sys/xattr.h>`.
enum ExtendedAttributes {
    private typealias List = @convention(c) (CInt, UnsafeMutablePointer<CChar>?, Int) -> Int
    private typealias Get = @convention(c) (CInt, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias Set = @convention(c) (CInt, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }

    /// Copies all attributes that the user may set. Those of the system itself, and all on a file system without them, are
    /// left out.
    static func copy(from source: CInt, to target: CInt) {
        guard let list = function("flistxattr", as: List.self), let get = function("fgetxattr", as: Get.self),
            let set = function("fsetxattr", as: Set.self), case let size = list(source, nil, 0), size > 0
        else { return }
        var names = [CChar](repeating: 0, count: size)
        let count = list(source, &names, size)
        guard count > 0 else { return }
        for name in names[..<count].split(separator: 0).map({ Array($0) + [0] }) {
            let size = get(source, name, nil, 0)
            guard size >= 0 else { continue }
            var value = [UInt8](repeating: 0, count: max(1, size))
            let count = get(source, name, &value, size)
            if count >= 0 { _ = set(target, name, value, count, 0) }
        }
    }
}
