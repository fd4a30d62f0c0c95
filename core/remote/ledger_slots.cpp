// SPDX-License-Identifier: Apache-2.0
// Assignment of reports whose names contain a process ID, but no rank, to the ranks of the forecast.
#include <algorithm>

#include "core/remote/ledger.h"
#include "core/remote/report_name.h"

namespace lockstep {

Ledger::ProcessSlots Ledger::slotsOf(std::string_view host, std::string_view pid) const
{
    ProcessSlots held;
    held.begins.reserve(m_expected);
    held.isTaken.resize(m_expected);
    for (size_t i = 0; i < m_expected; ++i) {
        held.begins.push_back(i == 0 || m_entries[i].order == 0 ? i : held.begins.back());
        if (m_pids[i].empty()) continue;
        const size_t slot = held.begins[i];
        if (m_pids[i] != pid || m_entries[i].host != host) {
            held.isTaken[slot] = true;
        } else if (held.own.empty() || held.own.back() != slot) {
            held.own.push_back(slot);
        }
    }
    return held;
}

std::optional<size_t> Ledger::entryAfterMove(std::string_view host, std::string_view path, ReportKind kind)
{
    const auto sizeOf = [this](const ProcessSlots& held, size_t begin) {
        size_t end = begin;
        while (end < m_expected && held.begins[end] == begin)
            ++end;
        return end - begin;
    };
    // Returns how many entries of a slot are needed for its files.
    const auto usedOf = [this](size_t begin, size_t size) {
        while (size > 0 && m_entries[begin + size - 1].path.empty())
            --size;
        return size;
    };
    const std::string* pattern = nullptr; // of the previous entry; matching is slow
    std::optional<ReportNameParts> parts;
    std::optional<ProcessSlots> known; // read once: their number grows with that of the ranks
    for (size_t i = 0; i < m_expected; ++i) {
        const LedgerEntry& entry = m_entries[i];
        if (!entry.path.empty() || entry.kind != kind || (!entry.host.empty() && entry.host != host))
            continue;
        if (pattern == nullptr || *pattern != m_patterns[i]) parts = ReportNameParts::of(m_patterns[i], path);
        pattern = &m_patterns[i];
        if (!parts) continue;
        if (!parts->range || parts->rank || parts->pid.empty()) return std::nullopt;
        if (entry.order != *parts->range - 1) continue;
        if (!known) known = slotsOf(host, parts->pid);
        const ProcessSlots& held = *known;
        if (held.own.empty()) return std::nullopt;
        const size_t to = held.begins[i];
        const auto from = std::ranges::find_if(held.own, [&](size_t own) {
            return m_entries[own].kind == kind && m_patterns[own] == m_patterns[i];
        });
        if (from == held.own.end() || *from == to) continue;
        const size_t room = sizeOf(held, *from), size = sizeOf(held, to);
        const size_t used = std::max(usedOf(*from, room), usedOf(to, size));
        if (used > std::min(room, size)) continue;
        for (size_t k = 0; k < used; ++k)
            swapEntryFiles(*from + k, to + k);
        return i;
    }
    return std::nullopt;
}

std::optional<size_t> Ledger::entryOfMoved(std::string_view host, std::string_view path, ReportKind kind)
{
    const std::string_view name = fileNameOfPath(path);
    for (size_t i = 0; i < m_expected; ++i) {
        LedgerEntry& entry = m_entries[i];
        const std::string_view before = fileNameOfPath(entry.path);
        if (m_pids[i].empty() || entry.kind != kind || entry.host != host || before.size() + 1 >= name.size())
            continue;
        if (!name.ends_with(before) || name[name.size() - before.size() - 1] != '_') continue;
        const auto parts = ReportNameParts::of(m_patterns[i], path);
        if (!parts || parts->pid != m_pids[i]) continue;
        removeFromIndex(i);
        m_moved[placeKey(host, entry.path)] = path; // a transfer of the old path may still run
        entry.path = path;
        addToIndex(i);
        return i;
    }
    return std::nullopt;
}

} // namespace lockstep
