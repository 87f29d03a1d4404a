// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// The mode of the terminal in which a program gets each key as it is pressed, unseen.
///
/// The terminal's earlier mode is restored when the program ends, in order or by a signal
/// that can be caught (but for the real-time signals, and Linux's SIGPWR and SIGSTKFLT), and while Ctrl-Z stops the program.
package enum KeyboardMode {
    /// The terminal's earlier mode, in memory that is never freed: signal handlers read it. Guard:
    /// written once by ``enter()``, before the handlers are set.
    nonisolated(unsafe) private static let before = UnsafeMutablePointer<termios>.allocate(
        capacity: 1)
    /// The mode in which keys come as they are pressed. Guard: as for `before`.
    nonisolated(unsafe) private static let own = UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// True while a thread sets a mode. Threads take turns by it, because signals come on any of
    /// them: one that goes on after a stop must not set the own mode once another, which ends the
    /// program, has restored the earlier one. A lock could not be taken in signal handlers.
    private static let isTaken = Atomic<Bool>(false)
    /// Whether the earlier mode was restored for good. Guard: `isTaken`.
    nonisolated(unsafe) private static var hasLeft = false

    /// The signals that end a program, also those of its own faults. A signal that the program
    /// ignores stays ignored.
    private static let ending = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE,
        SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGSYS, SIGVTALRM, SIGPROF, SIGIO,
    ]

    /// Enters the mode, if standard input is a terminal and the program is in its foreground.
    ///
    /// SIGINT (Ctrl-C) ends the program with success from then on.
    ///
    /// - Returns: Whether it is a terminal.
    package static func enter() -> Bool {
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(),
            tcgetattr(STDIN_FILENO, before) == 0
        else { return false }
        own.pointee = before.pointee
        own.pointee.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Each read gives one byte at least, however long that takes.
        withUnsafeMutableBytes(of: &own.pointee.c_cc) { settings in
            settings[Int(VMIN)] = 1
            settings[Int(VTIME)] = 0
        }
        for number in ending where !EndSignals.isIgnored(number) { signal(number, ended) }
        signal(SIGCONT, continued)
        goOn()
        return true
    }

    /// Restores the earlier mode for good.
    package static func leave() {
        inTurn {
            hasLeft = true
            signal(SIGTSTP, SIG_DFL)
            signal(SIGCONT, SIG_DFL)
            set(before)
        }
    }

    /// Calls `body` while no other thread is in here. Signals wait meanwhile, so that a handler
    /// never waits for the thread that it interrupts. May be called in signal handlers.
    private static func inTurn(_ body: () -> Void) {
        var (all, earlier) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &earlier)
        while isTaken.exchange(true, ordering: .acquiring) { sched_yield() }
        body()
        isTaken.store(false, ordering: .releasing)
        pthread_sigmask(SIG_SETMASK, &earlier, nil)
    }

    /// Sets a mode, if the program is in the terminal's foreground. In the background, another
    /// program has the terminal, and the system would stop this one for setting a mode. May be
    /// called in signal handlers.
    private static func set(_ mode: UnsafePointer<termios>) {
        if tcgetpgrp(STDIN_FILENO) == getpgrp() { tcsetattr(STDIN_FILENO, TCSANOW, mode) }
    }

    private static let ended: @convention(c) (Int32) -> Void = { number in
        leave()
        if number == SIGINT { _exit(EXIT_SUCCESS) }
        end(by: number)
    }

    private static let stopped: @convention(c) (Int32) -> Void = { _ in
        inTurn { set(before) }
        end(by: SIGTSTP)
        // Reached after the stop, and without one: the system does not stop a program that no shell
        // could continue.
        goOn()
    }

    private static let continued: @convention(c) (Int32) -> Void = { _ in goOn() }

    private static func goOn() {
        inTurn {
            if hasLeft { return }
            signal(SIGTSTP, stopped)
            set(own)
        }
    }

    /// Gives a signal its default effect.
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
