import Screen
import Testing

@testable import Terminal

@Suite struct DesktopNoticeTests {
    /// ConEmu reads a number after `9;` as a command: a document may be called that.
    @Test func noticesBeginWithTheProgramsName() {
        let notice = DesktopNotice(CleanText(cleaning: "4;1;50\u{7}"), .osc9)
        #expect(notice.bytes == Array("\u{1B}]9;postilla: 4;1;50␇\u{7}".utf8))
        let other = DesktopNotice(CleanText(cleaning: "7;calc"), .osc777)
        #expect(other.bytes == Array("\u{1B}]777;notify;postilla;7,calc\u{7}".utf8))
    }
}
