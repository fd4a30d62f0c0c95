// SPDX-License-Identifier: Apache-2.0
#include "core/remote/ledger.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/report_formats.h"
#include "core/base/text.h"
#include "core/remote/report_name.h"

namespace lockstep {

namespace {

// Maximum number of entries per forecast line, so that a mistyped rank count does not exhaust memory.
constexpr int64_t kMaxOfOne = 100'000;
constexpr size_t kMaxProblem_bytes = 500;
constexpr size_t kLongestReason_bytes = 4000;
constexpr size_t kLongestPath_bytes = 8192; // twice PATH_MAX

std::optional<ReportKind> kindOf(std::string_view word)
{
    const ReportFormat* const format = formatOfAgentName(word);
    const auto kinds = enumNames(ReportKind{});
    const auto kind = format != nullptr ? std::ranges::find(kinds, format->reportKindName) : kinds.end();
    if (kind == kinds.end()) return std::nullopt;
    return static_cast<ReportKind>(kind - kinds.begin());
}

// Some frameworks write samples as JSON traces. Only the name of such a file shows what it is.
bool canBe(ReportKind found, ReportKind expected)
{
    return found == expected || (found == ReportKind::torchTrace && expected == ReportKind::samples);
}

bool contradicts(const ReportNameParts& parts, const LedgerEntry& entry)
{
    if (parts.rank && entry.rank && *parts.rank != *entry.rank) return true;
    if (parts.range) return entry.order != *parts.range - 1;
    return parts.step && !entry.steps.empty() &&
           std::find(entry.steps.begin(), entry.steps.end(), *parts.step) == entry.steps.end();
}

// Swaps the file fields of two entries. Used if content contradicts a name.
void swapFiles(LedgerEntry& a, LedgerEntry& b)
{
    std::swap(a.state, b.state);
    std::swap(a.reason, b.reason);
    std::swap(a.path, b.path);
    std::swap(a.alsoAt, b.alsoAt);
    std::swap(a.size_bytes, b.size_bytes);
    std::swap(a.sha256, b.sha256);
    std::swap(a.localPath, b.localPath);
    std::swap(a.isReduced, b.isReduced);
    std::swap(a.rows, b.rows);
    std::swap(a.writer, b.writer);
}

bool isOpen(const LedgerEntry& entry)
{
    return entry.state < LedgerState::complete;
}

constexpr std::string_view kGone = "gone: ";

bool isGone(const LedgerEntry& entry)
{
    return entry.state == LedgerState::missing && entry.reason.starts_with(kGone);
}

// Gives up on an entry without a complete file.
void giveUp(LedgerEntry& entry, std::string_view reason)
{
    const bool isAbsent = entry.isOptional && entry.path.empty();
    entry.state = isAbsent ? LedgerState::absent : LedgerState::missing;
    if (isAbsent) {
        entry.reason = "this run did not use this stage";
    } else if (entry.reason.empty()) {
        entry.reason = reason;
    }
}

} // namespace

std::string Ledger::placeKey(std::string_view host, std::string_view path)
{
    std::string key(host);
    key += '\0';
    return key += path;
}

void Ledger::addPlaces(const LedgerEntry& entry, size_t at, std::unordered_map<std::string, size_t>& places)
{
    if (!entry.path.empty()) places.emplace(placeKey(entry.host, entry.path), at);
    for (const LedgerLocation& place : entry.alsoAt)
        places.emplace(placeKey(place.host, place.path), at);
}

Ledger::Ledger(std::span<const ExpectedFile> forecast)
{
    for (const ExpectedFile& file : forecast) {
        if (file.count() == 0 && namePatternProblem(file.pattern).empty())
            m_openLines.push_back({file.kind, file.role, file.host, file.pattern});
        const std::string problem = namePatternProblem(file.pattern);
        const int64_t each = std::max<int64_t>(1, file.reportsPerRank);
        const int64_t ranks = std::min(file.count(), kMaxOfOne) / each;
        for (int64_t rank = 0; rank < ranks; ++rank) {
            for (int64_t order = 0; order < each; ++order) {
                LedgerEntry entry;
                entry.kind = file.kind;
                entry.role = file.role;
                entry.host = file.host;
                if (static_cast<size_t>(rank) < file.ranks.size())
                    entry.rank = file.ranks[static_cast<size_t>(rank)];
                entry.steps = file.stepsOf(order);
                entry.order = order;
                if (!problem.empty()) entry.reason = "no file can be matched to this entry: " + problem;
                entry.isOptional = file.isOptional(order);
                m_entries.push_back(std::move(entry));
                m_patterns.push_back(file.pattern);
                m_pids.emplace_back();
            }
        }
    }
    m_expected = m_entries.size();
}

std::array<size_t, kLedgerStates> Ledger::counts() const
{
    std::array<size_t, kLedgerStates> counts{};
    for (const LedgerEntry& entry : m_entries)
        ++counts[static_cast<size_t>(entry.state)];
    return counts;
}

size_t Ledger::expectedCount() const
{
    return static_cast<size_t>(std::ranges::count_if(m_entries, [](const LedgerEntry& entry) {
        return entry.wasExpected && !(entry.isOptional && entry.path.empty());
    }));
}

const Ledger::Index& Ledger::index() const
{
    if (m_index.isValid) return m_index;
    m_index = Index();
    m_index.isValid = true;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        addPlaces(m_entries[i], i, m_index.places);
        if (i >= m_expected) ++m_index.found[m_entries[i].host];
    }
    return m_index;
}

