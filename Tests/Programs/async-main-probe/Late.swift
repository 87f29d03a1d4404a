// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard

/// A program that first uses the main actor's context and the main thread's queue when the main
/// thread has ended.
enum Late {
    @MainActor static func run() async {
        useRunLoop()
        await mainThreadHasEnded()
        let center = Switchyard.NotificationCenter.default
        let name = Notification.Name("late")
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let token = center.observe(name, on: .main) { note in
            continuation.yield(note.object as? String ?? "")
        }
        Thread.detachNewThread {
            let queue = Switchyard.NotificationQueue.main
            queue.enqueue(Notification(name: name, object: "idle"), postingStyle: .whenIdle)
            queue.enqueue(Notification(name: name, object: "asap"), postingStyle: .asap)
            center.post(name: name, object: "posted")
        }
        var heard: [String] = []
        for await text in stream {
            heard.append(text)
            if heard.count == 3 { break }
        }
        token.cancel()
        print(heard.sorted())
    }

    /// Touches the run loop: CoreFoundation notes the end of a thread that has used it.
    private static func useRunLoop() { _ = RunLoop.current }

    private static let end = AsyncStream<Void>.makeStream()

    /// Waits until the main thread ends, which it does when the program's main function first
    /// waits. The key is younger than CoreFoundation's, so that its value is destroyed after
    /// CoreFoundation's.
    @MainActor private static func mainThreadHasEnded() async {
        var key = pthread_key_t()
        pthread_key_create(&key) { _ in Late.end.continuation.finish() }
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        for await _ in end.stream {}
    }
}
