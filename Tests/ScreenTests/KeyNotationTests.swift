import Screen
import Testing

@Suite struct KeyNotationTests {
    @Test(arguments: [
        ("g", Key.character("g"), "g"),
        ("G", .character("G"), "G"),
        ("é", .character("é"), "é"),
        ("<lt>", .character("<"), "<"),
        ("<gt>", .character(">"), ">"),
        ("<space>", .character(" "), "Space"),
        ("<C-d>", .control("d"), "Ctrl-D"),
        ("<C-space>", .control(" "), "Ctrl-Space"),
        ("<C-^>", .control("^"), "Ctrl-^"),
        ("<A-x>", .alt("x"), "Alt-x"),
        ("<A-enter>", .named(.enter, .alt), "Alt-Enter"),
        ("<enter>", .enter, "Enter"),
        ("<escape>", .escape, "Esc"),
        ("<S-tab>", .backTab, "Shift-Tab"),
        ("<C-left>", .named(.left, .control), "Ctrl-Left"),
        ("<C-A-S-down>", .named(.down, [.control, .alt, .shift]), "Ctrl-Alt-Shift-Down"),
        ("<pagedown>", .pageDown, "PgDn"),
        ("<f5>", .function(5), "F5"),
        ("<S-f12>", .function(12, .shift), "Shift-F12"),
        ("<click:2,10>", .click(row: 2, column: 10), "click"),
        ("<wheelup:0,0>", .wheelUp(row: 0, column: 0), "wheel"),
        ("<wheeldown:7,3>", .wheelDown(row: 7, column: 3), "wheel"),
        ("<paste:a <b\\> c\\\\d\\ne:f>", .paste("a <b> c\\d\ne:f"), "paste"),
    ])
    func everyKeyIsWrittenAndReadAlike(notation: String, key: Key, name: String) throws {
        #expect(try Key(notation) == key)
        #expect(key.notation == notation)
        #expect(key.name == name)
    }

    @Test(arguments: [
        ("<C-m>", Key.enter), ("<C-i>", .control("i")), ("<C-[>", .escape), ("<C-D>", .control("d")),
        ("<esc>", .escape),
        ("<CR>", .enter), ("<Down>", .down), ("<pgdn>", .pageDown), ("<C-@>", .control(" ")), ("-", .character("-")),
        ("<A-->", .alt("-")), ("<A-:>", .alt(":")),
    ])
    func otherSpellingsAreUnderstood(notation: String, key: Key) throws {
        #expect(try Key(notation) == key)
    }

    @Test func severalKeysFollowOneAnother() throws {
        let keys = try Key.sequence("3gg<down>a<paste:x y><C-j><enter>")
        #expect(
            keys == [
                .character("3"), .character("g"), .character("g"), .down, .character("a"), .paste("x y"),
                .control("j"), .enter,
            ])
    }

    @Test(arguments: ["<", "<down", "<nokey>", "<C-ü>", "<X-a>", "<click:1>", "<hover:1,2>", "<f0>", "<>", "", "ab"])
    func whatNamesNoKeyIsRefused(notation: String) {
        #expect(throws: NotationError.self) { try Key(notation) }
    }

    @Test func theErrorSaysWhatAndWhy() {
        let error = #expect(throws: NotationError.self) { try Key("<down") }
        #expect(error?.description == "\"<down\" is not a valid key: missing \">\"; for the character \"<\" use <lt>")
    }
}
