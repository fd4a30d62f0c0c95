// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/align/step_markers.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/student_t.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

// Text columns that contain results or file locations and therefore do not identify rows.
constexpr std::array<std::string_view, 23> kFindings{
    "report",  "path",          "file",     "evidence",    "late_doing", "late_phase",
    "late_on", "last",          "disputed", "worst",       "doing",      "last_by_start",
    "refusal", "outlier_steps", "counts",   "phases_from", "step_from",  "sentence",
    "fix",     "severity",      "reason",   "start (utc)", "cause"};
constexpr std::array<std::string_view, 16> kNumberedKeys{
    "rank",      "step",     "device",  "device id",  "device_id",  "deviceid", "stream", "stream id",
    "stream_id", "streamid", "context", "context id", "context_id", "pid",      "tid",    "seq"};

// Columns in one table that contain a mean, its spread and its count.
struct MeanColumns {
    size_t mean, deviation, count;
};

std::optional<MeanColumns> meanColumnsOf(const Table& table)
{
    for (const auto& [mean, deviation] : {std::pair("Avg", "StdDev"), std::pair("mean", "stddev")}) {
        const MeanColumns found{table.columnNamed(mean), table.columnNamed(deviation), 0};
        if (found.mean == table.columnCount() || found.deviation == table.columnCount()) continue;
        for (size_t c = 0; c < found.mean; ++c) {
            const TableColumn& column = table.column(c);
            if (column.type == ColumnType::integer && !isKeyColumn(column))
                return MeanColumns{found.mean, found.deviation, c};
        }
    }
    return std::nullopt;
}

std::string keyOfRow(const Table& table, size_t row)
{
    std::string key;
    for (size_t c = 0; c < table.columnCount(); ++c) {
        if (isKeyColumn(table.column(c))) key += table.cell(c, row) + '\0';
    }
    return key;
}

// Returns "Beyond Noise" for "beyond_noise".
std::string titleCase(std::string_view word)
{
    std::string text(word);
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_') text[i] = ' ';
        if (i == 0 || text[i - 1] == ' ') text[i] = static_cast<char>(text[i] - 'a' + 'A');
    }
    return text;
}

// Returns "Total Time Before" for "Total Time" and "before", and "wall_before" for "wall" and "before".
std::string nameWith(const Table& table, const std::string& name, const char* word)
{
    if (table.headerStyle != HeaderStyle::titled) return name + "_" + word;
    return name + " " + titleCase(word);
}

SampleMean sampleOf(const Table& table, const MeanColumns& columns, size_t row)
{
    if (row == RowPair::kNone || !table.hasNumber(columns.mean, row) ||
        !table.hasNumber(columns.deviation, row) || !table.hasNumber(columns.count, row))
        return {};
    return {table.number(columns.count, row), table.value(columns.mean, row),
            table.value(columns.deviation, row)};
}

class ComparedTable {
  public:
    ComparedTable(const Table& before, const Table& after)
        : m_before(before), m_after(after), m_table(after.name(), after.title() + ", before and after"),
          m_means(meanColumnsOf(after))
    {
        m_table.headerStyle = after.headerStyle;
        for (size_t c = 0; c < after.columnCount(); ++c) {
            if (isKeyColumn(after.column(c))) addKey(c);
        }
        m_in = m_table.addColumn(
            {nameOf("in"), "", ColumnType::text, 0, "both; before or after: the row is on one side only"});
        for (size_t c = 0; c < after.columnCount(); ++c) {
            if (!isKeyColumn(after.column(c))) addNumbers(c);
        }
        if (m_means) addInterval();
    }

    Table made()
    {
        const JoinedRows rows = joinRows(m_before, m_after);
        for (const RowPair& pair : rows.pairs)
            addRow(pair);
        m_table.source = m_after.source;
        auto& rules = m_table.source.rules;
        rules.push_back("rows are joined by the columns that identify a row; a row on one side only has no "
                        "value on the other side and no change");
        if (rows.repeated > 0) {
            rules.push_back(
                std::to_string(rows.repeated) +
                " rows have the same names as an earlier row of their table; such rows are joined in "
                "table order");
        }
        if (!m_excluded.empty()) rules.push_back("text columns of one side only, left out: " + m_excluded);
        return std::move(m_table);
    }

