// SPDX-License-Identifier: Apache-2.0
// SpoolImport turns the blocks of one .lsc file into a report: process facts from META, the rows of all
// blocks, losses, and the relation of the capture's clock to UTC. Used once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json_fields.h"
#include "core/base/time.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/capture_spool/spool_gpu.h"
#include "core/readers/capture_spool/spool_ranges.h"
#include "core/readers/capture_spool/spool_records.h"
#include "core/trace/import_notes.h"

namespace lockstep {

// SpoolLosses adds up the losses recorded in a capture: LOST records, and the totals in its SUMMARY. The
// larger of the two counts is used, because LOST records can themselves be missing, and only completed files
// have a SUMMARY. One worker; call note() after all blocks.
class SpoolLosses {
  public:
    // For one part of a file: sets the counts from LOST records of earlier parts, by LockstepSpoolLoss.
    void begin(const std::map<uint64_t, uint64_t>& earlier) { m_earlier = earlier; }

    void take(const SpoolRecord& lost);
    void readSummary(const Json& summary);
    // Adds one note per reason. The note contains the time range of the missing records (relative to `begin`)
    // and their fraction of all records. `read` is the number of records read.
    void note(ImportNotes& notes, TraceTime begin, uint64_t read) const;
    // Adds the counts of the LOST records to `counts`.
    void addTo(std::map<uint64_t, uint64_t>& counts) const;

  private:
    struct Loss {
        uint64_t placed = 0;               // number counted by LOST records
        uint64_t total = 0;                // number counted by SUMMARY
        int64_t first_ns = 0, last_ns = 0; // times of the first and last lost record; both 0 if unknown

        void extend(int64_t from_ns, int64_t to_ns);
    };

    std::map<uint64_t, Loss> m_losses; // by LockstepSpoolLoss
    std::map<uint64_t, uint64_t> m_earlier;
};

class SpoolImport {
  public:
    explicit SpoolImport(Provenance provenance);

    // The only possible error is ErrorKind::canceled.
    Result<std::unique_ptr<Report>> run(const SpoolBlocks& spool, const Progress& progress);

    // Reads one part of a file. Its blocks follow those described by `carry`, which is updated. Ranges that
    // are still open at the end of the part do not become slices of the part. All parts use the same relation
    // between the clock and UTC.
    Result<std::unique_ptr<Report>> runPart(const SpoolBlocks& part, SpoolCarry& carry,
                                            const Progress& progress);
    // Returns a report that contains only the ranges that are open after all parts, extended to now_ns, and
    // the gaps between parts.
    Result<std::unique_ptr<Report>> runOpen(const LockstepSpoolHeader& header, const SpoolCarry& carry,
                                            int64_t now_ns, const Progress& progress);

  private:
    struct ClockPair {
        int64_t raw_ns = 0, realtime_ns = 0, uncertainty_ns = 0;
    };

    void begin(const SpoolCarry& carry);
    void visitBlock(const SpoolBlock& block, const LockstepSpoolHeader& header, SpoolCarry& carry);
    void setClockFromHeader(const LockstepSpoolHeader& header);
    bool takeBlock(const SpoolBlock& block);
    bool readMetaBlocks(const SpoolBlocks& spool);
    void readMeta(const Json& meta);
    void applySettings(const Json& meta);
    void readSummary(const Json& summary);
    void readRecords(const SpoolBlock& block, std::string_view payload);
    void addLoss(const SpoolRecord& record);
    void noteLosses(const LockstepSpoolHeader& header);
    void setClock(const SpoolBlocks& spool);
    void noteDamage(const SpoolBlocks& spool);
    void noteFailure(std::optional<int64_t> step);
    void writeCounts();

    ReportBuilder m_builder;
    SpoolReading m_reading;
    SpoolRanges m_ranges;
    SpoolGpu m_gpu;
    std::vector<ClockPair> m_clocks;
    SpoolLosses m_losses;
    uint64_t m_records = 0; // number of records read
    bool m_hasLostInThread = false;
    int64_t m_blockAge_ns = 0;
    int64_t m_writerWork_ns = 0;
    int64_t m_exitStatus = 0; // 0 also if unknown
    std::string m_cuda;       // latest CUDA version string
};

} // namespace lockstep