void Ledger::removeFromIndex(size_t at)
{
    if (!m_index.isValid) return;
    const auto eraseKey = [&](const std::string& host, const std::string& path) {
        const auto found = m_index.places.find(placeKey(host, path));
        if (found != m_index.places.end() && found->second == at) m_index.places.erase(found);
    };
    eraseKey(m_entries[at].host, m_entries[at].path);
    for (const LedgerLocation& place : m_entries[at].alsoAt)
        eraseKey(place.host, place.path);
}

void Ledger::addToIndex(size_t at)
{
    if (m_index.isValid) addPlaces(m_entries[at], at, m_index.places);
}

std::optional<size_t> Ledger::find(std::string_view host, std::string_view path) const
{
    const auto& places = index().places;
    const auto found = places.find(placeKey(host, path));
    if (found != places.end()) return found->second;
    const auto moved = m_moved.find(placeKey(host, path));
    return moved != m_moved.end() ? find(host, moved->second) : std::nullopt;
}

bool Ledger::hasRoomFor(std::string_view host, std::string_view path, std::string_view kindName)
{
    if (path.size() > kLongestPath_bytes) {
        ++m_excluded[std::string(host)];
        return false;
    }
    const auto& found = index().found;
    const auto ofHost = found.find(host);
    const bool isFull = m_entries.size() - m_expected >= kMaxFound ||
                        (ofHost != found.end() && ofHost->second >= kMaxFoundOfHost);
    if (!isFull || find(host, path)) return true;
    if (entryFor(host, path, kindOf(kindName).value_or(ReportKind::torchTrace))) return true;
    ++m_excluded[std::string(host)];
    return false;
}

std::optional<size_t> Ledger::entryFor(std::string_view host, std::string_view path, ReportKind kind) const
{
    std::optional<size_t> first;
    const std::string* pattern =
        nullptr; // pattern of the previous entry; a run has few patterns, and matching is slow
    std::optional<ReportNameParts> parts;
    std::optional<ProcessSlots> held;
    for (size_t i = 0; i < m_expected; ++i) { // every entry from m_expected on has a file
        const LedgerEntry& entry = m_entries[i];
        if (!entry.path.empty() || !canBe(kind, entry.kind) || (!entry.host.empty() && entry.host != host))
            continue;
        if (pattern == nullptr || *pattern != m_patterns[i]) {
            pattern = &m_patterns[i];
            parts = ReportNameParts::of(*pattern, path);
        }
        if (!parts || contradicts(*parts, entry)) continue;
        if (parts->pid.empty() || parts->rank) return i;
        // Reports from one process belong to one rank. This is the rank that already has reports from the
        // process, otherwise a rank without any process.
        if (!held) held = slotsOf(host, parts->pid);
        const size_t begin = held->begins[i];
        if (std::ranges::find(held->own, begin) != held->own.end()) return i;
        const bool hasOther = std::ranges::any_of(held->own, [&](size_t own) {
            return m_entries[own].kind == kind && m_patterns[own] == m_patterns[i];
        });
        if (!first && !hasOther && !held->isTaken[begin]) first = i;
    }
    return first;
}

