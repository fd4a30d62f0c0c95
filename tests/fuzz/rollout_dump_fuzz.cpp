// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a rollout dump, or as the pickle in one, and the details of its slices. The tables of
// samples must stay consistent.
#include <cstdint>
#include <cstdlib>

#include "core/readers/registry.h"
#include "core/readers/workspace_file/stored_report.h"
#include "tests/support/temp_dir.h"
#include "tests/support/torch_archive_writer.h"
#include "tests/support/workers.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const test::TempDir folder;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const bool isPickle = bytes.starts_with('\x80');
    const auto path = folder.write("12.pt", isPickle ? test::torchArchiveOf(bytes) : bytes);
    const auto file = sniffFile(path);
    if (!file || !rolloutDumpReader().recognizes(*file)) return 0;
    const auto report = rolloutDumpReader().read(*file, Progress(test::workers()));
    if (!report) return 0;
    const Report& made = **report;
    if (!checkReport(made, Workers())) std::abort();
    for (uint32_t slice = 0; slice < made.slices.size() && slice < 100; ++slice)
        (void)rolloutDumpReader().details(made, SliceId(slice));
    return 0;
}
