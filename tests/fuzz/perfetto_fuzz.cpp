// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a Perfetto trace: the result is an error or a valid report.
#include <cstdlib>

#include "core/readers/perfetto/perfetto_reader.h"
#include "core/readers/workspace_file/stored_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace lockstep;
    const auto report = readPerfetto({reinterpret_cast<const char*>(data), size}, {}, Progress());
    if (report && !checkReport(**report, Workers())) std::abort();
    return 0;
}
