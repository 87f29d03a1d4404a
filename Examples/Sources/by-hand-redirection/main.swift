// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The program compares Apple's way to have notifications processed on one thread, the class and the subclass
// that Apple's page suggests in place of it, and the line that replaces all of them.
import Switchyard

let worker = DeliveryThread(name: "worker")
let recorder = Recorder(worker: worker)

/// Runs `body` on the worker and waits for it.
func onWorker(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    worker.perform {
        body()
        done.signal()
    }
    done.wait()
}

print("By hand, with an array, a lock and a port:")
let byHand = ThreadedByHand(recorder)
onWorker {
    byHand.setUpThreadingSupport()
    byHand.register()
}
recorder.post()
onWorker { byHand.tearDownThreadingSupport() }

print("With a separate class for the thread:")
nonisolated(unsafe) var redirection: ThreadRedirection?
nonisolated(unsafe) var redirected: ObservationToken?
onWorker {
    redirection = ThreadRedirection()
    redirected = redirection?.observe(.jobDone) { recorder.processed($0) }
}
recorder.post()
onWorker {
    redirected?.cancel()
    redirection?.invalidate()
}

print("With a subclass of the center:")
let threaded = ThreadedNotificationCenter(worker)
let token = threaded.observe(.jobDone) { recorder.processed($0) }
recorder.post(to: threaded)
token.cancel()

print("With one line:")
let inOneLine = ThreadedInOneLine(recorder)
onWorker { inOneLine.register() }
recorder.post()
