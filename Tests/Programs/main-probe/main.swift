// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Small programs whose main thread a test can't have: each prints what happened, in order.
import Switchyard

switch CommandLine.arguments.dropFirst().first {
case "run-loop": MainDelivery.start { RunLoop.main.run() }
case "dispatch-main": MainDelivery.start { dispatchMain() }
case "nested": NestedLoop.run()
case "threads": ThreadChurn.run(count: 2000)
case "queue-run-loop": QueueOnMain.start { RunLoop.main.run() }
case "queue-dispatch-main": QueueOnMain.start { dispatchMain() }
case "queue-never-runs": QueueOnMain.neverRuns()
case "queue-threads": QueueChurn.run(count: 10_000)
default:
    print(
        "usage: main-probe (queue-)run-loop|(queue-)dispatch-main|nested|(queue-)threads|queue-never-runs"
    )
    exit(2)
}
