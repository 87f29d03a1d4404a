// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// The time of day. In C, because Swift finds the system's structures for it in one module or another,
// as the build happens to load them.

#ifndef SWITCHYARD_TIME_H
#define SWITCHYARD_TIME_H

#include <stdint.h>

/// A time of day: seconds since 1970 in UTC, and microseconds.
typedef struct {
    int64_t seconds;
    int64_t microseconds;
} switchyard_time;

/// A date and time in UTC; months and days count from 1.
typedef struct {
    int32_t year, month, day, hour, minute, second;
} switchyard_date;

/// Returns the present time.
switchyard_time switchyard_time_of_day(void);

/// Returns the date and time of a number of seconds since 1970.
switchyard_date switchyard_utc_date(int64_t seconds);

#endif
