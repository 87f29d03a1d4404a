// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Small programs whose main thread a test can't have: each prints what happened, in order.
import Switchyard

let arguments = CommandLine.arguments.dropFirst()
/// The number of threads that come and go, or of posts.
let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000

switch arguments.first {
case "run-loop": MainDelivery.start { RunLoop.main.run() }
case "dispatch-main": MainDelivery.start { dispatchMain() }
case "main-ends-inline": MainEndsInHandler.run(isInline: true)
case "main-ends-queued": MainEndsInHandler.run(isInline: false)
case "blocks": MainActor.assumeIsolated { BlockOrder.run(rounds: count) }
case "nested": NestedLoop.run()
case "threads": ThreadChurn.run(count: count)
case "loops": LoopChurn.run(count: count)
case "queue-run-loop": QueueOnMain.start { RunLoop.main.run() }
case "queue-dispatch-main": QueueOnMain.start { dispatchMain() }
case "queue-rounds":
    MainActor.assumeIsolated { QueueRounds.start() }
    dispatchMain()
case "queue-after-loop": MainActor.assumeIsolated { QueueRounds.afterLoop() }
case "queue-never-runs": QueueOnMain.neverRuns()
case "queue-threads": QueueChurn.run(count: count)
case "ports": PortBurst.run()
case "port-threads": PortChurn.run(count: count)
case "soak": Soak.run(posts: count)
default:
    print(
        "usage: main-probe (queue-)run-loop|(queue-)dispatch-main|nested|queue-rounds|"
            + "main-ends-inline|main-ends-queued|"
            + "queue-after-loop|queue-never-runs|ports, "
            + "or main-probe (queue-|port-)threads|loops|blocks|soak [COUNT]")
    exit(2)
}
