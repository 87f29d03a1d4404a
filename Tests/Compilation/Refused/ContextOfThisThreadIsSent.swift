// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: 'ThisThreadContext'
// Rule 21: the context of a thread does not leave it.
import Switchyard

func run() {
    let context = ThisThreadContext.thisThread
    Thread.detachNewThread { _ = context }
}
