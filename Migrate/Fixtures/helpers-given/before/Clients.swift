import Foundation

final class Reader: NSObject {
    let center = NotificationCenter.default
    let other = Writer()

    func start() {
        center.observe(self, #selector(read), text: "a")
        NotificationCenter.default.observe(other, #selector(Writer.written(_:)), text: "b")
        NotificationCenter.addObserver(self, selector: #selector(read), name: .init("c"))
        NotificationCenter.addObserver(
            other, selector: #selector(Writer.closed), name: .init("d"))
        NotificationCenter.default.addObserver(self, selector: #selector(read), name: .init("e"), object: nil)
        Tools.listen(of: other, to: #selector(Writer.written(_:)))
    }

    @objc private func read() {}
}

class Writer: NSObject {
    @objc func written(_ note: Notification) {}
    @objc func closed() {}
}
