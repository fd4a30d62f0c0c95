// parallelFor: the one way core uses more than one thread: a loop over the program's TaskPool. Blocks until
// every index was handled. Loops inside loops share the same threads.
#pragma once

#include <cstddef>
#include <functional>

namespace lockstep {

// Workers that parallelFor uses when told 0: the machine's cores, or the number set by setWorkerCount.
size_t workerCount();
// 0 restores the default. Called once at start-up from --jobs.
void setWorkerCount(size_t count);

// Calls body(index, worker) once for each index in [0, count), worker in [0, workers used). Indices are
// handed out in ascending order. What body throws is thrown here. workers = 0 means workerCount().
// In a process that was forked off one with a pool the caller works alone.
void parallelFor(size_t count, const std::function<void(size_t index, size_t worker)>& body,
                 size_t workers = 0);

} // namespace lockstep
