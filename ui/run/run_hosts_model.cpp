// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_hosts_model.h"

#include <algorithm>
#include <map>

#include <QDateTime>

#include "core/base/text.h"
#include "ui/models/column_unit.h"
#include "ui/run/run_text.h"

namespace lockstep {

namespace {

constexpr int64_t kLittleDisk_bytes = 10LL << 30;
constexpr size_t kSparkValues = 8;
constexpr size_t kMaxProblems = 3; // message rows per host; the log has the rest

// Values change while the run is watched, so the unit of the memory and disk columns is fixed. It follows
// each value, because the columns are too narrow for a header with the unit.
constexpr ColumnUnit kUnit{"GiB", 0, 1, 30};

QString gibText(int64_t size_bytes)
{
    return byteCellText(size_bytes, kUnit) + ' ' + kUnit.name;
}

// Returns used and total memory as text, such as "61.2 / 80.0 GiB".
QString shareText(int64_t used_bytes, int64_t total_bytes)
{
    if (total_bytes <= 0) return used_bytes > 0 ? gibText(used_bytes) : QString();
    return byteCellText(used_bytes, kUnit) + " / " + gibText(total_bytes);
}

QString percent(double value)
{
    return QString::number(value, 'f', 0) + " %";
}

} // namespace

void RunHostsModel::show(const Run* run, const RunFeed* feed)
{
    beginResetModel();
    m_run = run;
    m_feed = feed;
    m_rows = currentRows();
    endResetModel();
}

std::vector<RunHostsModel::Part> RunHostsModel::partsOf(const HostStatus& host) const
{
    struct RankState {
        std::array<size_t, kLedgerStates> counts = {};
        std::optional<int64_t> step;
        std::string failure; // how its process failed
    };
    std::vector<Part> parts;
    std::map<std::pair<int64_t, std::string>, RankState> ranks;
    for (const LedgerEntry& entry : m_run->ledger().entries()) {
        const std::optional<int64_t> number = entry.knownRank();
        if (entry.host != host.host || !number) continue;
        RankState& rank = ranks[{*number, entry.role}];
        ++rank.counts[static_cast<size_t>(entry.state)];
        rank.step = std::max(rank.step, entry.writer.step);
        if (entry.writer.hasFailed()) rank.failure = writerEndText(entry, knownTotalSteps(m_run->config()));
    }
    for (const auto& [key, rank] : ranks) {
        QString capture;
        for (size_t state = 0; state < kLedgerStates; ++state) {
            if (rank.counts[state] == 0) continue;
            capture += (capture.isEmpty() ? "" : ", ") + QString::number(rank.counts[state]) + " " +
                       ledgerStateText(static_cast<LedgerState>(state));
        }
        const QString role = key.second.empty() ? QString() : "  " + QString::fromStdString(key.second);
        parts.push_back({RunHostsModel::tr("rank %1").arg(key.first) + role,
                         capture,
                         {},
                         -1,
                         rank.step ? QString::number(*rank.step) : QString(),
                         QString::fromStdString(rank.failure),
                         key.first});
    }
    if (!host.use) return parts;
    for (const GpuUsage& gpu : host.use->gpus) {
        parts.push_back({RunHostsModel::tr("GPU %1").arg(gpu.index),
                         {},
                         shareText(gpu.used_bytes, gpu.total_bytes),
                         gpu.index,
                         {},
                         {},
                         {}});
    }
    return parts;
}

std::vector<RunHostsModel::Row> RunHostsModel::currentRows() const
{
    std::vector<Row> rows;
    if (m_run == nullptr) return rows;
    for (size_t i = 0; i < m_run->hosts().size(); ++i) {
        const HostStatus& host = m_run->hosts()[i];
        rows.push_back({i, false, {}, false, partsOf(host)});
        const auto addMessage = [&](const QString& words, bool isBad) {
            rows.push_back({i, true, words, isBad, {}});
        };
        const bool hasFailed = host.state == HostState::failed || host.state == HostState::unreachable;
        if (!host.reason.empty() && host.state != HostState::ended)
            addMessage(QString::fromStdString(host.reason), hasFailed);
        size_t shown = 0;
        for (const RunProblem& problem : host.problems) {
            if (shown == kMaxProblems || host.reason.find(problem.text) != std::string::npos) continue;
            addMessage(QString::fromStdString(problem.text), true);
            ++shown;
        }
        if (host.use && host.use->diskFree_bytes > 0 && host.use->diskFree_bytes < kLittleDisk_bytes &&
            !isFinal(host.state))
            addMessage(tr("%1 free on the run folder's disk; reports may not fit")
                           .arg(byteText(host.use->diskFree_bytes).c_str()),
                       false);
    }
    return rows;
}

void RunHostsModel::refresh()
{
    std::vector<Row> rows = currentRows();
    const bool isSameShape =
        rows.size() == m_rows.size() && std::ranges::equal(rows, m_rows, [](const Row& a, const Row& b) {
            return a.host == b.host && a.isMessage == b.isMessage && a.message == b.message &&
                   a.parts.size() == b.parts.size();
        });
    if (!isSameShape) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    m_rows = std::move(rows);
    if (m_rows.empty()) return;
    emit dataChanged(index(0, 0), index(static_cast<int>(m_rows.size()) - 1, columnCount() - 1));
    for (size_t i = 0; i < m_rows.size(); ++i) {
        const QModelIndex host = index(static_cast<int>(i), 0);
        const auto parts = static_cast<int>(m_rows[i].parts.size());
        if (parts > 0) emit dataChanged(index(0, 0, host), index(parts - 1, columnCount() - 1, host));
    }
}

QModelIndex RunHostsModel::hostRow(size_t host) const
{
    const auto row = std::ranges::find(m_rows, host, &Row::host);
    if (row == m_rows.end()) return {};
    return index(static_cast<int>(row - m_rows.begin()), 0);
}

// The internal id is 0 for hosts and messages, and 1 + the host's row for their ranks and GPUs.
QModelIndex RunHostsModel::index(int row, int column, const QModelIndex& parent) const
{
    if (row < 0 || column < 0 || column >= columnCount() || row >= rowCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex RunHostsModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int RunHostsModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid()) return static_cast<int>(m_rows.size());
    if (parent.internalId() != 0 || parent.column() != 0) return 0;
    return static_cast<int>(m_rows[static_cast<size_t>(parent.row())].parts.size());
}

int RunHostsModel::columnCount(const QModelIndex&) const
{
    return columnTotal;
}

QList<double> RunHostsModel::sparkOf(size_t host, int gpu) const
{
    QList<double> values;
    if (m_feed == nullptr || !m_feed->samples(host).hasGpus()) return values;
    const std::vector<UsagePoint> samples =
        gpu < 0 ? m_feed->samples(host).gpuBusy() : m_feed->samples(host).gpuBusy(gpu);
    const size_t from = samples.size() > kSparkValues ? samples.size() - kSparkValues : 0;
    for (size_t i = from; i < samples.size(); ++i)
        values << std::clamp(samples[i].value / 100, 0.0, 1.0);
    return values;
}

QVariant RunHostsModel::hostText(const HostStatus& status, size_t index, int column) const
{
    const std::optional<HostUsage>& use = status.use;
    const int64_t now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
    switch (column) {
    case hostColumn:
        return status.host.empty() ? tr("this machine") : QString::fromStdString(status.host);
    case stateColumn:
        return hostStateText(status.state);
    case stepColumn:
        return status.step ? QString::number(*status.step) : QString();
    case captureColumn:
        return captureText(status);
    case gpuColumn:
        return use && meanGpuBusy(*use) ? percent(*meanGpuBusy(*use)) : QString();
    case gpuMemoryColumn:
        return use ? shareText(usedGpuBytes(*use), totalGpuBytes(*use)) : QString();
    case cpuColumn:
        return use ? percent(use->cpu_percent) : QString();
    case diskFreeColumn:
        return use && use->diskFree_bytes > 0 ? gibText(use->diskFree_bytes) : QString();
    case linkColumn:
        return linkText(status, m_feed != nullptr ? m_feed->linkBack_ns(index) : 0, now);
    default:
        return clockText(status);
    }
}

QVariant RunHostsModel::partText(const Part& part, int column) const
{
    if (column == hostColumn) return part.name;
    if (column == stepColumn) return part.step;
    if (column == captureColumn) return part.failure.isEmpty() ? part.capture : tr("failed");
    if (column == gpuMemoryColumn) return part.memory;
    return {};
}

QVariant RunHostsModel::colorOf(const Row& row, int column) const
{
    if (row.isMessage) return row.isBad ? m_theme->bad : m_theme->warn;
    const HostStatus& status = m_run->hosts()[row.host];
    if (column == stateColumn) return hostStateColor(status.state, *m_theme);
    if (column == diskFreeColumn && status.use && status.use->diskFree_bytes < kLittleDisk_bytes)
        return m_theme->warn;
    if (column == linkColumn && status.linkLost_ns != 0) return m_theme->warn;
    return {};
}

QVariant RunHostsModel::tooltip(const HostStatus& status, int column) const
{
    if (column == clockColumn && status.clockOffset_ns) {
        if (!status.clockError_ns) return tr("Offset from this machine's clock");
        return tr("Offset from this machine's clock \u00B1 %1")
            .arg(durationText({*status.clockError_ns}, 1).c_str());
    }
    if (column == gpuColumn)
        return tr("Fraction of the last second in which a kernel ran, averaged over the host's GPUs");
    if (column == diskFreeColumn) return tr("Free space on the disk of the run folder");
    if (column == linkColumn && status.reconnects > 0)
        return tr("%n reconnection(s)", nullptr, static_cast<int>(status.reconnects));
    if (column == hostColumn && !status.address.empty()) return QString::fromStdString(status.address);
    return {};
}

QVariant RunHostsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || m_run == nullptr) return {};
    const bool isPart = index.internalId() != 0;
    const Row& row = m_rows[isPart ? index.internalId() - 1 : static_cast<size_t>(index.row())];
    if (role == hostIndexRole) return static_cast<int>(row.host);
    if (role == isMessageRole) return row.isMessage;
    if (role == rankRole) {
        const auto rank = isPart ? row.parts[static_cast<size_t>(index.row())].rank : std::nullopt;
        return rank ? QVariant::fromValue<qlonglong>(*rank) : QVariant();
    }
    if (row.isMessage) {
        if (role == Qt::ForegroundRole) return colorOf(row, 0);
        return index.column() == 0 && (role == Qt::DisplayRole || role == Qt::ToolTipRole) ? row.message
                                                                                           : QVariant();
    }
    const HostStatus& status = m_run->hosts()[row.host];
    const Part* const part = isPart ? &row.parts[static_cast<size_t>(index.row())] : nullptr;
    if (role == sparkRole && index.column() == gpuColumn && (part == nullptr || part->gpu >= 0))
        return QVariant::fromValue(sparkOf(row.host, part != nullptr ? part->gpu : -1));
    if (role == isRecordingRole)
        return index.column() == captureColumn && part == nullptr && status.capture == "capturing" &&
               !isFinal(status.state);
    if (role == Qt::DisplayRole)
        return part != nullptr ? partText(*part, index.column()) : hostText(status, row.host, index.column());
    if (role == Qt::ForegroundRole)
        return part == nullptr                                               ? colorOf(row, index.column())
               : index.column() == captureColumn && !part->failure.isEmpty() ? QVariant(m_theme->bad)
                                                                             : QVariant(m_theme->mutedText);
    if (role == Qt::ToolTipRole && part != nullptr) return part->failure;
    if (role == Qt::ToolTipRole) return tooltip(status, index.column());
    if (role == Qt::AccessibleTextRole && index.column() == gpuColumn && part == nullptr)
        return tr("GPU utilization %1").arg(hostText(status, row.host, gpuColumn).toString());
    return {};
}

QVariant RunHostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    static const QStringList kHeads{tr("Host"), tr("State"),      tr("Step"), tr("Capture"),
                                    tr("GPU"),  tr("GPU memory"), tr("CPU"),  tr("Disk free"),
                                    tr("Link"), tr("Clock")};
    return section < kHeads.size() ? kHeads[section] : QVariant();
}

} // namespace lockstep
