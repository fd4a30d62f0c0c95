// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a workspace: the whole file, or (by the first byte) only a report's header or one
// compressed chunk, which checksums and compression would otherwise hide from the fuzzer.
#include <array>

#include "core/readers/workspace_file/column_codec.h"
#include "core/readers/workspace_file/report_layout.h"
#include "core/readers/workspace_file/workspace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace lockstep;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (data[0] == 1) {
        Report report;
        ByteReader reader(bytes.substr(1));
        describeHeader(reader, report);
    } else if (data[0] == 2 && size > 4) {
        const ColumnChunk chunk{data[1], static_cast<ColumnCoding>(data[2]), data[3], bytes.substr(4)};
        std::array<std::byte, 12 * 256> out{};
        for (const uint8_t width : std::array<uint8_t, 4>{1, 2, 4, 8}) {
            (void)unpackChunk(chunk, data[1], {out.data(), chunk.rows, width, width});
            (void)unpackChunk(chunk, data[1], {out.data(), chunk.rows, width, 12});
        }
    } else {
        (void)openWorkspaceBytes(bytes, Progress());
    }
    return 0;
}
