import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Reader: NSObject {
    let center = NotificationCenter.default
    let other = Writer()

    func start() {
        center.observe(self, { (observer: Reader) in { _ in observer.read() } }, text: "a")
        NotificationCenter.default.observe(other, Writer.written, text: "b")
        NotificationCenter.addObserver(self, selector: Reader.read, name: .init("c"))
        NotificationCenter.addObserver(
            other, selector: Writer.closed, name: .init("d"))
        NotificationCenter.default.addObserver(self, selector: Reader.read, name: .init("e"), object: nil)
        Tools.listen(of: other, to: Writer.written)
    }

    private func read() {}
}

class Writer: NSObject {
    func written(_ note: Notification) {}
    func closed() {}
}
