// SPDX-License-Identifier: Apache-2.0
#include "ui/run/run_text.h"

#include <array>
#include <cmath>

#include <QCoreApplication>
#include <QPainter>
#include <QStringList>

#include "core/base/text.h"
#include "ui/run/run_head.h"

namespace lockstep {

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kReconnectionIsNews_ns = 60 * kSecond_ns;

QString translated(const char* words)
{
    return QCoreApplication::translate("lockstep::RunWords", words);
}

QString text(const std::string& words)
{
    return QString::fromStdString(words);
}

void drawStroke(QPainter& painter, const QRectF& rect, const QColor& color, const QList<QPointF>& points)
{
    QPolygonF line;
    for (const QPointF& point : points)
        line << QPointF(rect.x() + point.x() * rect.width(), rect.y() + point.y() * rect.height());
    painter.setPen(QPen(color, std::max(1.4, rect.width() / 6), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
}

} // namespace

QString runOutcome(const Run& run)
{
    const auto counts = run.ledger().counts();
    QStringList parts;
    const size_t total = reportCount(run.ledger());
    if (total > 0) {
        const bool isAnyHere = counts[static_cast<size_t>(LedgerState::verified)] > 0;
        parts << (isAnyHere ? translated("reports collected: %1 of %2")
                            : translated("reports complete: %1 of %2"))
                     .arg(arrivedCount(run.ledger()))
                     .arg(total);
    }
    for (const HostStatus& host : run.hosts()) {
        if (host.state == HostState::failed || host.state == HostState::unreachable)
            parts << text(host.host) + " " + hostStateText(host.state);
    }
    return parts.isEmpty() ? translated("all hosts finished successfully") : parts.join("; ");
}

QString hostStateText(HostState state)
{
    const std::string_view name = hostStateName(state);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QColor hostStateColor(HostState state, const Theme& theme)
{
    switch (state) {
    case HostState::running:
    case HostState::ended:
        return theme.good;
    case HostState::linkLost:
    case HostState::stopping:
        return theme.warn;
    case HostState::failed:
    case HostState::unreachable:
        return theme.bad;
    default:
        return theme.mutedText;
    }
}

QString ledgerStateText(LedgerState state)
{
    static const std::array<QString, kLedgerStates> kTexts{
        translated("pending"),   translated("recording"),
        translated("writing"),   translated("complete"),
        translated("fetched"),   translated("verified"),
        translated("missing"),   translated("not run"),
        translated("cut short"), translated("found, not collected")};
    return kTexts[static_cast<size_t>(state)];
}

QColor ledgerStateColor(LedgerState state, const Theme& theme)
{
    switch (state) {
    case LedgerState::verified:
        return theme.good;
    case LedgerState::fetched:
    case LedgerState::complete:
        return theme.accent;
    case LedgerState::flushing:
    case LedgerState::cutShort:
        return theme.warn;
    case LedgerState::capturing:
    case LedgerState::missing:
        return theme.bad;
    default:
        return theme.mutedText;
    }
}

QString ledgerEntryState(const LedgerEntry& entry)
{
    return entry.writer.hasFailed() ? translated("failed") : ledgerStateText(entry.state);
}

QColor ledgerEntryColor(const LedgerEntry& entry, const Theme& theme)
{
    return entry.writer.hasFailed() ? theme.bad : ledgerStateColor(entry.state, theme);
}

void drawFailureSign(QPainter& painter, const QRectF& rect, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    drawStroke(painter, rect, color, {{0.5, 0.05}, {0.5, 0.6}});
    drawStroke(painter, rect, color, {{0.5, 0.9}, {0.5, 0.94}});
    painter.restore();
}

void drawLedgerSign(QPainter& painter, const QRectF& rect, LedgerState state, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    switch (state) {
    case LedgerState::expected: // empty ring
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.2));
        painter.drawEllipse(rect.adjusted(1.5, 1.5, -1.5, -1.5));
        break;
    case LedgerState::capturing: // recording disc
        painter.drawEllipse(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
    case LedgerState::flushing: // half-filled
        painter.drawPie(rect.adjusted(1, 1, -1, -1), 90 * 16, 180 * 16);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.2));
        painter.drawEllipse(rect.adjusted(1.5, 1.5, -1.5, -1.5));
        break;
    case LedgerState::complete: // file
        painter.drawRect(rect.adjusted(1.5, 0.5, -1.5, -0.5));
        break;
    case LedgerState::fetched: // arrow down
        drawStroke(painter, rect, color, {{0.5, 0.05}, {0.5, 0.9}, {0.15, 0.55}, {0.5, 0.9}, {0.85, 0.55}});
        break;
    case LedgerState::verified: // tick
        drawStroke(painter, rect, color, {{0.08, 0.55}, {0.38, 0.88}, {0.95, 0.15}});
        break;
    case LedgerState::missing: // cross
        drawStroke(painter, rect, color, {{0.12, 0.12}, {0.88, 0.88}});
        drawStroke(painter, rect, color, {{0.88, 0.12}, {0.12, 0.88}});
        break;
    case LedgerState::absent: // dash
        drawStroke(painter, rect, color, {{0.12, 0.5}, {0.88, 0.5}});
        break;
    case LedgerState::cutShort: // tick without its end
        drawStroke(painter, rect, color, {{0.08, 0.55}, {0.38, 0.88}, {0.6, 0.6}});
        break;
    case LedgerState::found: // file that is not fetched
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.2));
        painter.drawRect(rect.adjusted(1.5, 0.5, -1.5, -0.5));
        break;
    }
    painter.restore();
}