const Ledger::OpenLine* Ledger::openLineFor(std::string_view host, std::string_view path,
                                            ReportKind kind) const
{
    const auto fits = [&](const OpenLine& line) {
        return canBe(kind, line.kind) && (line.host.empty() || line.host == host) &&
               ReportNameParts::of(line.pattern, path).has_value();
    };
    const auto line = std::ranges::find_if(m_openLines, fits);
    return line != m_openLines.end() ? &*line : nullptr;
}

bool Ledger::fitsForecast(const LedgerEntry& entry) const
{
    if (entry.wasExpected || openLineFor(entry.host, entry.path, entry.kind) != nullptr) return true;
    const std::set<std::string> patterns(m_patterns.begin(), m_patterns.end());
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        return ReportNameParts::of(pattern, entry.path).has_value();
    });
}

void Ledger::notePid(size_t entry, std::string_view path)
{
    const auto parts = ReportNameParts::of(m_patterns[entry], path);
    m_pids[entry] = parts ? parts->pid : std::string();
}

size_t Ledger::noteFound(std::string_view host, std::string_view path, std::string_view kindName,
                         int64_t size_bytes, bool isComplete, std::string_view reason, bool isFlushing)
{
    const ReportKind kind = kindOf(kindName).value_or(ReportKind::torchTrace);
    std::optional<size_t> at = find(host, path);
    if (!at) at = entryOfMoved(host, path, kind);
    if (!at) at = entryFor(host, path, kind);
    if (!at) at = entryAfterMove(host, path, kind);
    if (!at) {
        const OpenLine* const line = openLineFor(host, path, kind);
        LedgerEntry entry;
        entry.kind = line != nullptr ? line->kind : kind;
        entry.wasExpected = entry.isOpenEnded = line != nullptr;
        if (line != nullptr) entry.role = line->role;
        m_entries.push_back(std::move(entry));
        m_patterns.push_back(line != nullptr ? line->pattern : std::string());
        m_pids.emplace_back();
        at = m_entries.size() - 1;
        ++m_index.found[std::string(host)];
    }
    LedgerEntry& entry = m_entries[*at];
    // The state of this shared file is reported by another host.
    const bool isShared = !entry.path.empty() && (entry.host != host || entry.path != path);
    if (isShared) return *at;
    if (entry.path != path) {
        notePid(*at, path);
        m_index.places.emplace(placeKey(host, path), *at);
    }
    entry.host = host;
    entry.path = path;
    const bool isHere = !entry.localPath.empty() && entry.size_bytes == size_bytes;
    entry.size_bytes = size_bytes;
    if (isHere) return *at;
    entry.state = isComplete   ? LedgerState::complete
                  : isFlushing ? LedgerState::flushing
                               : LedgerState::capturing;
    entry.reason = isComplete ? std::string() : std::string(reason.substr(0, kLongestReason_bytes));
    return *at;
}

void Ledger::noteWriter(std::string_view host, std::string_view path, const CaptureWriter& writer)
{
    const auto at = find(host, path);
    if (!at) return;
    CaptureWriter& known = m_entries[*at].writer;
    const std::optional<int64_t> step = std::max(known.step, writer.step);
    if (writer.exitStatus || writer.wasCutShort) known = writer;
    known.step = step;
    if (known != CaptureWriter()) known.rank = namedRank(*at);
}

