// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/table_header.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep {

namespace {

// Identifiers that are displayed with different words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kHeaderWords{{
    {"seq", "Sequence"},
    {"dtype", "Data type"},
    {"n", "Steps counted"},
    {"std", "Std. deviation"},
    {"stddev", "Std. deviation"},
    {"cv_pctg", "Coefficient of variation"},
    {"ci95_low", "95 % interval, low"},
    {"ci95_high", "95 % interval, high"},
    {"step_from", "Step rule"},
    {"phases_from", "Phase names"},
    {"not_timed", "Why not analyzed"},
    {"doing", "Activity while late"},
    {"late_doing", "Activity of the last rank"},
    {"late_on", "Last rank busy on"},
    {"host_late", "Late because of host"},
    {"last_by_start", "Last by start"},
    {"wall_pctg", "Share of wall"},
    {"time_pctg", "Share of wall"},
    {"bubble_pctg", "Bubble share"},
    {"role_bubble_pctg", "Role bubble share"},
    {"blocked_pctg", "Blocked share"},
    {"comp_comm_overlap_pctg", "Communication overlapped"},
    {"exposed_pctg", "Exposed share"},
    {"idle_time_ratio", "Share of waits"},
    {"out_of_memory", "Out of memory"},
    {"same_as", "Same as"},
    {"made_utc", "Created (UTC)"},
}};
// Last words of identifiers that denote a statistic.
constexpr std::array<std::string_view, 5> kStatisticWords{"median", "mean", "total", "max", "med"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSpelledWords{{{"cpu", "CPU"},
                                                                                      {"gpu", "GPU"},
                                                                                      {"gpus", "GPUs"},
                                                                                      {"pid", "PID"},
                                                                                      {"id", "ID"},
                                                                                      {"utc", "UTC"},
                                                                                      {"med", "median"}}};

// Returns "Late by, median" for "late_by_median".
std::string splitWords(std::string_view identifier)
{
    const auto known =
        std::ranges::find(kHeaderWords, identifier, [](const auto& each) { return each.first; });
    if (known != kHeaderWords.end()) return std::string(known->second);
    std::string out;
    while (!identifier.empty()) {
        const size_t end = std::min(identifier.find('_'), identifier.size());
        const std::string_view word = identifier.substr(0, end);
        identifier.remove_prefix(std::min(end + 1, identifier.size()));
        if (word == "pctg") continue; // the unit is in the header
        const bool isStatistic = !out.empty() && identifier.empty() &&
                                 std::ranges::find(kStatisticWords, word) != kStatisticWords.end();
        const auto spelled =
            std::ranges::find(kSpelledWords, word, [](const auto& each) { return each.first; });
        if (!out.empty()) out += isStatistic ? ", " : " ";
        out += spelled != kSpelledWords.end() ? spelled->second : word;
    }
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}

} // namespace

std::string fileHeader(const Table& table, size_t column, std::string_view unit)
{
    const TableColumn& shown = table.column(column);
    const std::string_view name = unit.empty() ? std::string_view(shown.unit) : unit;
    if (name.empty()) return shown.name;
    if (table.headerStyle == HeaderStyle::titled) return shown.name + " (" + std::string(name) + ")";
    return shown.name + "_" + std::string(name);
}

std::string shownHeader(const Table& table, size_t column, std::string_view unit)
{
    if (table.headerStyle != HeaderStyle::identifier) return fileHeader(table, column, unit);
    const TableColumn& shown = table.column(column);
    std::string_view name = unit.empty() ? std::string_view(shown.unit) : unit;
    if (name.empty() && shown.type == ColumnType::percent) name = "%";
    return splitWords(shown.name) + (name.empty() ? "" : " (" + std::string(name) + ")");
}

} // namespace lockstep
