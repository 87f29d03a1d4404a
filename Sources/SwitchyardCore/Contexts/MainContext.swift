// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The main actor, as a context for handlers: written `.main`.
///
/// The context is a type of its own, so that the compiler sees that a handler there may use
/// main-actor state.
public struct MainContext: Sendable {
    /// The main actor, under `RunLoop.main.run()`, `dispatchMain()`, and an async `@main`.
    ///
    /// A post made there is delivered before it returns when nothing else waits for the main actor;
    /// any other waits its turn. (A program that links `SwitchyardCore` alone knows of the main
    /// thread only: under `dispatchMain()` and an async `@main`, all deliveries wait their turn
    /// there.)
    public static let main = MainContext()
}

extension SharedMailbox {
    /// The mailbox of the main actor. `.mailbox(.main)` is the context for code that chooses one at
    /// run time; where it is known, `.main` also tells the compiler that handlers are isolated.
    public static let main = SharedMailbox(mainTarget)

    /// The module Switchyard's target where a program links that module: it wakes run loops too.
    private static var mainTarget: any ContextTarget {
        guard let made = switchyard_main_target() else { return MainActorTarget() }
        let target = Unmanaged<AnyObject>.fromOpaque(made).takeRetainedValue()
        guard let target = target as? any ContextTarget else {
            Misuse.stop("the module Switchyard made no target for the main actor")
        }
        return target
    }
}

/// The main actor as the target of its mailbox, for programs without Foundation.
private final class MainActorTarget: WaitableTarget {
    var label: String { "main" }
    var waitResources: [WaitGraph.Resource] { [.main] }
    var isCurrent: Bool {
        // What belongs to the main thread's end runs beside the main actor.
        switchyard_is_main_thread() && !switchyard_main_thread_has_ended()
    }

    // Detached: the task delivers what others post too, who do not share the poster's priority and
    // task-local values.
    func wake(_ mailbox: SharedMailbox) { Task.detached { @MainActor in mailbox.drainAll() } }
}
