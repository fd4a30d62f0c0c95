// SPDX-License-Identifier: Apache-2.0
// What NVTX payloads say of communications, put together: calls know their communicator's number, its set-up
// knew how many ranks it has and which one this process is.
#include <map>

#include "core/readers/nsys_sqlite/export_import.h"
#include "core/readers/nsys_sqlite/global_id.h"

namespace lockstep {

// NCCL counts peers and roots within the communicator. They are ranks of the job where the communicator holds
// all of it in the job's order; else the file does not say whose rank is meant.
uint32_t ExportImport::globalPeer(const StatedCollective& stated)
{
    const ProcessId process = m_builder.process(processKeyOf(stated.processKey), pidOf(stated.processKey));
    const Identity identity = identityOf(report(), process);
    const auto isEqual = [](const Sourced<int>& known, uint32_t number) {
        return known.isKnown() && *known.value >= 0 && static_cast<uint32_t>(*known.value) == number;
    };
    const bool isWholeJob =
        isEqual(identity.worldSize, stated.op.groupSize) && isEqual(identity.rank, stated.op.rankInGroup);
    return isWholeJob ? stated.op.peer : CollectiveOp::kAbsent;
}

void ExportImport::addCollectives()
{
    std::map<std::pair<uint64_t, uint64_t>, Communicator> known;
    for (const Communicator& communicator : m_found.communicators) {
        const auto [entry, isNew] =
            known.try_emplace({communicator.processKey, communicator.number}, communicator);
        // One process can drive several GPUs: then it has several ranks, and a call does not say which one it
        // is of.
        if (!isNew && entry->second.rank != communicator.rank) entry->second.rank = CollectiveOp::kAbsent;
    }
    SliceBatch batch;
    for (StatedCollective& stated : m_found.collectives) {
        const auto communicator = known.find({stated.processKey, stated.communicator});
        if (communicator != known.end()) {
            if (stated.op.groupSize == CollectiveOp::kAbsent)
                stated.op.groupSize = communicator->second.rankCount;
            if (stated.op.rankInGroup == CollectiveOp::kAbsent)
                stated.op.rankInGroup = communicator->second.rank;
        }
        if (stated.op.peer != CollectiveOp::kAbsent) stated.op.peer = globalPeer(stated);
        batch.addCollective(stated.source, stated.op);
    }
    m_builder.adopt(std::move(batch));
    if (m_found.payloads > 0) {
        report().facts.emplace_back("NVTX payloads", std::to_string(m_found.payloads) + " decoded, " +
                                                         std::to_string(m_found.collectives.size()) +
                                                         " of them NCCL operations");
    } else if (!m_reading.payloads.isEmpty()) {
        report().notes.add(
            "nvtx.payloads_not_exported", NoteSeverity::info,
            "the program stated NVTX payloads (of NCCL: communicator and message size) that this export "
            "leaves out; export the report again with --include-blobs=true --include-json=true",
            std::to_string(m_reading.payloads.size()) + " payload schemas without a payload");
    }
}

} // namespace lockstep
