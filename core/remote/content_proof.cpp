// SPDX-License-Identifier: Apache-2.0
#include "core/remote/content_proof.h"

#include <algorithm>

#include "core/readers/reader.h"

namespace lockstep {

namespace {

// Returns whether the note says that the end of the file is missing.
bool isCut(const ImportNote& note)
{
    return note.severity == NoteSeverity::dataLoss &&
           (note.kind.ends_with("truncated") || note.kind.ends_with("cut_short") ||
            note.kind.ends_with("unreadable"));
}

// Returns whether the note says that blocks of a capture file are missing because its process was killed or
// the file was changed.
bool isIncompleteSpool(const ImportNote& note)
{
    return note.severity == NoteSeverity::dataLoss && note.kind.starts_with("spool.");
}

// Returns the losses that the capture itself recorded.
std::string lossOf(const Report& report)
{
    std::string text;
    for (const ImportNote& note : report.notes.all()) {
        if (note.severity != NoteSeverity::dataLoss || !note.kind.starts_with("capture.")) continue;
        text += (text.empty() ? "" : "; ") + std::to_string(note.count) + " " + note.text;
    }
    return text;
}

void learn(ContentProof& proof, const Report& report)
{
    const auto rows = static_cast<int64_t>(report.slices.size() + report.counters.size());
    proof.rows += rows + (report.memory ? static_cast<int64_t>(report.memory->entries.size()) : 0);
    const Identity& identity = report.identity;
    if (!proof.rank && identity.rank.isKnown()) proof.rank = *identity.rank.value;
    const bool isHostStated = identity.host.isKnown() && identity.host.confidence >= Confidence::stated;
    if (proof.host.empty() && isHostStated) proof.host = *identity.host.value;
    if (!proof.step && identity.step.isKnown()) proof.step = *identity.step.value;
    if (proof.role.empty() && identity.role.isKnown()) proof.role = *identity.role.value;
    const auto cut = std::ranges::find_if(report.notes.all(), isCut);
    if (cut != report.notes.all().end() && proof.problem.empty()) {
        proof.problem = cut->text + "; the data before the cut can be opened";
        proof.isCut = true;
    }
    const auto incomplete = std::ranges::find_if(report.notes.all(), isIncompleteSpool);
    if (incomplete != report.notes.all().end() && proof.problem.empty()) {
        proof.problem = "incomplete: " + incomplete->text + "; the rest can be opened";
        proof.isCut = true;
    }
    if (proof.loss.empty()) proof.loss = lossOf(report);
    if (report.provenance.kind == "lockstep capture" && identity.run.isKnown())
        proof.run = *identity.run.value;
}

} // namespace

ContentProof proveContent(const std::filesystem::path& path, const Progress& progress)
{
    ContentProof proof;
    const auto reports = readReports(path, progress);
    if (!reports) {
        proof.problem = reports.error().message;
        // Opening a binary nsys report requires nsys on this machine. The node checked the report's end
        // marker, but the content has not been checked.
        proof.isUnopened = reports.error().kind == ErrorKind::unsupported;
        return proof;
    }
    for (const ReportKey key : reports->keys())
        learn(proof, reports->report(key));
    if (proof.rows == 0) proof.isCut = false; // the file has no usable content
    if (proof.rows == 0 && proof.problem.empty())
        proof.problem = "it can be opened but contains no rows; nothing was recorded";
    return proof;
}

} // namespace lockstep
