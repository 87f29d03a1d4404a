// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension ThreadPostQueue {
    /// Tells the center, once, that the post may wait for ever: the thread is of libdispatch's
    /// pool, and nobody runs its run loop.
    @inline(__always)
    func warnIfOnPoolThread(_ topic: Topic, to center: NotificationCenter) {
        if !isCheckedForLoop.load(ordering: .relaxed) { checkForPoolThread(topic, center) }
    }

    @inline(never)
    private func checkForPoolThread(_ topic: Topic, _ center: NotificationCenter) {
        guard isCurrent else { return }
        let isOfPool = PoolThread.isCurrent
        if isOfPool, isLoopRunning { return }
        isCheckedForLoop.store(true, ordering: .relaxed)
        guard isOfPool else { return }
        center.engine.report(
            DeliveryProblem(
                .loopDoesNotRun,
                "\(topic) was enqueued on \(label), which belongs to a dispatch queue or task: its "
                    + "run loop runs only if the code there runs it, and without it nothing is "
                    + "posted; use NotificationQueue.main or the queue of a DeliveryThread, or post "
                    + "at once"))
    }
}
