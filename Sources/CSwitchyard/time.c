// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include "switchyard_time.h"

#include <time.h>

switchyard_time switchyard_time_of_day(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (switchyard_time){.seconds = now.tv_sec, .microseconds = now.tv_nsec / 1000};
}

switchyard_date switchyard_utc_date(int64_t seconds) {
    time_t time = (time_t)seconds;
    struct tm parts = {0};
    gmtime_r(&time, &parts);
    return (switchyard_date){
        .year = parts.tm_year + 1900,
        .month = parts.tm_mon + 1,
        .day = parts.tm_mday,
        .hour = parts.tm_hour,
        .minute = parts.tm_min,
        .second = parts.tm_sec,
    };
}
