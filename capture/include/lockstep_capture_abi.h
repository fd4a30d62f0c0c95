// SPDX-License-Identifier: Apache-2.0
/* The functions that liblockstep_capture.so exports for programs without NVTX. lockstep_capture.h looks them
 * up by name at run time, so no linking is needed; the library includes this file to match. Any thread. */
#ifndef LOCKSTEP_CAPTURE_ABI_H
#define LOCKSTEP_CAPTURE_ABI_H

#include <stdint.h>

/* Increases when a function is added; existing functions never change. */
#define LOCKSTEP_CAPTURE_ABI 2

#ifdef __cplusplus
extern "C" {
#endif

/* Returns LOCKSTEP_CAPTURE_ABI of the loaded library. */
int lockstep_capture_abi(void);
/* Returns 1 while calls are recorded. */
int lockstep_is_recording(void);
/* Begins a stage, e.g. "actor", "update_policy"; role may be NULL. Returns 0 if nothing is recorded. */
uint64_t lockstep_range_start(const char* role, const char* stage);
void lockstep_range_end(uint64_t id);
/* Begins a training step and ends the previous one; -1 only ends it. */
void lockstep_step(int64_t step);
/* Records a value at the current time; unit may be NULL. */
void lockstep_counter(const char* name, double value, const char* unit);
/* Begins a collective that the caller waits for, e.g. "AllReduce" of size_bytes in group "world". This rank
 * takes part until lockstep_range_end(). sequence numbers the operations of the group equally on all its
 * ranks; UINT64_MAX if they are not numbered. It serves to align clocks and to find stragglers. Since
 * version 2. */
uint64_t lockstep_collective_start(const char* operation, const char* group, uint32_t group_size,
                                   uint32_t rank, uint64_t sequence, uint64_t size_bytes);
/* Equivalents of cudaProfilerStart and cudaProfilerStop for programs without CUDA. */
void lockstep_profiler_start(void);
void lockstep_profiler_stop(void);
/* Waits until everything recorded so far is in the file, for `milliseconds` at most. */
void lockstep_flush(int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
