// What NVTX payloads say of communications, put together: calls know their communicator's number, its set-up
// knew how many ranks it has and which one this process is.
#include <map>

#include "core/readers/nsys_sqlite/export_import.h"

namespace lockstep {

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
