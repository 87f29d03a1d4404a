// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import Foundation

/// Waits until a process has ended.
///
/// Foundation's own wait learns of the end by a socket, of which processes that are started at the
/// same time get copies: it goes on until these have ended as well.
package func waitForEnd(of process: Process) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT) != 0,
        errno == EINTR
    {}
}
