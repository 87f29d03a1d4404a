// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#include <nats/nats.h>
