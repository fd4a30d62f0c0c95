// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_losses.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Description of a reason (LockstepSpoolLoss).
struct LossReason {
    uint64_t what;
    std::string_view word; // name in SUMMARY
    std::string_view kind, text;
    bool countsRecords; // true if the fraction of all records is meaningful
};

constexpr LossReason kReasons[] = {
    {LOCKSTEP_LOST_RING_FULL, "ring_full", "capture.ring_full",
     "records lost because a thread produced them faster than they could be written; ranges open at "
     "that time are cut (LOCKSTEP_CAPTURE_MEMORY, LOCKSTEP_CAPTURE_WHEN_FULL=block)",
     true},
    {LOCKSTEP_LOST_NO_RING, "no_ring", "capture.no_ring",
     "records lost because no memory was left for their threads (LOCKSTEP_CAPTURE_MEMORY)", true},
    {LOCKSTEP_LOST_NOT_WRITTEN, "not_written", "capture.not_written",
     "records lost because disk writes failed; ranges open at that time are cut", true},
    {LOCKSTEP_LOST_GPU_BY_CUPTI, "gpu_by_cupti", "capture.gpu_dropped", "GPU records that CUPTI dropped",
     true},
    {LOCKSTEP_LOST_GPU_BUFFERS, "gpu_buffers", "capture.gpu_buffers",
     "CUPTI buffer requests beyond the memory limit; their records are lost (LOCKSTEP_CAPTURE_MEMORY)",
     false},
    {LOCKSTEP_LOST_TEXTS, "texts", "capture.texts",
     "registered names beyond the memory limit; their ranges have no name", false},
    {LOCKSTEP_LOST_CUT_TEXTS, "cut_texts", "capture.cut_names", "names longer than 1 MiB: truncated", false},
    {LOCKSTEP_LOST_PAYLOADS, "payloads", "capture.payloads",
     "payloads omitted: larger than 64 KiB, or more than 16 for one range or mark", false},
    {LOCKSTEP_LOST_REPORTS, "reports", "capture.reports",
     "capture ranges without a report: the ranges followed faster than reports could be written, or the "
     "file could not be created",
     false},
    {LOCKSTEP_LOST_IN_HANDLER, "in_handler", "capture.in_handler",
     "records lost because a signal handler produced them while its thread was recording another record",
     true},
    {LOCKSTEP_LOST_RING_DAMAGED, "ring_damaged", "capture.ring_damaged",
     "sections of a thread's records lost because the program overwrote the capture library's memory",
     false}};

// Returns the time from `begin` to `at`, computed as floating point because a corrupt file may contain any
// timestamp.
std::string secondsTo(int64_t at_ns, TraceTime begin)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", (double(at_ns) - double(begin.ns)) / 1e9);
    return text;
}

std::string shareText(uint64_t lost, uint64_t read)
{
    char text[64];
    const double share = 100.0 * double(lost) / (double(lost) + double(read));
    std::snprintf(text, sizeof text, share < 0.1 ? "under 0.1 %% of the records" : "%.1f %% of the records",
                  share);
    return text;
}

} // namespace

void SpoolLosses::Loss::extend(int64_t from_ns, int64_t to_ns)
{
    if (from_ns == 0) return;
    first_ns = first_ns == 0 ? from_ns : std::min(first_ns, from_ns);
    last_ns = std::max({last_ns, from_ns, to_ns});
}

void SpoolLosses::take(const SpoolRecord& lost)
{
    Loss& loss = m_losses[std::min<uint64_t>(lost.fields[1], LOCKSTEP_KIND_LIMIT)];
    loss.placed += lost.fields[2];
    const auto from_ns = static_cast<int64_t>(lost.fields[0]);
    int64_t to_ns = from_ns;
    if (__builtin_add_overflow(from_ns, static_cast<int64_t>(lost.fields[3]), &to_ns)) to_ns = from_ns;
    loss.extend(from_ns, to_ns);
}

void SpoolLosses::readSummary(const Json& summary)
{
    const Json& counts = objectAt(summary, "lost");
    for (const LossReason& reason : kReasons) {
        const char* const word = reason.word.data(); // null-terminated, because it is a literal
        const uint64_t count = countAt(counts, word);
        if (count == 0) continue;
        Loss& loss = m_losses[reason.what];
        loss.total = std::max(loss.total, count);
        loss.extend(numberAt(objectAt(summary, "lost_from_ns"), word).value_or(0),
                    numberAt(objectAt(summary, "lost_to_ns"), word).value_or(0));
    }
}

void SpoolLosses::addTo(std::map<uint64_t, uint64_t>& counts) const
{
    for (const auto& [what, loss] : m_losses)
        counts[what] += loss.placed;
}

void SpoolLosses::note(ImportNotes& notes, TraceTime begin, uint64_t read) const
{
    for (const auto& [what, loss] : m_losses) {
        const auto before = m_earlier.find(what);
        const uint64_t earlier = before != m_earlier.end() ? before->second : 0;
        const uint64_t summed = loss.total > earlier ? loss.total - earlier : 0;
        const uint64_t count = std::max(loss.placed, summed);
        if (count == 0) continue;
        const auto reason = std::ranges::find(kReasons, what, &LossReason::what);
        const bool isKnown = reason != std::end(kReasons);
        std::string text(isKnown ? reason->text : "records lost for a reason unknown to this version");
        if (isKnown && reason->countsRecords) text += ": " + shareText(count, read);
        std::string example;
        if (loss.first_ns >= begin.ns && loss.last_ns > loss.first_ns)
            example = "from " + secondsTo(loss.first_ns, begin) + " to " + secondsTo(loss.last_ns, begin) +
                      " into the report";
        else if (loss.first_ns >= begin.ns && loss.first_ns != 0)
            example = "at " + secondsTo(loss.first_ns, begin) + " into the report";
        notes.add(isKnown ? reason->kind : "capture.lost", NoteSeverity::dataLoss, text, example, count);
    }
}

} // namespace lockstep
