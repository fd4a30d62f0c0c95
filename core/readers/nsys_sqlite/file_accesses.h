// SPDX-License-Identifier: Apache-2.0
// FileAccesses: the files that OSRT_FILE_ACCESS_EVENTS speak of, by number. Loaded once the processes of an
// export are known; immutable then, any thread.
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
        uint64_t processKey = 0; // of the process that opened it
    };

    FileAccesses() = default;
    // OSRT_FILE_ACCESS_DESCRIPTORS name a process by its plain pid: it is taken to be the report's process of
    // that pid, else one of the usual machine.
    FileAccesses(const SqliteDatabase& database, const SchemaProbe& schema, Report& report);

    // nullptr when the number stands for no file.
    const File* find(int64_t number) const
    {
        const auto found = m_files.find(number);
        return found != m_files.end() ? &found->second : nullptr;
    }

  private:
    std::unordered_map<int64_t, File> m_files;
};

} // namespace lockstep
