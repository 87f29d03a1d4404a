// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The center of the documentation's page "A notification center from scratch", at work.
import Dispatch
import Synchronization

let center = TinyCenter()

print("In the order of registration:")
let first = center.observe("Saved") { print("  first hears", $0) }
let second = center.observe("Saved") { print("  second hears", $0) }
center.post("Saved", "a.txt")
center.remove(first)
center.remove(second)

print("Where the observer chose:")
let queue = DispatchQueue(label: "worker")
let wakeUps = Atomic(0)
let worker = Inbox { inbox in
    wakeUps.wrappingAdd(1, ordering: .relaxed)
    queue.async { inbox.drain() }
}
let third = center.observe("Saved", on: worker) { print("  worker hears", $0) }
queue.suspend()
for file in ["a.txt", "b.txt", "c.txt"] { center.post("Saved", file) }
print("  posted three times, woken", wakeUps.load(ordering: .relaxed), "time")
queue.resume()
queue.sync {}

print("After its removal, an observer does not hear what still waits:")
queue.suspend()
center.post("Saved", "d.txt")
center.remove(third)
queue.resume()
queue.sync {}
print("  nothing")
