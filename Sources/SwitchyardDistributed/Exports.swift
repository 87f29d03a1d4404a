// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A distributed center is a notification center: a program that uses one uses the other.
@_exported public import Switchyard
