// SPDX-License-Identifier: Apache-2.0
// Combines NVTX payloads about communications: calls contain the ID of the communicator; the communicator's
// initialization contains the number of ranks and the rank of this process.
#include <map>

#include "core/readers/nsys_sqlite/export_import.h"
#include "core/readers/nsys_sqlite/global_id.h"

namespace lockstep {

// NCCL numbers peers and roots within the communicator. These numbers are ranks of the job if the
// communicator contains all ranks in the order of the job; otherwise the rank is unknown.
uint32_t ExportImport::globalPeer(const RecordedCollective& collective)
{
    const ProcessId process =
        m_builder.process(processKeyOf(collective.processKey), pidOf(collective.processKey));
    const Identity identity = identityOf(report(), process);
    const auto isEqual = [](const Sourced<int>& known, uint32_t number) {
        return known.isKnown() && *known.value >= 0 && static_cast<uint32_t>(*known.value) == number;
    };
    const bool isWholeJob = isEqual(identity.worldSize, collective.op.groupSize) &&
                            isEqual(identity.rank, collective.op.rankInGroup);
    return isWholeJob ? collective.op.peer : CollectiveOp::kAbsent;
}

void ExportImport::addCollectives()
{
    std::map<std::pair<uint64_t, uint64_t>, Communicator> known;
    for (const Communicator& communicator : m_found.communicators) {
        const auto [entry, isNew] =
            known.try_emplace({communicator.processKey, communicator.number}, communicator);
        // One process can use several GPUs and then has several ranks. A call does not record to which of
        // these ranks it belongs.
        if (!isNew && entry->second.rank != communicator.rank) entry->second.rank = CollectiveOp::kAbsent;
    }
    SliceBatch batch;
    for (RecordedCollective& collective : m_found.collectives) {
        const auto communicator = known.find({collective.processKey, collective.communicator});
        if (communicator != known.end()) {
            if (collective.op.groupSize == CollectiveOp::kAbsent)
                collective.op.groupSize = communicator->second.rankCount;
            if (collective.op.rankInGroup == CollectiveOp::kAbsent)
                collective.op.rankInGroup = communicator->second.rank;
        }
        if (collective.op.peer != CollectiveOp::kAbsent) collective.op.peer = globalPeer(collective);
        batch.addCollective(collective.source, collective.op);
    }
    m_builder.adopt(std::move(batch));
    if (m_found.payloads > 0) {
        report().facts.emplace_back("NVTX payloads", std::to_string(m_found.payloads) + " decoded, " +
                                                         std::to_string(m_found.collectives.size()) +
                                                         " of them NCCL operations");
    } else if (!m_reading.payloads.isEmpty()) {
        report().notes.add(
            "nvtx.payloads_not_exported", NoteSeverity::info,
            "this export omits the program's NVTX payloads (for NCCL: communicator and message size); "
            "export the report again with --include-blobs=true --include-json=true",
            std::to_string(m_reading.payloads.size()) + " payload schemas without a payload");
    }
}

} // namespace lockstep