const LedgerEntry* Ledger::firstFailure(std::string_view host) const
{
    const LedgerEntry* first = nullptr;
    const auto isEarlier = [&first](const LedgerEntry& entry) {
        if (first == nullptr) return true;
        if (entry.writer.hasFailed() != first->writer.hasFailed()) return entry.writer.hasFailed();
        return entry.writer.ended_ns < first->writer.ended_ns;
    };
    for (const LedgerEntry& entry : m_entries) {
        const bool isCut = entry.writer.wasCutShort && !entry.writer.wasStopRequested;
        if (entry.host == host && (entry.writer.hasFailed() || isCut) && isEarlier(entry)) first = &entry;
    }
    return first;
}

void Ledger::noteShared(size_t at)
{
    LedgerEntry& entry = m_entries[at];
    if (!entry.localPath.empty() || fitsForecast(entry)) return;
    entry.state = LedgerState::found;
    entry.reason = "not collected: its folder is shared, and the session does not expect this file";
}

void Ledger::noteGone(std::string_view host, std::string_view path, std::optional<int64_t> when_ns)
{
    const auto at = find(host, path);
    if (!at || m_moved.contains(placeKey(host, path))) return;
    LedgerEntry& entry = m_entries[*at];
    if (!entry.localPath.empty() || !entry.alsoAt.empty()) return;
    if (entry.state == LedgerState::missing && !entry.reason.empty())
        return; // already missing for a different reason
    entry.state = LedgerState::missing;
    entry.reason = std::string(kGone) + "removed or renamed on its host " +
                   (when_ns ? "at " + utcTimeText(*when_ns).substr(0, 8) + " UTC" : "after the run") +
                   ", before it was collected; if it was moved, put it back and collect again "
                   "(lockstep --attach)";
}

void Ledger::noteDigest(size_t entry, std::string sha256)
{
    m_entries[entry].sha256 = std::move(sha256);
}

void Ledger::noteCapture(std::string_view host, LedgerState state)
{
    // Until its file appears, it is unknown which of a rank's reports is being recorded. The first report
    // without a file is assumed.
    std::set<std::tuple<ReportKind, std::string, std::optional<int64_t>>> seen;
    for (LedgerEntry& entry : m_entries) {
        if (entry.host != host || !isOpen(entry) || !seen.emplace(entry.kind, entry.role, entry.rank).second)
            continue;
        const LedgerState before =
            state == LedgerState::flushing ? LedgerState::capturing : LedgerState::expected;
        if (entry.state == before) entry.state = state;
    }
}

void Ledger::noteFetched(size_t entry, std::string localPath, bool isReduced)
{
    m_entries[entry].localPath = std::move(localPath);
    m_entries[entry].isReduced = isReduced;
    LedgerState& state = m_entries[entry].state;
    if (state == LedgerState::complete || state == LedgerState::found) state = LedgerState::fetched;
    if (isOpen(m_entries[entry])) state = LedgerState::cutShort;
}

void Ledger::noteProblem(std::string_view host, std::string_view path, std::string_view reason)
{
    std::optional<size_t> at;
    for (size_t i = 0; i < m_entries.size() && !at; ++i) {
        if (m_entries[i].host == host && fileNameOfPath(m_entries[i].path) == fileNameOfPath(path)) at = i;
    }
    if (!at) at = entryFor(host, path, ReportKind::captureSpool);
    if (!at || !isOpen(m_entries[*at])) return;
    std::string& known = m_entries[*at].reason; // for an existing file: the reason recorded when it was found
    const bool continues = m_entries[*at].path.empty() && !known.empty() && known.size() < kMaxProblem_bytes;
    known = (continues ? known + "; " : "") + std::string(reason.substr(0, kLongestReason_bytes));
}

std::optional<int64_t> Ledger::namedRank(size_t entry) const
{
    const auto parts = ReportNameParts::of(m_patterns[entry], m_entries[entry].path);
    return parts ? parts->rank : std::nullopt;
}

