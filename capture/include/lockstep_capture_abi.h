// SPDX-License-Identifier: Apache-2.0
/* The functions that liblockstep_capture.so exports for programs without NVTX. lockstep_capture.h looks them
 * up by name at run time, so that nothing is linked; the library includes this to be the same. Any thread. */
#ifndef LOCKSTEP_CAPTURE_ABI_H
#define LOCKSTEP_CAPTURE_ABI_H

#include <stdint.h>

/* Grows when a function is added; none is ever changed. */
#define LOCKSTEP_CAPTURE_ABI 2

#ifdef __cplusplus
extern "C" {
#endif

/* LOCKSTEP_CAPTURE_ABI of the library that is loaded. */
int lockstep_capture_abi(void);
/* 1 while something is written. */
int lockstep_is_recording(void);
/* A stage of the work, e.g. "actor", "update_policy"; role may be NULL. 0 when nothing records. */
uint64_t lockstep_range_start(const char* role, const char* stage);
void lockstep_range_end(uint64_t id);
/* Training step n begins, and the one before ends; -1 only ends. */
void lockstep_step(int64_t step);
/* A value at this moment; unit may be NULL. */
void lockstep_counter(const char* name, double value, const char* unit);
/* A collective that the caller waits for, e.g. "AllReduce" of so many bytes in group "world": from here to
 * lockstep_range_end() this rank takes part. sequence counts the group's operations alike on all its ranks,
 * UINT64_MAX where nobody counts. Clocks are aligned and stragglers found by it. Since version 2. */
uint64_t lockstep_collective_start(const char* operation, const char* group, uint32_t group_size,
                                   uint32_t rank, uint64_t sequence, uint64_t size_bytes);
/* What cudaProfilerStart and cudaProfilerStop say, for programs without CUDA. */
void lockstep_profiler_start(void);
void lockstep_profiler_stop(void);
/* Waits until all that was recorded is in the file, so many milliseconds at most. */
void lockstep_flush(int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
