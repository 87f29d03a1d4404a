// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: 'drain'
// Rules 9 and 21: the right to drain a mailbox is its maker's.
import Switchyard

func run() { SharedMailbox.main.drain() }
