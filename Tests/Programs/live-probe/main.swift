// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A program of known rates, for the live page: live-probe [NAMES]. It posts until it is ended.
//
// - "Fast" 200 times a second, heard inline and by a worker
// - "Steady" 20 times a second, heard on main, for 20 milliseconds each time
// - "Unheared" 10 times a second; the nearest name that is observed is "Unheard"
// - names as somebody hostile would choose them, and NAMES further ones, 5 times a second each
import Foundation
import Switchyard
import SwitchyardInspection

import class Switchyard.NotificationCenter

/// Keeps the thread busy, as work would.
func work(milliseconds: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {}
}

let hostile = [
    "<img src=x onerror=\"document.title='owned'\">", "\u{202E}gnirts desrever",
    "\u{05E9}\u{05DC}\u{05D5}\u{05DD}",
    String(repeating: "long", count: 2500), "one line\nand\r\nanother", "\u{0}\u{1B}[31m",
    "'\"`</script>\\",
    "Z" + String(repeating: "\u{0301}", count: 5000),
].map { Notification.Name($0) }
let many = (0..<(Int(CommandLine.arguments.dropFirst().first ?? "0") ?? 0)).map {
    Notification.Name("Number\($0)")
}
let fast = Notification.Name("Fast")
let steady = Notification.Name("Steady")

Inspection.listen()
let center = NotificationCenter()
let worker = DeliveryThread(name: "worker")
let stranger = DeliveryThread(name: "<b>bold</b>")
var tokens = [
    center.observe(fast) { _ in },
    center.observe(fast, on: .thread(worker)) { _ in work(milliseconds: 1) },
    center.observe(steady, on: .main) { _ in work(milliseconds: 20) },
    center.observe(Notification.Name("Unheard")) { _ in },
]
for name in hostile + many { tokens.append(center.observe(name, on: .thread(stranger)) { _ in }) }

/// Posts at the rates above, by the time that has passed: a moment without the processor changes no
/// rate.
func post() {
    let start = ContinuousClock.now
    for tick in 0... {
        let time = start + .milliseconds(5) * tick
        let rest = (time - .now) / .microseconds(1)
        if rest > 0 { usleep(UInt32(rest)) }
        center.post(name: fast, object: nil)
        if tick % 10 == 0 { center.post(name: steady, object: nil) }
        if tick % 20 == 0 { center.post(name: Notification.Name("Unheared"), object: nil) }
        if tick % 40 == 0 {
            for name in hostile + many { center.post(name: name, object: nil) }
        }
    }
}

let poster = Thread { post() }
poster.name = "poster"
poster.start()
print("ready")
fflush(nil)
while true { RunLoop.main.run(until: .distantFuture) }
