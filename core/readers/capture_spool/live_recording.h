// SPDX-License-Identifier: Apache-2.0
// LiveRecording shows one growing capture as reports. New blocks become a separate chunk, which is read
// without the earlier blocks. Open ranges are one more report, which is replaced each time. Chunks are
// merged, so that a long recording consists of only a few chunks. A report that was returned is never
// changed. One thread at a time; reading takes time proportional to the new data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/capture_spool/spool_carry.h"
#include "core/trace/report.h"

namespace lockstep {

class LiveRecording {
  public:
    // Number of chunks of one size that are merged into one chunk of the next size.
    static constexpr size_t kMergedAtOnce = 8;

    using ReportPtr = std::shared_ptr<const Report>;
    struct Chunk {
        uint64_t number = 0; // starts at 1; never reused
        ReportPtr report;
    };
    // A change: the chunks to add or replace, and the open ranges.
    struct Change {
        std::vector<Chunk> added;
        std::vector<uint64_t> removed;
        ReportPtr open; // null if unchanged

        bool isEmpty() const { return added.empty() && removed.empty() && open == nullptr; }
    };
    // Progress of the recording: how far the file and the time have advanced.
    struct Reach {
        uint64_t bytes = 0; // size of the file in complete blocks
        int64_t now_ns = 0; // time on the capture's clock up to which open ranges extend
        // true if the connection is lost, so that nothing is known after the last timestamp
        bool isCut = false;
    };
    // Adjacent chunks that are to be read as one chunk. A value type; nothing else is needed to read it.
    struct Merge {
        std::vector<uint64_t> chunks;
        uint64_t begin = 0, end = 0; // range of their blocks in the file
        SpoolCarry before;
        unsigned level = 0;
    };

    // `path` is the local file; it becomes the path in the provenance of the reports.
    explicit LiveRecording(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    // Reads the new blocks. Errors: canceled, io, corrupt.
    Result<Change> read(const Reach& reach, const Progress& progress);
    // Returns the latest timestamp read so far, or INT64_MIN if there is none.
    int64_t newest_ns() const { return m_carry.last_ns; }

    // Returns the oldest kMergedAtOnce chunks of one size, or nullopt if there are not that many.
    std::optional<Merge> nextMerge() const;
    // Returns a merge of a single chunk, so that the chunk can be read again into a different place; nullopt
    // if the chunk no longer exists.
    std::optional<Merge> mergeOfOne(uint64_t chunk) const;
    // Reads a merge, on any thread and independent of all other state. progress.place() stores the report.
    static Result<ReportPtr> readMerged(const std::filesystem::path& path, const Merge& merge,
                                        const Progress& progress);
    // Replaces the chunks by the merged report. Changes nothing if one of the chunks no longer exists.
    Change applyMerge(const Merge& merge, ReportPtr report);

  private:
    struct StoredChunk {
        uint64_t number = 0;
        uint64_t begin = 0, end = 0;
        SpoolCarry before;
        unsigned level = 0; // number of times its blocks were merged
    };

    Result<ReportPtr> readOpen(std::string_view file, const Reach& reach, const Progress& progress);

    std::filesystem::path m_path;
    uint64_t m_read_bytes = 0; // number of bytes of the file that were read
    SpoolCarry m_carry;
    std::vector<StoredChunk> m_chunks; // in file order
    uint64_t m_lastNumber = 0;
};

} // namespace lockstep
