// What a run leaves behind, and how to write to it: docs/when_it_spikes.md.

#ifndef GYRE_MONITOR_H_
#define GYRE_MONITOR_H_

#include "gyre/monitor/event.h"
#include "gyre/monitor/run_directory.h"

#endif  // GYRE_MONITOR_H_
