// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/live_recording.h"

#include <algorithm>

#include "core/base/mapped_file.h"
#include "core/readers/capture_spool/spool_import.h"

namespace lockstep {

namespace {

Provenance provenanceOf(const std::filesystem::path& path, uint64_t size_bytes)
{
    Provenance provenance;
    provenance.path = path;
    provenance.size_bytes = size_bytes;
    provenance.kind = "lockstep capture";
    provenance.tool = "Lockstep";
    return provenance;
}

// Reads the blocks [begin, end) of the file. `carry` is the state before these blocks and is updated.
Result<LiveRecording::ReportPtr> readPart(const std::filesystem::path& path, std::string_view file,
                                          uint64_t begin, SpoolCarry& carry, const Progress& progress)
{
    const SpoolBlocks blocks = LOCKSTEP_TRY(spoolBlocksFrom(file, begin, carry.sequence, progress));
    SpoolImport import(provenanceOf(path, file.size() - begin));
    return LiveRecording::ReportPtr(LOCKSTEP_TRY(import.runPart(blocks, carry, progress)));
}

} // namespace

Result<LiveRecording::Change> LiveRecording::read(const Reach& reach, const Progress& progress)
{
    Change change;
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(m_path));
    const std::string_view file =
        mapped.text().substr(0, std::min<uint64_t>(reach.bytes, mapped.text().size()));
    const LockstepSpoolHeader header = LOCKSTEP_TRY(spoolHeader(file));
    const uint64_t begin = std::max<uint64_t>(m_read_bytes, header.header_bytes);
    if (file.size() > begin) {
        SpoolCarry carry = m_carry;
        ReportPtr report = LOCKSTEP_TRY(readPart(m_path, file, begin, carry, progress));
        m_chunks.push_back({++m_lastNumber, begin, file.size(), std::exchange(m_carry, std::move(carry)), 0});
        m_chunks.back().before.gaps.clear();
        m_read_bytes = file.size();
        change.added.push_back({m_lastNumber, std::move(report)});
    }
    change.open = LOCKSTEP_TRY(readOpen(file, reach, progress));
    return change;
}

Result<LiveRecording::ReportPtr> LiveRecording::readOpen(std::string_view file, const Reach& reach,
                                                         const Progress& progress)
{
    const LockstepSpoolHeader header = LOCKSTEP_TRY(spoolHeader(file));
    SpoolCarry carry = m_carry;
    const int64_t known_ns = carry.last_ns == INT64_MIN ? header.monotonicRaw_ns : carry.last_ns;
    if (reach.isCut) carry.addGap({{known_ns}, {reach.now_ns}});
    // After a lost connection it is unknown whether ranges are still open.
    const int64_t end_ns = reach.isCut ? known_ns : std::max(reach.now_ns, known_ns);
    SpoolImport import(provenanceOf(m_path, 0));
    return ReportPtr(LOCKSTEP_TRY(import.runOpen(header, carry, end_ns, progress)));
}

// Merges chunks as a log-structured merge tree does: kMergedAtOnce adjacent chunks of one level become one
// chunk of the next level. A recording with n reads therefore has O(log n) chunks, and each block is read
// again at most once per level: O(n log n) in total.
std::optional<LiveRecording::Merge> LiveRecording::nextMerge() const
{
    for (size_t first = 0; first + kMergedAtOnce <= m_chunks.size(); ++first) {
        const auto run = m_chunks.begin() + static_cast<std::ptrdiff_t>(first);
        const auto isOfLevel = [&](const StoredChunk& chunk) { return chunk.level == run->level; };
        if (!std::all_of(run, run + kMergedAtOnce, isOfLevel)) continue;
        Merge merge{{}, run->begin, (run + kMergedAtOnce - 1)->end, run->before, run->level + 1};
        for (size_t i = 0; i < kMergedAtOnce; ++i)
            merge.chunks.push_back(m_chunks[first + i].number);
        return merge;
    }
    return {};
}

std::optional<LiveRecording::Merge> LiveRecording::mergeOfOne(uint64_t chunk) const
{
    const auto stored = std::ranges::find(m_chunks, chunk, &StoredChunk::number);
    if (stored == m_chunks.end()) return {};
    return Merge{{chunk}, stored->begin, stored->end, stored->before, stored->level};
}

Result<LiveRecording::ReportPtr> LiveRecording::readMerged(const std::filesystem::path& path,
                                                           const Merge& merge, const Progress& progress)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(path));
    if (mapped.text().size() < merge.end)
        return makeError(ErrorKind::corrupt,
                         path.string() + ": the file became shorter while it was being watched");
    SpoolCarry carry = merge.before;
    return readPart(path, mapped.text().substr(0, merge.end), merge.begin, carry, progress);
}

LiveRecording::Change LiveRecording::applyMerge(const Merge& merge, ReportPtr report)
{
    Change change;
    const auto first = std::ranges::find(m_chunks, merge.chunks.front(), &StoredChunk::number);
    const auto count = static_cast<std::ptrdiff_t>(merge.chunks.size());
    if (m_chunks.end() - first < count) return change;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        if ((first + i)->number != merge.chunks[static_cast<size_t>(i)]) return change;
    }
    *first = {++m_lastNumber, merge.begin, merge.end, merge.before, merge.level};
    m_chunks.erase(first + 1, first + count);
    change.removed = merge.chunks;
    change.added.push_back({m_lastNumber, std::move(report)});
    return change;
}

} // namespace lockstep
