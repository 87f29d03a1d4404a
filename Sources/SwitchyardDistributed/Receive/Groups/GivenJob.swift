// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The jobs that other processes have been given.
extension GroupExchange {
    /// A job that another process has been given.
    struct GivenJob: Sendable {
        let process: String
        let group: String
        /// The job, for the case that the process has no member any more; nil if too many bytes are
        /// kept already, or if the connection has broken since.
        var job: GroupFrame.Job?
        var attempt: Attempt
        /// Whether there was no connection to the process when it was chosen; once the job is on
        /// its way, whether it waits for one: the process has not got it, unless it comes back.
        var isAway: Bool
        /// Whether the job is on its way. Until then, the thread that gives it sees to it.
        var isSent = false
        /// The number of times that the process came back before the job was on its way; two more
        /// if what was kept for it was given up.
        var returns = 0
        /// Whether the process has gone before the job was on its way.
        var hasGone = false
        /// The time at which a connection broke, so that the outcome may never come.
        private(set) var uncertainSince: ContinuousClock.Instant?

        /// The bytes that it takes, apart from what every job does.
        var bytes: Int { job.map { $0.bytes + attempt.bytes } ?? 0 }

        mutating func becomeUncertain() {
            dropJob()
            uncertainSince = uncertainSince ?? .now
        }

        /// Drops the job, which no other process can hear any more.
        mutating func dropJob() {
            job = nil
            attempt.context = [:]
        }
    }

    /// An attempt to find a member for a job.
    struct Attempt: Sendable {
        /// The processes that can't, or will not, hear it; nil for this one.
        var tried: Set<String?> = []
        /// Whether the conditions of members do not let it in.
        var isUnwanted = false
        /// The context that the post takes along to its handlers, such as a trace's.
        var context: [String: String] = [:]

        /// The bytes of the context.
        var bytes: Int { context.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
    }
}