  private:
    struct Numbers {
        size_t before, after; // columns in the two tables; columnCount() if the earlier one lacks the column
        size_t first; // first column in the result: before, after, change, and optionally the percentage
        bool hasShare;
    };

    std::string nameOf(const char* word) const
    {
        return m_table.headerStyle == HeaderStyle::titled ? titleCase(word) : word;
    }

    void addKey(size_t column)
    {
        const TableColumn& key = m_after.column(column);
        m_keys.emplace_back(
            column, m_table.addColumn({key.name, key.unit, key.type, key.decimals, key.doc, key.meaning}));
    }

    void addNumbers(size_t column)
    {
        const TableColumn& of = m_after.column(column);
        if (of.type == ColumnType::text) {
            m_excluded += (m_excluded.empty() ? "" : ", ") + of.name;
            return;
        }
        const size_t earlier = m_before.columnNamed(of.name);
        const bool isAlike = earlier < m_before.columnCount() && m_before.column(earlier).type == of.type &&
                             m_before.column(earlier).decimals == of.decimals;
        Numbers numbers{isAlike ? earlier : m_before.columnCount(), column, m_table.columnCount(),
                        of.type != ColumnType::percent};
        m_table.addColumn({nameWith(m_table, of.name, "before"), of.unit, of.type, of.decimals, of.doc});
        m_table.addColumn({nameWith(m_table, of.name, "after"), of.unit, of.type, of.decimals, of.doc});
        m_table.addColumn({nameWith(m_table, of.name, "change"), of.unit, of.type, of.decimals,
                           of.type == ColumnType::percent ? "after minus before, in percentage points"
                                                          : "after minus before"});
        if (numbers.hasShare)
            m_table.addColumn({nameWith(m_table, of.name, "change") +
                                   (m_table.headerStyle == HeaderStyle::titled ? " %" : "_pctg"),
                               "", ColumnType::percent, 2,
                               "change relative to before; empty if before is 0"});
        m_numbers.push_back(numbers);
    }

    void addInterval()
    {
        const TableColumn& mean = m_after.column(m_means->mean);
        const char* const doc = "95 % interval for the change of the mean (Welch's t), assuming independent "
                                "instances; empty if a side has fewer than two";
        m_low = m_table.addColumn(
            {nameWith(m_table, mean.name, "change_low"), mean.unit, mean.type, mean.decimals, doc});
        m_high = m_table.addColumn(
            {nameWith(m_table, mean.name, "change_high"), mean.unit, mean.type, mean.decimals, doc});
        m_beyond = m_table.addColumn({nameOf("beyond_noise"), "", ColumnType::text, 0,
                                      "yes: the interval excludes 0; no: it includes 0; empty: no interval"});
    }

    void addRow(const RowPair& pair)
    {
        const bool isAfter = pair.after != RowPair::kNone;
        m_table.addRow(isAfter ? m_after.longest(pair.after) : SliceRef());
        for (const auto& [from, to] : m_keys)
            copyCell(isAfter ? m_after : m_before,
                     isAfter ? from : m_before.columnNamed(m_after.column(from).name),
                     isAfter ? pair.after : pair.before, to);
        m_table.setText(m_in, pair.isWhole() ? "both" : isAfter ? "after" : "before");
        for (const Numbers& numbers : m_numbers)
            setNumbers(numbers, pair);
        if (m_means && pair.isWhole()) setInterval(pair);
    }

    void copyCell(const Table& from, size_t column, size_t row, size_t to)
    {
        if (column >= from.columnCount()) return;
        if (from.column(column).type == ColumnType::text) {
            m_table.setText(to, from.text(column, row));
        } else if (from.hasNumber(column, row)) {
            m_table.setNumber(to, from.number(column, row));
        }
    }

