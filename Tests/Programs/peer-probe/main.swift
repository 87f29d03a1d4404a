// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A member of the mesh that carries out a test's commands: each line of its input is a command as
// JSON, each line of its output an answer. The program ends with its input.
//
//     peer-probe DOMAIN [--queue BYTES] [--overflow NAME] [--default] [--folder PATH]
//     peer-probe none       the same program without a center
//     peer-probe stranger connect|listen PATH USER

import DistributedProbe
import Foundation
import SwitchyardDistributed

Inherited.closeFiles()

let arguments = CommandLine.arguments

if arguments.dropFirst().first == "stranger" { Stranger.run(Array(arguments.dropFirst(2))) }

func option(_ name: String) -> String? {
    arguments.firstIndex(of: name).map { arguments.dropFirst($0 + 1).first ?? "" }
}

let overflows: [DistributedLimits.Overflow] = [.dropNewest, .dropOldest, .keepLatest]

func makeCenter() throws -> DistributedNotificationCenter {
    if let folder = option("--folder") { chdir(folder) }
    if option("--default") != nil { return DistributedNotificationCenter.default() }
    let limits = DistributedLimits(
        queueBytes: option("--queue").flatMap { Int($0) } ?? DistributedLimits().queueBytes,
        overflow: overflows.first { "\($0)" == option("--overflow") } ?? .dropNewest)
    return try DistributedNotificationCenter(domain: arguments[1], limits: limits)
}

func say(_ answer: Answer) {
    guard var line = try? JSONEncoder().encode(answer) else { return }
    line.append(UInt8(ascii: "\n"))
    FileHandle.standardOutput.write(line)
}

func serve() {
    var probe: Probe?
    if arguments[1] != "none" {
        do {
            probe = try Probe(makeCenter())
        } catch {
            var answer = Answer()
            answer.failure = "\(error)"
            say(answer)
            return
        }
    }
    say(Answer())
    while let line = readLine() {
        guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else {
            fatalError("no command: \(line)")
        }
        say(probe?.run(command) ?? Probe.withoutCenter(command))
    }
    // The center lives until the exit: a center that has gone gives up the notifications that wait.
    withExtendedLifetime(probe) { exit(0) }
}

// The main thread stays with the main queue, as in most programs.
let thread = Thread {
    serve()
    exit(1)
}
thread.stackSize = 8 << 20
thread.start()
dispatchMain()
