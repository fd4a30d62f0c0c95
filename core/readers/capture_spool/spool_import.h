// SPDX-License-Identifier: Apache-2.0
// SpoolImport: one .lsc file's blocks become a report: what META says of the process, the rows of all blocks,
// what was lost, and how the spool's clock is tied to UTC. Used once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json_fields.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/capture_spool/spool_gpu.h"
#include "core/readers/capture_spool/spool_losses.h"
#include "core/readers/capture_spool/spool_ranges.h"

namespace lockstep {

class SpoolImport {
  public:
    explicit SpoolImport(Provenance provenance);

    // canceled is the only error.
    Result<std::unique_ptr<Report>> run(const SpoolBlocks& spool, const Progress& progress);

    // A part of a file by itself: its blocks stand behind those that `carry` tells of, which then tells of
    // them, too. What is open at its end is no slice of it. Its clock is tied to UTC as that of every part.
    Result<std::unique_ptr<Report>> runPart(const SpoolBlocks& part, SpoolCarry& carry,
                                            const Progress& progress);
    // What is open behind all parts, until now_ns, with the gaps between them. No rows but those.
    Result<std::unique_ptr<Report>> runOpen(const LockstepSpoolHeader& header, const SpoolCarry& carry,
                                            int64_t now_ns, const Progress& progress);

  private:
    struct ClockPair {
        int64_t raw_ns = 0, realtime_ns = 0, uncertainty_ns = 0;
    };

    void begin(const SpoolCarry& carry);
    void meetBlock(const SpoolBlock& block, const LockstepSpoolHeader& header, SpoolCarry& carry);
    void tieClock(const LockstepSpoolHeader& header);
    bool takeBlock(const SpoolBlock& block);
    bool takeMetaBlocks(const SpoolBlocks& spool);
    void takeMeta(const Json& meta);
    void takeSettings(const Json& meta);
    void takeSummary(const Json& summary);
    void takeRecords(const SpoolBlock& block, std::string_view payload);
    void takeLoss(const SpoolRecord& record);
    void noteLosses(const LockstepSpoolHeader& header);
    void setClock(const SpoolBlocks& spool);
    void noteDamage(const SpoolBlocks& spool);
    void writeCounts();

    ReportBuilder m_builder;
    SpoolReading m_reading;
    SpoolRanges m_ranges;
    SpoolGpu m_gpu;
    std::vector<ClockPair> m_clocks;
    SpoolLosses m_losses;
    uint64_t m_records = 0; // read
    bool m_hasLostInThread = false;
    int64_t m_blockAge_ns = 0;
    int64_t m_ownWork_ns = 0;
    std::string m_cuda; // what was said of CUDA last
};

} // namespace lockstep
