// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import NATSProbe
import TestSupport

extension Server {
    /// Stops the server's process, which answers nothing until it gets `SIGCONT`.
    func stop() {
        if let processIdentifier { stopProcess(processIdentifier) }
    }
}
#endif
