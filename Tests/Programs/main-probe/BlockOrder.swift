// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// Handlers on main that post to main and then give the main queue a block: the block runs behind
/// the delivery, whichever of the run loop and the queue serves main first.
@MainActor enum BlockOrder {
    static let center = Switchyard.NotificationCenter()
    static let outer = Notification.Name("outer")
    static let inner = Notification.Name("inner")
    static var tokens: [Switchyard.NotificationCenter.ObservationToken] = []
    static var heardInner = 0
    static var overtaken = 0
    nonisolated static let roundEnded = DispatchSemaphore(value: 0)

    static func run(rounds: Int) -> Never {
        tokens.append(center.observe(inner, on: .main) { _ in heardInner += 1 })
        tokens.append(
            center.observe(outer, on: .main) { _ in
                let before = heardInner
                center.post(name: inner, object: nil)
                DispatchQueue.main.async {
                    if heardInner == before { overtaken += 1 }
                    roundEnded.signal()
                }
            })
        let thread = Thread { [center, outer] in
            for _ in 0..<rounds {
                center.post(name: outer, object: nil)
                roundEnded.wait()
            }
            DispatchQueue.main.async {
                print("overtaken \(overtaken)")
                exit(0)
            }
        }
        thread.start()
        RunLoop.main.run()
        fatalError("the main run loop ended")
    }
}
