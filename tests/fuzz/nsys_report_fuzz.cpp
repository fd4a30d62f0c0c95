// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as the head and tail of an nsys report: recognition never crashes, and a version is the one
// in the token.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/readers/nsys_report/report_header.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FileSniff file;
    file.path = "input";
    file.size_bytes = size;
    file.head.assign(reinterpret_cast<const char*>(data), std::min(size, FileSniff::kHead));
    file.tail.assign(reinterpret_cast<const char*>(data) + size - std::min<size_t>(size, 16),
                     std::min<size_t>(size, 16));
    const auto header = readReportHeader(file);
    if (!header) return 0;
    if (header->versionToken.size() > 64) std::abort();
    if (header->version && findNsysVersion(versionText(*header->version)) != header->version) std::abort();
    return 0;
}
