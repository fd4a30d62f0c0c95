// SPDX-License-Identifier: Apache-2.0
#include "core/remote/seen_files.h"

#include "core/base/words.h"

namespace lockstep {

namespace {

constexpr size_t kMaxGrowing = Ledger::kMaxFound;

} // namespace

bool SeenFiles::note(Ledger& ledger, const std::string& identity, int64_t size_bytes,
                     const LedgerLocation& place)
{
    const auto [seen, isFirst] =
        m_first.emplace(std::tuple(identity, size_bytes, std::string(baseName(place.path))), place);
    if (isFirst || seen->second.host == place.host) return true;
    const auto first = ledger.find(seen->second.host, seen->second.path);
    const auto second = ledger.find(place.host, place.path);
    if (first && second) ledger.noteSame(*first, *second);
    return !first;
}

// Inodes are reused, so a file counts as renamed only if one name is a prefix of the other.
void SeenFiles::noteName(Ledger& ledger, const std::string& host, const RunEvent& event)
{
    if (event.inode == 0) return;
    if (m_growing.size() >= kMaxGrowing) return;
    const auto [known, isNew] = m_growing.try_emplace({host, event.inode}, event.path);
    const std::string& before = known->second;
    if (!isNew && before != event.path && (before.starts_with(event.path) || event.path.starts_with(before)))
        ledger.noteRenamed(host, before);
    if (event.isComplete) {
        m_growing.erase(known);
    } else {
        known->second = event.path;
    }
}

bool SeenFiles::noteEvent(Ledger& ledger, const std::string& host, const RunEvent& event,
                          bool isStopRequested)
{
    if (event.kind == EventKind::report && !event.isOld) {
        noteReport(ledger, host, event, isStopRequested);
    } else if (event.kind == EventKind::capture && (event.word == "capturing" || event.word == "flushing")) {
        ledger.noteCapture(host, event.word == "flushing" ? LedgerState::flushing : LedgerState::capturing);
    } else if (event.kind == EventKind::step && !event.path.empty()) {
        CaptureWriter writer;
        writer.step = event.step;
        ledger.noteWriter(host, event.path, writer);
    } else if (event.kind == EventKind::error && !event.path.empty()) {
        ledger.noteProblem(host, event.path, event.text);
    } else {
        return false;
    }
    return true;
}

void SeenFiles::noteReport(Ledger& ledger, const std::string& host, const RunEvent& event,
                           bool isStopRequested)
{
    if (event.isGone) return ledger.noteGone(host, event.path, event.time_ns);
    noteName(ledger, host, event);
    if (!ledger.hasRoomFor(host, event.path, event.type)) return;
    const size_t entry = ledger.noteFound(host, event.path, event.type, event.size_bytes, event.isComplete,
                                          event.text, event.isFlushing);
    ledger.noteWriter(host, event.path,
                      {{}, event.step, event.exitStatus, event.isFinal, isStopRequested, event.modified_ns});
    if (event.isShared) ledger.noteShared(entry);
    // Files on two disks may have the same inode and size, but are unlikely to have the same time in
    // nanoseconds. A time in whole seconds proves nothing; in that case the digests are compared when the
    // files are listed.
    if (!event.isComplete || event.inode == 0 || event.modified_ns % 1'000'000'000 == 0) return;
    note(ledger, std::to_string(event.inode) + "@" + std::to_string(event.modified_ns), event.size_bytes,
         {host, event.path});
}

} // namespace lockstep
