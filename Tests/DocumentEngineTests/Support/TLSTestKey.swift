import DocumentEngine
import Foundation

/// A self-signed certificate for localhost and 127.0.0.1, with its key: for tests only.
enum TLSTestKey {
    /// Writes both to files.
    static func files(in folder: TemporaryFolder) throws -> Server.TLS {
        let tls = Server.TLS(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem")
        try Data(certificatePEM.utf8).write(to: URL(fileURLWithPath: tls.certificate))
        try Data(privatePEM.utf8).write(to: URL(fileURLWithPath: tls.key))
        return tls
    }

    static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUGgAwIBAgIUeX49l96oghBPBTSaMBihuhI/3YkwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEwNTcxN1oYDzIxMjYxMDI4
        MTA1NzE3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQPQkz46+W++PIO6m/Ww2/1ro+edXWZpaBvGWCzIYeCbiJgH3bFg1+v
        KwGeKLGWzBE+I7Sv6Cngbny4AvbF8N3Po28wbTAdBgNVHQ4EFgQUu8FMthGtUJsh
        69TpBGVkKYjzvMowHwYDVR0jBBgwFoAUu8FMthGtUJsh69TpBGVkKYjzvMowDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDRwAwRAIgVjdr39ywE8NRsg/1D90bFqK14oYTSAcTaGe3gGt0CccCIHMI
        8v5oSG6mFPRTBjoemSt8R7QFCyw33816YByw5jPs
        -----END CERTIFICATE-----
        """

    static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMJQQ3PhFU+EWE6mT
        bYdwnuF9X6dvzfC/pj8H7bWJHymhRANCAAQPQkz46+W++PIO6m/Ww2/1ro+edXWZ
        paBvGWCzIYeCbiJgH3bFg1+vKwGeKLGWzBE+I7Sv6Cngbny4AvbF8N3P
        -----END PRIVATE KEY-----
        """
}
