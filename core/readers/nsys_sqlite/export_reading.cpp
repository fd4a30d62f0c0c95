// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/export_reading.h"

#include "core/readers/nsys_sqlite/small_table.h"
#include "core/readers/nsys_sqlite/string_ids.h"

namespace lockstep {

FileAccesses::FileAccesses(const SqliteDatabase& database, const SchemaProbe& schema, Report& report)
{
    constexpr uint64_t kDefaultMachine = uint64_t(1) << 48; // hardware 0, virtual machine 1
    std::unordered_map<int64_t, uint64_t> keyOfPid;
    for (const Process& process : report.processes)
        keyOfPid.try_emplace(process.pid, process.key);
    constexpr std::array<std::string_view, 3> kColumns{"fileAccessId", "processId", "filePath"};
    eachRow(database, schema, "OSRT_FILE_ACCESS_DESCRIPTORS", kColumns, report.notes,
            [&](const SqliteQuery& row) {
                const int64_t pid = row.integer(2);
                const auto known = keyOfPid.find(pid);
                const uint64_t key = known != keyOfPid.end()
                                         ? known->second
                                         : kDefaultMachine | (static_cast<uint64_t>(pid) & 0xFFFFFF) << 24;
                m_files[row.integer(1)] = {
                    shownText(row.text(3), report.notes, "OSRT_FILE_ACCESS_DESCRIPTORS", row.integer(0)),
                    key};
            });
}

} // namespace lockstep
