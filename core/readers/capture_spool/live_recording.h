// SPDX-License-Identifier: Apache-2.0
// LiveRecording: one spool that grows here, block by block, as reports: what came last becomes a piece of its
// own, read without what came before; what is open is one more report, made anew each time; and pieces are
// merged, so that a long recording is a few. Reports are handed out, never changed. Each call belongs to one
// thread at a time; the reading ones take as long as what is new.
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
    static constexpr size_t kMergedAtOnce = 8; // pieces of one size become one of the next

    using ReportPtr = std::shared_ptr<const Report>;
    struct Piece {
        uint64_t number = 0; // from 1, never used again
        ReportPtr report;
    };
    // What has changed: pieces to show besides, or in the place of others; and what is open now.
    struct Change {
        std::vector<Piece> added;
        std::vector<uint64_t> removed;
        ReportPtr open; // null: as before

        bool isEmpty() const { return added.empty() && removed.empty() && open == nullptr; }
    };
    // How far the file and time have come.
    struct Reach {
        uint64_t bytes = 0; // of the file: whole blocks
        int64_t now_ns = 0; // on the spool's clock: until then open ranges last
        bool isCut = false; // the link is lost: from the last stamp on nothing is known
    };
    // Pieces that lie side by side, to be read as one. A value: reading it needs nothing else.
    struct Merge {
        std::vector<uint64_t> pieces;
        uint64_t begin = 0, end = 0; // of their blocks in the file
        SpoolCarry before;
        unsigned level = 0;
    };

    // path: of the local file, which shows as the reports' provenance.
    explicit LiveRecording(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    // Reads what came since. canceled, io, corrupt.
    Result<Change> read(const Reach& reach, const Progress& progress);
    // Latest stamp that was read; INT64_MIN: none.
    int64_t newest_ns() const { return m_carry.last_ns; }
    size_t pieceCount() const { return m_pieces.size(); }

    // The oldest pieces of one size, where there are kMergedAtOnce.
    std::optional<Merge> wantedMerge() const;
    // A piece by itself, to be read again elsewhere; none where it is there no more.
    std::optional<Merge> alone(uint64_t piece) const;
    // Beside everything else, on any thread. The report lies in the place of progress.
    static Result<ReportPtr> readMerged(const std::filesystem::path& path, const Merge& merge,
                                        const Progress& progress);
    // Takes it in the pieces' place; no change where one of them is there no more.
    Change takeMerged(const Merge& merge, ReportPtr report);

  private:
    struct Held {
        uint64_t number = 0;
        uint64_t begin = 0, end = 0;
        SpoolCarry before;
        unsigned level = 0; // how often its blocks were merged
    };

    Result<ReportPtr> readOpen(std::string_view file, const Reach& reach, const Progress& progress);

    std::filesystem::path m_path;
    uint64_t m_read_bytes = 0; // of the file
    SpoolCarry m_carry;
    std::vector<Held> m_pieces; // in the file's order
    uint64_t m_lastNumber = 0;
};

} // namespace lockstep
