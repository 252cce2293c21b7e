import Glibc

/// The three descriptors that every program expects to be open.
enum StandardStreams {
    /// Opens those that the parent closed (`postilla list >&-`), so that no other file gets their numbers. Reading from
    /// or writing to such a descriptor fails, because it is opened for the opposite: output must not vanish silently.
    static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Returns the lowest free number, which is this one.
            _ = Glibc.open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
