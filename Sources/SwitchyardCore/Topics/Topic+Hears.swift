// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Topic {
    /// Whether an observer of this topic hears posts of `posted`.
    package func hears(_ posted: Topic) -> Bool {
        if isAnyName { return posted.isName }
        if isPattern { return posted.isName && NamePattern(name)?.matches(posted.name) == true }
        return self == posted
    }
}
