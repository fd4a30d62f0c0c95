// SPDX-License-Identifier: Apache-2.0
// FileAccesses: the files in OSRT_FILE_ACCESS_EVENTS, by number. Loaded after the processes of an export are
// known; immutable afterwards, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/trace/report.h"

namespace lockstep {

class FileAccesses {
  public:
    struct File {
        std::string path;
        uint64_t processKey = 0; // key of the process that opened the file
    };

    FileAccesses() = default;
    // Loads the files. OSRT_FILE_ACCESS_DESCRIPTORS contain only a plain pid. If the report has a process
    // with that pid, its key is used; otherwise the key is formed for nsys's default machine.
    FileAccesses(const SqliteDatabase& database, const SchemaProbe& schema, Report& report);

    // Returns the file with this number, or nullptr if the number is not a file.
    const File* find(int64_t number) const
    {
        const auto found = m_files.find(number);
        return found != m_files.end() ? &found->second : nullptr;
    }

  private:
    std::unordered_map<int64_t, File> m_files;
};

} // namespace lockstep
