// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as an nsys SQLite export: reading never crashes, and the result is consistent.
#include <cstdint>
#include <cstdlib>

#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/trace/slice_batch.h"
#include "tests/support/temp_dir.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const test::TempDir folder;
    const auto path = folder.write("input.sqlite", {reinterpret_cast<const char*>(data), size});
    const auto report = readNsysExport(path, {}, Progress());
    if (!report) return 0;
    const SliceTable& slices = (*report)->slices;
    for (uint32_t i = 0; i < slices.size(); ++i) {
        if (!isPlausible(slices.start_ns[i], slices.duration_ns[i])) std::abort();
        if (slices.name[i].value >= (*report)->strings.size()) std::abort();
    }
    if (slices.size() > 0) {
        const auto details = readNsysDetails(path, **report, SliceId(slices.size() - 1));
        if (details && details->source.empty()) std::abort();
    }
    return 0;
}
