/// RSA keys for tests only: generating one takes seconds.
enum RSATestKey {
    static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDy6WR4gAqEPenL
        T8h66yFxAl1XkA9usbmG6KGSD73oalZ+u9ww28yhs1jxOr1BpiepGd4nVPb22+8B
        Wc2qyfQg4zYuePz/I1tQ22htUl8UwhVqjh99A5u5/yBbvPAJ85jleVJqqUoe08JX
        oi9n6tPXA8vVvoiOU4YY+HlHXT5BWixuWjM+hVkmrlcHcwtyvdmXMwBwsFESEtBA
        mcr4S6RljB5qicbcOmJQnGvYi1d43qLGsjDZQeF6DRJwjIqtpIMef60RZMvNduGU
        E7m9auABMhKCdU6DsgSZXUU/Pvjyjp/QCgTa644RPIF8AnzyJPFKsTVceGd3RTaW
        gQ+2VxtPAgMBAAECggEAEGT2fiLXfYe3ikccYZ4R9+XFdVNIlLDTs9+/292fycUM
        3mkrxMkTkrb0jJ9pcOStGOl2iBK2HQDIrOop39ougF5lZJXk2WFtAymJGZZtdWII
        qP7mRX04sEEgUXYQgKjGC814OwZUStKsSKwuZTtA8z+TLR4QFa8HG2irDXPPxQBB
        MHGkuhYBqE9Enb205u1CRbVPwws79ueyeDy+ZC2NyQBuflb/2/5/45QYKLnroJW3
        o88CxEgNtDqycmU1YdIF3eo1hu2djmRR2jtenRNYr93/xDHTD84pz5TUXAyf7j18
        EznQV70Vvp3xBprITv7vcqcZdW2rjEXexPbuBhtbcQKBgQD6f0nxgrtYTF11jWzn
        CKxLU3xofJTEJEVE+7Qaxc8yEJj4ffEQp+ixdlSHsuIY7pvr+xmdpAPeDd0xcY4b
        eN88sSenpQYC7SHAEU2u8z81dr6oeodIk2LfHVFYT23zpmJtWOPag2MD8a6GO6xM
        JexH5vbjHK76BH/1OFO9HlVpXwKBgQD4P3H2c3yxw8bx1gel/k+5NhGWdQT34ynY
        juF3J3ul6pkGLqTza15OHpYeHJu/hNRDDJy38Wk6pmDmdcmJuMi6LN1G4k5M3VSC
        USGS9VlkpspKI55jhzD8WUYMFOgurYbc1W/x8AstwlBBxZmh0MoF8v/zW6qedr/e
        zZkjf75kEQKBgDBRFxEndz1r1WcUNVpG2PzaiJea2BMRL+9DYZT8bJ+qhecAW9wr
        lv2L5ngaL/RBKgAVefZnKXvOTsj3r0JrSRvqy8xRT1yHIshqTgKd1qZYViQnJisA
        isSgYg1XnMyvXjLbP2/pgdLD7jbkEbLKac3gpeRepv2AmrHRAI3s6OqfAoGBANuh
        VjRTDJlBuruvPmkPzHzyZzEUKucdpaIhFz0SQ4URP32Guw1Zir/Ws73EVc9lt13y
        xJzBCvaGyOhcgYhFYeHFW6ghBGFg2CnLmcapJwOzxPk+9hzcOOyqFx0NSjYx9EVg
        2H/Wfi1n4xWtuzS8wl/tE6G9EgDM0whOIhSUKl/hAoGAf0QARe4AEJsQF+2++V62
        8Q10FuNTykxyFuk87bHnybcGZM47vfYorUWOXsfxcSWUBfz468KWbnjTEGZFAKIz
        M3W9yfk3tAAtwRmAUbocvS1WMNsw/0c/JzqsB7tTwCVhBVq2iv+uSSw3vJ1NAT/O
        fJWAjjgOR2u6zbmAvKvB1cQ=
        -----END PRIVATE KEY-----
        """

    static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA8ulkeIAKhD3py0/Ieush
        cQJdV5APbrG5huihkg+96GpWfrvcMNvMobNY8Tq9QaYnqRneJ1T29tvvAVnNqsn0
        IOM2Lnj8/yNbUNtobVJfFMIVao4ffQObuf8gW7zwCfOY5XlSaqlKHtPCV6IvZ+rT
        1wPL1b6IjlOGGPh5R10+QVosblozPoVZJq5XB3MLcr3ZlzMAcLBREhLQQJnK+Euk
        ZYweaonG3DpiUJxr2ItXeN6ixrIw2UHheg0ScIyKraSDHn+tEWTLzXbhlBO5vWrg
        ATISgnVOg7IEmV1FPz748o6f0AoE2uuOETyBfAJ88iTxSrE1XHhnd0U2loEPtlcb
        TwIDAQAB
        -----END PUBLIC KEY-----
        """

    /// 1,024 bits, too short to be accepted.
    static let shortPublicPEM = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDfDX08vWNpcXx4HYE4892w3qH7
        txeV0ziLr4f7Wgm9k9MDxi6QZZAAQ+Mf4iF06KYk2vXfMEx1JXLuz0M/PxGD7sa6
        ipDS8tBGwFKbCJuzA1t2Q4Mkn9gCJYOci4M6HekOACC4zWqZJjdckxr+is2fI2pI
        wnmSpKhx0HL7ciOg9QIDAQAB
        -----END PUBLIC KEY-----
        """
}
