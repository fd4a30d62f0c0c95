// SPDX-License-Identifier: Apache-2.0
/* A C program that uses lockstep_capture.h: three steps, a stage with a collective in each, a counter. */
#define _GNU_SOURCE
#include "capture/include/lockstep_capture.h"

int main(void)
{
    for (int step = 1; step <= 3; ++step) {
        lockstep_capture_step(step);
        const lockstep_capture_range update = lockstep_capture_annotate("actor", "update");
        lockstep_capture_end(
            lockstep_capture_collective("AllReduce", "data parallel", 8, 3, (uint64_t)step, 1u << 20));
        lockstep_capture_counter("loss", 1.0 / (1 << (step - 1)), "nats");
        lockstep_capture_end(update);
    }
    lockstep_capture_step(-1);
    return 0;
}
