// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Something of a thread's that wants to know when the thread ends.
package protocol EndsWithThread: AnyObject {
    /// Called on the thread that ends, after its last ordinary code.
    func threadEnds()
}

/// The values that are kept for the end of each thread, and told of it.
package enum ThreadEnd {
    /// The values kept for the calling thread; only it touches them.
    private final class Values {
        var values: [any EndsWithThread] = []
    }

    /// Keeps `value` until the calling thread ends, and tells it then.
    package static func notify(_ value: any EndsWithThread) {
        watch()
        if let values = switchyard_get_thread_values() {
            Unmanaged<Values>.fromOpaque(values).takeUnretainedValue().values.append(value)
        } else {
            let values = Values()
            values.values.append(value)
            switchyard_set_thread_values(Unmanaged.passRetained(values).toOpaque())
        }
    }

    /// The value of this type that is kept for the calling thread's end.
    package static func kept<Value: EndsWithThread>(_ type: Value.Type) -> Value? {
        guard let values = switchyard_get_thread_values() else { return nil }
        for value in Unmanaged<Values>.fromOpaque(values).takeUnretainedValue().values {
            if let value = value as? Value { return value }
        }
        return nil
    }

    /// Forgets a value that has been told of the end already. On the calling thread.
    package static func forget(_ value: any EndsWithThread) {
        guard let opaque = switchyard_get_thread_values() else { return }
        let values = Unmanaged<Values>.fromOpaque(opaque).takeUnretainedValue()
        // The last one alone: a value may be told of several ends, when calls are nested.
        if let index = values.values.lastIndex(where: { $0 === value }) {
            values.values.remove(at: index)
        }
    }

    /// Has the thread's record and values looked after when the calling thread ends.
    static func watch() {
        switchyard_watch_thread_end { ThreadEnd.run() }
    }

    /// Tells the values, which may post, register, or keep further values; gives back the record.
    private static func run() {
        // A thread that was ended inside a handler left these here, on a stack that has gone.
        switchyard_set_thread_drain(nil)
        switchyard_set_thread_hook(nil)
        switchyard_set_thread_outbound(nil)
        while let opaque = switchyard_get_thread_values() {
            switchyard_set_thread_values(nil)
            let values = Unmanaged<Values>.fromOpaque(opaque).takeRetainedValue()
            if !values.values.isEmpty { Rest(values.values).threadEnds() }
        }
        HazardRecord.release()
    }

    /// The values that are still to be told of the end that has come. A value may run the user's
    /// code, which may end the thread once more: then the others are told in the end after that.
    private final class Rest: EndsWithThread {
        private var values: ArraySlice<any EndsWithThread>

        init(_ values: [any EndsWithThread]) { self.values = values[...] }

        func threadEnds() {
            ThreadEnd.notify(self)
            defer { ThreadEnd.forget(self) }
            while let value = values.popFirst() {
                // In the order in which they were kept, before what was kept after them.
                if let rest = value as? Rest {
                    values = rest.values + values
                } else {
                    value.threadEnds()
                }
            }
        }
    }
}
