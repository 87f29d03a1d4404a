// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer, which has no header of its own: reads its arguments, and calls `test` with one input
/// after another. Part of the compiler's runtime; linked where `-sanitize=fuzzer` is.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
