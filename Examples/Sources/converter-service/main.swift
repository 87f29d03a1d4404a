// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A converter, which may come and go at any time:
//
//     converter-service RTF
import ConverterMessages
import SwitchyardDistributed

let format = CommandLine.arguments.dropFirst().first ?? "RTF"
let center = try DistributedNotificationCenter(domain: converterDomain)

@Sendable func announce() throws {
    try center.post(ConverterAdded(format: format, process: getpid()))
}

let token = center.observe(ConvertersWanted.self) { _ in try announce() }
center.blockUntilReady(within: .seconds(1))
try announce()
print("\(format) converts")
fflush(nil)

// The service says goodbye when it is ended. Its posts leave before the process does, as it exits in an
// orderly way.
signal(SIGTERM, SIG_IGN)
let end = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
end.setEventHandler {
    _ = try? center.post(ConverterRemoved(process: getpid()))
    exit(0)
}
end.resume()
withExtendedLifetime(token) { RunLoop.main.run() }
