// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// On Linux a port between threads has Apple's name too.
import Switchyard

func run() {
    let port = NSMachPort()
    RunLoop.current.add(port, forMode: .common)
    _ = port.send(before: Date(), msgid: 1, components: nil, from: nil, reserved: 0)
}
