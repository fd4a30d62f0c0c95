// SPDX-License-Identifier: Apache-2.0
// Workers for tests: three threads and the caller, on every machine; for benches, those of the machine.
#pragma once

#include "core/base/workers.h"

namespace lockstep::test {

// Returns the same workers for all tests of a program.
inline const Workers& workers()
{
    static const Workers four(std::make_shared<TaskPool>(3));
    return four;
}

inline const Workers& machineWorkers()
{
    static const Workers all = Workers::ofMachine();
    return all;
}

} // namespace lockstep::test
