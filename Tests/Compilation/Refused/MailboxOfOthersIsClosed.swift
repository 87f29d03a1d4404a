// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: 'close'
// Rule 21: the right to close a mailbox is its maker's.
import Switchyard

func run(_ worker: DeliveryThread) { worker.mailbox.close() }
