// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: a task changes threads; use .main, or .thread of a thread you keep
// Rule 11: a task has no thread of its own.
import Switchyard

func run(_ center: Switchyard.NotificationCenter) async {
    let token = center.observe(Notification.Name("n"), on: .thisThread) { _ in }
    token.cancel()
}