    void setNumbers(const Numbers& numbers, const RowPair& pair)
    {
        const bool hasBefore = pair.before != RowPair::kNone && numbers.before < m_before.columnCount() &&
                               m_before.hasNumber(numbers.before, pair.before);
        const bool hasAfter = pair.after != RowPair::kNone && m_after.hasNumber(numbers.after, pair.after);
        const int64_t before = hasBefore ? m_before.number(numbers.before, pair.before) : 0;
        const int64_t after = hasAfter ? m_after.number(numbers.after, pair.after) : 0;
        if (hasBefore) m_table.setNumber(numbers.first, before);
        if (hasAfter) m_table.setNumber(numbers.first + 1, after);
        if (!hasBefore || !hasAfter) return;
        const __int128 change = __int128(after) - before;
        m_table.setNumber(numbers.first + 2, roundedQuotient(change, 1));
        if (!numbers.hasShare || (before == 0 && change != 0)) return;
        const __int128 size = before < 0 ? -__int128(before) : __int128(before);
        m_table.setNumber(numbers.first + 3, roundedQuotient(change * 10'000, size));
    }

    void setInterval(const RowPair& pair)
    {
        const SampleMean before = sampleOf(m_before, *m_means, pair.before),
                         after = sampleOf(m_after, *m_means, pair.after);
        const auto interval = confidenceOfChange(before, after);
        if (!interval) return;
        const double scale = std::pow(10.0, m_after.column(m_means->mean).decimals);
        m_table.setNumber(m_low, std::llround(interval->low * scale));
        m_table.setNumber(m_high, std::llround(interval->high * scale));
        m_table.setText(m_beyond, interval->low > 0 || interval->high < 0 ? "yes" : "no");
    }

    const Table& m_before;
    const Table& m_after;
    Table m_table;
    std::optional<MeanColumns> m_means;
    std::vector<std::pair<size_t, size_t>> m_keys; // a column in the later table, and its column in the
                                                   // result
    std::vector<Numbers> m_numbers;
    std::string m_excluded;
    size_t m_in = 0, m_low = 0, m_high = 0, m_beyond = 0;
};

} // namespace

bool isKeyColumn(const TableColumn& column)
{
    const std::string name = lowerAscii(column.name);
    if (column.type == ColumnType::text) return std::ranges::find(kFindings, name) == kFindings.end();
    return column.type == ColumnType::integer &&
           std::ranges::find(kNumberedKeys, name) != kNumberedKeys.end();
}

JoinedRows joinRows(const Table& before, const Table& after)
{
    JoinedRows out;
    std::map<std::string, std::vector<size_t>> rowsBefore; // rows by key, in table order
    for (size_t row = 0; row < before.rowCount(); ++row) {
        auto& rows = rowsBefore[keyOfRow(before, row)];
        out.repeated += rows.empty() ? 0 : 1;
        rows.push_back(row);
    }
    std::map<std::string, size_t> pairedCount;
    std::vector<bool> isJoined(before.rowCount());
    for (size_t row = 0; row < after.rowCount(); ++row) {
        const std::string key = keyOfRow(after, row);
        size_t& nth = pairedCount[key];
        out.repeated += nth > 0 ? 1 : 0;
        const auto same = rowsBefore.find(key);
        const bool isFound = same != rowsBefore.end() && nth < same->second.size();
        out.pairs.push_back({isFound ? same->second[nth] : RowPair::kNone, row});
        if (isFound) isJoined[same->second[nth]] = true;
        ++nth;
    }
    for (size_t row = 0; row < before.rowCount(); ++row) {
        if (!isJoined[row]) out.pairs.push_back({row, RowPair::kNone});
    }
    return out;
}

std::optional<double> changeInPercent(double before, double after)
{
    if (before == after) return 0;
    if (before == 0) return std::nullopt;
    return (after - before) / std::abs(before) * 100;
}

Table compareTables(const Table& before, const Table& after)
{
    return ComparedTable(before, after).made();
}

namespace {

using FactTexts = std::set<std::string>;

// Properties in reports that affect measurements, by the names that the readers use for them.
constexpr std::array<std::string_view, 20> kComparedFacts{"GPU driver",
                                                          "CUDA driver",
                                                          "CUDA",
                                                          "cuda_driver_version",
                                                          "cuda_runtime_version",
                                                          "NCCL",
                                                          "Distributed backend",
                                                          "Command",
                                                          "CUDA graph trace",
                                                          "record_shapes",
                                                          "profile_memory",
                                                          "with_stack",
                                                          "with_flops",
                                                          "with_modules",
                                                          "Capture range",
                                                          "CPU",
                                                          "CPU cores",
                                                          "Operating system",
                                                          "Kernel",
                                                          "cupti_version"};

FactTexts factsNamed(const Workspace& workspace, std::string_view name)
{
    FactTexts values;
    for (const ReportKey key : workspace.keys()) {
        for (const Fact& fact : workspace.report(key).facts) {
            if (fact.first == name) values.insert(fact.second);
        }
    }
    return values;
}

FactTexts gpusOf(const Workspace& workspace)
{
    FactTexts names;
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        for (const Device& device : report.devices) {
            const std::string_view name = report.strings.at(device.name);
            if (!name.empty()) names.emplace(name);
        }
    }
    return names;
}

FactTexts producersOf(const Workspace& workspace)
{
    FactTexts producers;
    for (const ReportKey key : workspace.keys()) {
        const Provenance& file = workspace.report(key).provenance;
        producers.insert(file.producer.empty() ? file.kind : file.producer);
    }
    return producers;
}

FactTexts ranksOf(const Workspace& workspace)
{
    FactTexts ranks;
    for (const ReportKey key : workspace.keys()) {
        for (size_t p = 0; p < workspace.report(key).processes.size(); ++p) {
            const Identity& identity = workspace.identity(key, ProcessId(p));
            if (identity.rank.isKnown())
                ranks.insert(identity.role.value.value_or("") + " " + std::to_string(*identity.rank.value));
        }
    }
    return ranks;
}

FactTexts stepsOfRun(const Workspace& workspace)
{
    FactTexts steps;
    for (const ReportKey key : workspace.keys()) {
        const HostSteps marks = findHostSteps(workspace.report(key), {});
        for (const StepMark& mark : marks.marks)
            steps.insert(marks.word + " " + std::to_string(mark.number));
        const Identity& identity = workspace.identity(key, {});
        if (marks.marks.empty() && identity.step.isKnown())
            steps.insert("step " + std::to_string(*identity.step.value));
    }
    return steps;
}

std::string listed(const FactTexts& values)
{
    constexpr size_t kMax = 3, kLongest = 120;
    std::string text;
    size_t count = 0;
    for (const std::string& value : values) {
        if (++count > kMax) return text + ", and " + std::to_string(values.size() - kMax) + " more";
        text += (text.empty() ? "" : ", ") +
                (value.size() <= kLongest ? value : value.substr(0, kLongest) + "...");
    }
    return text.empty() ? "not recorded" : text;
}

void compareTexts(std::string_view what, const FactTexts& before, const FactTexts& after,
                  std::vector<std::string>& out)
{
    if (before == after) return;
    out.push_back(std::string(what) + ": before " + listed(before) + "; after " + listed(after));
}

void compareCounts(std::string_view what, size_t before, size_t after, std::vector<std::string>& out)
{
    if (before == after) return;
    out.push_back(std::string(what) + ": before " + std::to_string(before) + "; after " +
                  std::to_string(after));
}

} // namespace

std::vector<std::string> differencesOf(const Workspace& before, const Workspace& after)
{
    std::vector<std::string> out;
    compareTexts("GPU", gpusOf(before), gpusOf(after), out);
    for (const std::string_view name : kComparedFacts)
        compareTexts(name, factsNamed(before, name), factsNamed(after, name), out);
    compareTexts("recorded by", producersOf(before), producersOf(after), out);
    compareCounts("reports", before.size(), after.size(), out);
    compareCounts("ranks", ranksOf(before).size(), ranksOf(after).size(), out);
    compareCounts("steps", stepsOfRun(before).size(), stepsOfRun(after).size(), out);
    return out;
}

} // namespace lockstep
