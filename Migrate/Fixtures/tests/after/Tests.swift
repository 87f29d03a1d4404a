import XCTest
@testable import App
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class AppTests: XCTestCase {
    func testPosts() {
        let posted = expectation(forNotification: .init("a"), object: nil)
        let other = XCTNSNotificationExpectation(name: .init("b"))
        App.act()
        wait(for: [posted, other], timeout: 1)
    }
    func testObserves() {
        let token = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { _ in }
        NotificationCenter.default.removeObserver(token)
    }
}