QString captureText(const HostStatus& host)
{
    if (isFinal(host.state)) return host.capture == "written" ? translated("written") : QString();
    if (host.capture == "capturing") return translated("recording");
    if (host.capture == "flushing") return translated("writing report");
    if (host.capture == "stopping") return translated("stopping");
    if (host.capture == "written") return translated("report written");
    return text(host.capture);
}

QString linkText(const HostStatus& host, int64_t linkBack_ns, int64_t now_ns)
{
    if (host.state == HostState::waiting || host.state == HostState::connecting)
        return host.reason.empty() ? QString() : translated("retrying");
    if (host.linkLost_ns != 0) return translated("lost for %1").arg(roughDuration(now_ns - host.linkLost_ns));
    if (isFinal(host.state)) return {};
    if (linkBack_ns != 0 && now_ns - linkBack_ns < kReconnectionIsNews_ns)
        return translated("reconnected %1 ago").arg(roughDuration(now_ns - linkBack_ns));
    if (!host.roundTrip_ms) return {};
    return QString::number(*host.roundTrip_ms, 'f', *host.roundTrip_ms < 10 ? 1 : 0) + " ms";
}

QString clockText(const HostStatus& host)
{
    if (!host.clockOffset_ns) return host.address.empty() ? translated("this machine") : QString();
    return (*host.clockOffset_ns < 0 ? "" : "+") + text(durationText({*host.clockOffset_ns}, 1));
}

QString elapsedText(int64_t duration_ns)
{
    const int64_t seconds = std::max<int64_t>(0, duration_ns) / kSecond_ns;
    return QString("%1:%2:%3")
        .arg(seconds / 3600, 2, 10, QChar('0'))
        .arg(seconds / 60 % 60, 2, 10, QChar('0'))
        .arg(seconds % 60, 2, 10, QChar('0'));
}

QString roughDuration(int64_t duration_ns)
{
    const int64_t seconds = std::max<int64_t>(0, duration_ns) / kSecond_ns;
    if (seconds < 100) return QString("%1 s").arg(seconds);
    if (seconds < 6000) return QString("%1 min").arg(seconds / 60);
    return QString("%1 h").arg(seconds / 3600);
}

QString stepsText(const std::vector<int64_t>& steps)
{
    if (steps.empty()) return translated("whole run");
    if (steps.size() == 1) return translated("step %1").arg(steps.front());
    const bool isDense = steps.back() - steps.front() + 1 == static_cast<int64_t>(steps.size());
    if (isDense) return translated("steps %1\u2013%2").arg(steps.front()).arg(steps.back());
    QStringList numbers;
    for (const int64_t step : steps)
        numbers << QString::number(step);
    return translated("steps %1").arg(numbers.join(", "));
}

QString ledgerEntryText(const LedgerEntry& entry)
{
    QStringList lines;
    QString title = ledgerStateText(entry.state);
    if (entry.writer.hasFailed()) title = translated("failed, report %1").arg(title);
    if (!entry.role.empty()) title += ", " + text(entry.role);
    if (entry.rank) title += " " + translated("rank %1").arg(*entry.rank);
    title += ", " + stepsText(entry.steps);
    if (!entry.host.empty()) title += ", " + translated("on %1").arg(text(entry.host));
    lines << title;
    if (!entry.reason.empty()) lines << text(entry.reason);
    if (const std::string end = writerEndText(entry); !end.empty()) lines << text(end);
    if (!entry.path.empty()) lines << text(entry.path);
    for (const LedgerLocation& location : entry.alsoAt)
        lines << translated("same file on %1: %2").arg(text(location.host), text(location.path));
    if (entry.size_bytes > 0) {
        const QString size = text(byteText(entry.size_bytes));
        lines << (entry.rows > 0 ? translated("%1, rows: %2").arg(size, text(groupedText(entry.rows)))
                                 : size);
    }
    if (!entry.sha256.empty()) lines << "sha256 " + text(entry.sha256);
    if (!entry.localPath.empty())
        lines << (entry.isReduced ? translated("local copy (compact): %1") : translated("local copy: %1"))
                     .arg(text(entry.localPath));
    if (!entry.wasExpected) lines << translated("not among the expected reports");
    return lines.join('\n');
}

} // namespace lockstep
