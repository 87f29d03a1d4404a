// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Two processes with a log, metrics, traces and an orderly shutdown: the front takes an order, and the
// worker packs it. Without arguments this is the front, which starts the worker.
//
//     swift run --package-path Examples/Server

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "worker" {
    try await Worker.run(domain: arguments[2])
} else {
    try await Front.run()
}
