// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// One of two that talk to each other; the other is wire_probe.py, beside it, which says the same.
//
//     wire-probe answer DOMAIN    posts samples when it hears Here, and Enough; ends at Goodbye
//     wire-probe ask DOMAIN       posts Here, prints what it hears until Enough, says Goodbye
//     wire-probe join DOMAIN      joins and leaves
import SwitchyardDistributed

// The alarm ends the program if the other one says nothing.
alarm(100)
let arguments = CommandLine.arguments
let center = try DistributedNotificationCenter(domain: arguments[2])

switch arguments[1] {
case "answer":
    let tokens = answer()
    say("ready \(center.blockUntilReady(within: .seconds(60)).count)")
    withExtendedLifetime(tokens) { RunLoop.main.run() }
case "ask":
    let tokens = hear()
    say("ready \(center.blockUntilReady(within: .seconds(60)).count)")
    Task { await ask() }
    withExtendedLifetime(tokens) { RunLoop.main.run() }
default: break
}

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
