// SPDX-License-Identifier: Apache-2.0
// LiveRecording shows one growing capture as reports. New blocks become a separate piece, which is read
// without the earlier blocks. Open ranges are one more report, which is replaced each time. Pieces are
// merged, so that a long recording consists of only a few pieces. A report that was returned is never
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
    // Number of pieces of one size that are merged into one piece of the next size.
    static constexpr size_t kMergedAtOnce = 8;

    using ReportPtr = std::shared_ptr<const Report>;
    struct Piece {
        uint64_t number = 0; // starts at 1; never reused
        ReportPtr report;
    };
    // A change: the pieces to add or replace, and the open ranges.
    struct Change {
        std::vector<Piece> added;
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
    // Adjacent pieces that are to be read as one piece. A value type; nothing else is needed to read it.
    struct Merge {
        std::vector<uint64_t> pieces;
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
    size_t pieceCount() const { return m_pieces.size(); }

    // Returns the oldest kMergedAtOnce pieces of one size, or nullopt if there are not that many.
    std::optional<Merge> nextMerge() const;
    // Returns a merge of a single piece, so that the piece can be read again into a different place; nullopt
    // if the piece no longer exists.
    std::optional<Merge> alone(uint64_t piece) const;
    // Reads a merge, on any thread and independent of all other state. progress.place() stores the report.
    static Result<ReportPtr> readMerged(const std::filesystem::path& path, const Merge& merge,
                                        const Progress& progress);
    // Replaces the pieces by the merged report. Changes nothing if one of the pieces no longer exists.
    Change applyMerge(const Merge& merge, ReportPtr report);

  private:
    struct Held {
        uint64_t number = 0;
        uint64_t begin = 0, end = 0;
        SpoolCarry before;
        unsigned level = 0; // number of times its blocks were merged
    };

    Result<ReportPtr> readOpen(std::string_view file, const Reach& reach, const Progress& progress);

    std::filesystem::path m_path;
    uint64_t m_read_bytes = 0; // number of bytes of the file that were read
    SpoolCarry m_carry;
    std::vector<Held> m_pieces; // in file order
    uint64_t m_lastNumber = 0;
};

} // namespace lockstep
