// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/live_placement.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

std::optional<LivePlacement::Chunk> LivePlacement::toMove(std::span<const Chunk> chunks) const
{
    if (m_memory.hasRoom(0)) return {};
    const auto largest = std::ranges::max_element(chunks, {}, &Chunk::memory_bytes);
    if (largest == chunks.end() || largest->memory_bytes < kMinMoved_bytes) return {};
    return *largest;
}

Result<LivePlacement::Placed> LivePlacement::read(const std::filesystem::path& path,
                                                  const LiveRecording::Merge& merge, uint64_t bytes,
                                                  const Progress& progress)
{
    const bool isMove = merge.chunks.size() == 1;
    const std::string limit = byteText(static_cast<int64_t>(m_memory.limit_bytes()));
    Placed placed;
    auto room = m_memory.room(bytes, "live data");
    if (room && !room->place.isHeap()) {
        const Progress onDisk(progress.stopToken(), {}, progress.workers(), std::move(room->place));
        auto report = LiveRecording::readMerged(path, merge, onDisk);
        if (report) {
            placed.report = *std::move(report);
            placed.message.text =
                "memory limit of " + limit + " reached: older live data was moved to disk; nothing is lost";
            return placed;
        }
        if (report.error().kind == ErrorKind::canceled) return tl::make_unexpected(report.error());
        room = tl::make_unexpected(report.error()); // the disk filled up
    } else if (room && isMove) {
        return placed; // there is room again
    }
    if (!room)
        placed.message = {"memory limit of " + limit + " exceeded by live data: " + room.error().message,
                          room.error().help};
    if (!room && isMove) return placed;
    placed.report = LOCKSTEP_TRY(LiveRecording::readMerged(path, merge, progress));
    return placed;
}

} // namespace lockstep