std::optional<size_t> Ledger::entryOfContent(size_t at, const ContentCheck& check) const
{
    const LedgerEntry& entry = m_entries[at];
    if (!entry.wasExpected || entry.isOpenEnded) return std::nullopt;
    // The number in a capture's name counts the steps that its process recorded, so earlier steps may be
    // missing.
    const bool byStep = entry.kind == ReportKind::captureSpool && check.step && !entry.steps.empty();
    const auto matches = [&](const LedgerEntry& one) {
        return !byStep || std::ranges::find(one.steps, *check.step) != one.steps.end();
    };
    const bool isOtherRank = check.rank && entry.rank && *check.rank != *entry.rank;
    if (!isOtherRank && matches(entry)) return std::nullopt;
    const std::optional<int64_t> rank = isOtherRank ? check.rank : entry.rank;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        const LedgerEntry& other = m_entries[i];
        const bool isDuplicate = i != at && other.wasExpected && other.kind == entry.kind &&
                                 other.role == entry.role && other.rank == rank &&
                                 (byStep ? matches(other) : other.order == entry.order);
        if (isDuplicate && (other.host.empty() || other.host == entry.host)) return i;
    }
    return std::nullopt;
}

void Ledger::swapEntryFiles(size_t first, size_t second)
{
    removeFromIndex(first);
    removeFromIndex(second);
    LedgerEntry& other = m_entries[second];
    if (other.host.empty()) other.host = m_entries[first].host;
    swapFiles(m_entries[first], other);
    std::swap(m_pids[first], m_pids[second]);
    addToIndex(first);
    addToIndex(second);
}

size_t Ledger::noteCheck(size_t at, const ContentCheck& check)
{
    LedgerEntry& entry = m_entries[at];
    entry.rows = check.rows;
    const bool lacksEnd = entry.state == LedgerState::cutShort; // its host reported the file as truncated
    if (check.isUnopened && lacksEnd) {
        entry.reason += "; " + check.problem;
    } else {
        entry.reason = check.problem.empty() ? check.loss : check.problem;
    }
    const bool isUncertain = check.problem.empty() && !check.uncertainty.empty();
    if (isUncertain) entry.reason = check.uncertainty;
    entry.state = isUncertain                     ? LedgerState::fetched
                  : check.problem.empty()         ? LedgerState::verified
                  : check.isCut                   ? LedgerState::cutShort
                  : check.isUnopened && !lacksEnd ? LedgerState::fetched
                  : check.isUnopened              ? LedgerState::cutShort
                                                  : LedgerState::missing;
    if (!entry.wasExpected || entry.isOpenEnded) {
        if (entry.role.empty()) entry.role = check.role;
        if (!entry.rank) entry.rank = check.rank;
    }
    if (entry.steps.empty() && check.step) entry.steps = {*check.step};
    const auto writer = std::ranges::find(entry.alsoAt, check.host, &LedgerLocation::host);
    if (!check.host.empty() && writer != entry.alsoAt.end()) {
        std::swap(entry.host, writer->host); // the entry keeps both places
        std::swap(entry.path, writer->path);
    }
    const auto place = entryOfContent(at, check);
    if (!place) return at;
    LedgerEntry& other = m_entries[*place];
    const bool isTaken = other.state == LedgerState::verified && !other.path.empty();
    const bool moves = !isTaken || (namedRank(at) == other.rank && namedRank(*place) != other.rank);
    if (moves) swapEntryFiles(at, *place);
    if (!isTaken) return *place;
    entry.state = LedgerState::missing;
    entry.reason = "its content identifies it as the same report as " +
                   std::string(fileNameOfPath(other.path)) + "; its rank or step is unknown";
    return moves ? *place : at;
}

void Ledger::resetEntry(size_t entry)
{
    removeFromIndex(entry);
    LedgerEntry free;
    swapFiles(m_entries[entry], free);
    m_entries[entry].host.clear();
    m_pids[entry].clear();
}

