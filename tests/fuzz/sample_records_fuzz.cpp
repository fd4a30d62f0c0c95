// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a file of sample records, of whatever format their first object has, and the details of
// each slice. The tables of samples must stay consistent.
#include <cstdint>
#include <cstdlib>

#include "core/readers/registry.h"
#include "core/readers/workspace_file/stored_report.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const test::TempDir folder;
    const auto path = folder.write("made.jsonl", std::string(reinterpret_cast<const char*>(data), size));
    const auto file = sniffFile(path);
    if (!file || !sampleRecordsReader().recognizes(*file)) return 0;
    const auto report = sampleRecordsReader().read(*file, Progress(test::workers()));
    if (!report) return 0;
    const Report& made = **report;
    if (!checkReport(made, Workers())) std::abort();
    for (uint32_t slice = 0; slice < made.slices.size() && slice < 100; ++slice)
        (void)readSliceDetails(made, SliceId(slice));
    return 0;
}
