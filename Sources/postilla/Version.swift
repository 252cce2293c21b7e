/// The version of the program and its packages: the only place that names it. Scripts read it here
/// (`Resources/package/version.sh`), and tests compare the changelog with it.
enum Version {
    static let current = "0.2.0"
}