void Ledger::erase(size_t entry)
{
    removeFromIndex(entry);
    if (entry + 1 < m_entries.size()) m_index.isValid = false; // later entries have moved
    if (entry >= m_expected && m_index.isValid) --m_index.found[m_entries[entry].host];
    const auto at = static_cast<std::ptrdiff_t>(entry);
    m_entries.erase(m_entries.begin() + at);
    m_patterns.erase(m_patterns.begin() + at);
    m_pids.erase(m_pids.begin() + at);
}

size_t Ledger::noteSame(size_t first, size_t second)
{
    if (first == second) return first;
    const auto priorityOf = [this](size_t at) {
        const LedgerEntry& entry = m_entries[at];
        return entry.wasExpected ? (entry.isOpenEnded ? 1 : 2) : 0;
    };
    const bool isSecondKept = priorityOf(first) < priorityOf(second);
    const size_t keptAt = isSecondKept ? second : first, otherAt = isSecondKept ? first : second;
    removeFromIndex(keptAt);
    removeFromIndex(otherAt);
    LedgerEntry& keptEntry = m_entries[keptAt];
    LedgerEntry& other = m_entries[otherAt];
    if (keptEntry.localPath.empty() && !other.localPath.empty()) {
        std::swap(keptEntry.host, other.host);
        swapFiles(keptEntry, other);
    }
    const LedgerLocation place{keptEntry.host, keptEntry.path};
    keptEntry.alsoAt.push_back({other.host, other.path});
    keptEntry.alsoAt.insert(keptEntry.alsoAt.end(), other.alsoAt.begin(), other.alsoAt.end());
    addToIndex(keptAt);
    if (priorityOf(otherAt) == 2) {
        resetEntry(otherAt);
        fillFreeEntries();
    } else {
        erase(otherAt);
    }
    return *find(place.host, place.path);
}

void Ledger::fillFreeEntries()
{
    for (size_t i = m_entries.size(); i-- > 0;) {
        LedgerEntry& entry = m_entries[i];
        if ((entry.wasExpected && !entry.isOpenEnded) || entry.path.empty()) continue;
        const auto at = entryFor(entry.host, entry.path, entry.kind);
        if (!at) continue;
        removeFromIndex(i);
        m_entries[*at].host = entry.host;
        swapFiles(m_entries[*at], entry);
        std::swap(m_pids[*at], m_pids[i]);
        notePid(*at, m_entries[*at].path);
        addToIndex(*at);
        erase(i);
    }
}

void Ledger::noteRenamed(std::string_view host, std::string_view path)
{
    const std::optional<size_t> at = find(host, path);
    if (!at || !m_entries[*at].alsoAt.empty()) return;
    if (!isOpen(m_entries[*at]) && !isGone(m_entries[*at])) return;
    if (m_entries[*at].wasExpected && !m_entries[*at].isOpenEnded) {
        resetEntry(*at);
    } else {
        erase(*at);
    }
}

bool Ledger::noteDifferent(size_t at, const LedgerLocation& place, std::string_view sha256)
{
    LedgerEntry& entry = m_entries[at];
    if (entry.alsoAt.empty() || entry.sha256.empty() || entry.sha256 == sha256) return false;
    auto other = std::ranges::find(entry.alsoAt, place);
    if (other == entry.alsoAt.end() && LedgerLocation{entry.host, entry.path} != place) return false;
    removeFromIndex(at);
    if (other == entry.alsoAt.end()) {
        other = entry.alsoAt.begin();
        entry.host = other->host;
        entry.path = other->path;
    }
    entry.alsoAt.erase(other);
    addToIndex(at);
    return true;
}

void Ledger::noteMissing(size_t entry, std::string reason)
{
    m_entries[entry].state = LedgerState::missing;
    m_entries[entry].reason = std::move(reason);
}

void Ledger::closeHost(std::string_view host, std::string_view reason)
{
    for (LedgerEntry& entry : m_entries) {
        if (entry.host == host && isOpen(entry) && entry.path.empty()) giveUp(entry, reason);
    }
}

void Ledger::close(std::string_view reason)
{
    for (LedgerEntry& entry : m_entries) {
        if (isOpen(entry)) giveUp(entry, reason);
    }
}

} // namespace lockstep
