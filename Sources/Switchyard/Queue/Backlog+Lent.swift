// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

extension Backlog {
    /// Tells the center, once, that what now waits may never be posted: the thread is lent to a queue
    /// or task, and nobody runs its run loop.
    @inline(__always)
    func tellIfLent(_ topic: Topic, to center: NotificationCenter) {
        if !hasOwnLoop.load(ordering: .relaxed) { askWhetherLent(topic, center) }
    }

    @inline(never)
    private func askWhetherLent(_ topic: Topic, _ center: NotificationCenter) {
        guard isCurrent else { return }
        let isLent = PoolThread.isCurrent
        if isLent, isLoopRunning { return }
        hasOwnLoop.store(true, ordering: .relaxed)
        guard isLent else { return }
        center.engine.report(
            DeliveryProblem(
                .loopDoesNotRun,
                "\(topic) was enqueued on \(label), which belongs to a dispatch queue or task: its "
                    + "run loop runs only if the code there runs it, and without it nothing is "
                    + "posted; use NotificationQueue.main or the queue of a DeliveryThread, or post "
                    + "at once"))
    }
}
