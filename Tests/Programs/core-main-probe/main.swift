// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Dispatch
import SwitchyardCore

// A program that links the core alone: main-actor methods run on the main actor all the same.

struct Ping: NotificationMessage {
    var number: Int
}

@MainActor final class Model {
    nonisolated init() {}

    func pinged(_ ping: Ping) {
        MainActor.assertIsolated()
        print("heard \(ping.number)")
        if ping.number == 2 { done = true }
    }

    var done = false
}

let center = MessageCenter()
let model = Model()
center.observe(Ping.self, with: model, Model.pinged)
// The handler is called on the main thread, within the post.
center.post(Ping(number: 0))
print("posted 0")
await Task.detached {
    center.post(Ping(number: 1))
    center.post(Ping(number: 2))
}.value
while !model.done { await Task.yield() }
