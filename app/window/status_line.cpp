// SPDX-License-Identifier: Apache-2.0
#include "app/window/status_line.h"

#include <algorithm>
#include <map>
#include <set>

#include <QLabel>

#include "app/window/workspace_controller.h"
#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "core/align/exchange_fit.h"
#include "core/base/text.h"
#include "ui/selection/selection_totals.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString methodText(AlignMethod method)
{
    switch (method) {
    case AlignMethod::none:
        return StatusLine::tr("not aligned");
    case AlignMethod::zero:
        return StatusLine::tr("reports start at zero");
    case AlignMethod::wallclock:
        return StatusLine::tr("wall clock");
    case AlignMethod::reference:
        return StatusLine::tr("one report's clock");
    case AlignMethod::host:
        return StatusLine::tr("host clock");
    case AlignMethod::collectives:
        return StatusLine::tr("collectives");
    case AlignMethod::exchange:
        return StatusLine::tr("clock exchange");
    case AlignMethod::step:
        return StatusLine::tr("steps start at zero");
    case AlignMethod::marker:
        return StatusLine::tr("marker slices start at zero");
    case AlignMethod::manual:
        return StatusLine::tr("manual offset");
    }
    return {};
}

// Returns the method that aligned most reports; `reference` only if there is no other.
AlignMethod commonMethod(const std::vector<const ClockMap*>& maps)
{
    std::map<AlignMethod, size_t> counts;
    for (const ClockMap* map : maps) {
        if (map->isPlaced() && map->method != AlignMethod::reference) ++counts[map->method];
    }
    const auto mostFrequent =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return mostFrequent == counts.end() ? AlignMethod::reference : mostFrequent->first;
}

} // namespace

QString basisText(const Scene& scene)
{
    std::vector<const ClockMap*> maps;
    for (const ReportKey key : scene.shown.keys())
        maps.push_back(&scene.alignment.map(key));
    if (maps.empty()) return {};
    const auto placed = std::ranges::count_if(maps, [](const ClockMap* map) { return map->isPlaced(); });
    if (placed == 0) return StatusLine::tr("not aligned; order across reports unknown");
    const AlignMethod method = commonMethod(maps);
    QString text = methodText(method);
    int64_t largest_ns = 0;
    bool hasBound = true;
    for (const ClockMap* map : maps) {
        if (!map->isPlaced()) continue;
        hasBound = hasBound && map->bound_ns.has_value();
        largest_ns = std::max(largest_ns, map->bound_ns.value_or(0));
    }
    if (maps.size() > 1) {
        text = hasBound ? QString("%1 \u00B1 %2").arg(text, QString::fromUtf8(errorText(largest_ns)))
                        : StatusLine::tr("%1, error unknown").arg(text);
    }
    if (method == AlignMethod::collectives && scene.alignment.collectives)
        text += QString(" (n=%1)").arg(scene.alignment.collectives->table.moments.size());
    if (method == AlignMethod::exchange && scene.alignment.exchange)
        text += QString(" (n=%1)").arg(scene.alignment.exchange->rounds);
    const auto unplaced = static_cast<qsizetype>(maps.size()) - placed;
    if (unplaced > 0)
        text = StatusLine::tr("%1 (%2 of %3 reports not aligned)").arg(text).arg(unplaced).arg(maps.size());
    return text;
}

StatusLine::StatusLine(const WorkspaceController& reports, const ViewState& view, Workers workers,
                       QWidget* parent)
    : QStatusBar(parent), m_workspace(reports), m_view(view),
      m_totals(new SelectionTotals(view, std::move(workers), this)), m_basis(new QLabel(this)),
      m_hover(new QLabel(this)), m_selection(new QLabel(this)), m_summary(new QLabel(this)),
      m_reports(new QLabel(this))
{
    setSizeGripEnabled(false);
    for (QLabel* label : {m_basis, m_hover, m_selection, m_summary})
        addWidget(label);
    m_reports->setObjectName("reportCount");
    addPermanentWidget(m_reports);
    for (QLabel* label : {m_basis, m_hover, m_selection})
        label->setTextFormat(Qt::RichText);
    connect(&reports, &WorkspaceController::sceneChanged, this, &StatusLine::applyScene);
    connect(&reports.reports(), &ReportList::changed, this, &StatusLine::showReports);
    connect(&view, &ViewState::cursorChanged, this, &StatusLine::showAll);
    connect(&view, &ViewState::rangeChanged, this, &StatusLine::showAll);
    connect(m_totals, &SelectionTotals::changed, this, &StatusLine::showAll);
}

void StatusLine::setTheme(const Theme& theme)
{
    m_theme = &theme;
    showAll();
}

void StatusLine::applyScene()
{
    const ScenePtr& scene = m_workspace.scene();
    m_totals->setScene(scene);
    constexpr size_t kMaxReasons = 20; // maximum number of reasons, so that the tooltip stays readable
    std::set<std::string_view> reasons;
    for (const ReportKey key : scene->shown.keys())
        reasons.insert(scene->alignment.map(key).reason);
    QStringList lines;
    for (const std::string_view reason : reasons) {
        if (lines.size() == kMaxReasons) {
            lines << tr("and %1 more").arg(reasons.size() - kMaxReasons);
            break;
        }
        lines << QString::fromUtf8(reason);
    }
    m_basis->setToolTip(lines.join('\n'));
    m_basisText = basisText(*scene);
    showAll();
    showReports();
}

void StatusLine::setSummary(const QString& text)
{
    m_summary->setText(text);
}

void StatusLine::showReports()
{
    const ReportList& list = m_workspace.reports();
    // The chunks of a watched run are in the scene, but they are not reports of the list.
    const auto shown = std::ranges::count_if(list.entries(), [this](const ReportEntry& entry) {
        return m_workspace.scene()->shown.has(entry.key);
    });
    const size_t open = list.count(ReportState::open), loading = list.count(ReportState::loading);
    const size_t resident_bytes = list.residentBytes();
    QStringList counts;
    if (open > 0) counts << tr("%1 of %n report(s)", nullptr, static_cast<int>(open)).arg(shown);
    if (loading > 0) counts << tr("%1 opening").arg(loading);
    QString text = counts.join(", ");
    if (resident_bytes > 0)
        text += " \u00B7 " + QString::fromUtf8(byteText(static_cast<int64_t>(resident_bytes)));
    if (const size_t mapped_bytes = list.mappedBytes(); mapped_bytes > 0)
        text =
            tr("%1, %2 on disk").arg(text, QString::fromUtf8(byteText(static_cast<int64_t>(mapped_bytes))));
    m_reports->setText(text);
}

QString StatusLine::rich(const QString& name, const QString& value) const
{
    return QString("%1 <span style='color:%2; font-weight:600'>%3</span>")
        .arg(name, m_theme->text.name(), value.toHtmlEscaped());
}

void StatusLine::showAll()
{
    m_basis->setText(m_basisText.isEmpty() ? QString() : rich(tr("Clocks"), m_basisText));
    QString hover;
    if (const auto& time = m_view.cursor()) {
        const auto& utcAtZero_ns = m_workspace.scene()->alignment.utcAtZero_ns;
        const QString relative = QString::fromUtf8(durationText({time->ns}, 9));
        hover = utcAtZero_ns
                    ? rich(tr("Hover"), tr("%1 UTC").arg(utcTimeText(*utcAtZero_ns + time->ns).c_str())) +
                          " \u00B7 " + relative
                    : rich(tr("Hover"), relative);
    }
    m_hover->setText(hover);
    const QString selection = selectionText();
    m_selection->setText(selection.isEmpty() ? QString() : rich(tr("Selection"), selection));
}

bool StatusLine::isBusy() const
{
    return m_totals->isBusy();
}

QString StatusLine::selectionText() const
{
    const QString measure = m_view.measureText(m_workspace.scene()->alignment);
    if (!m_view.areas().empty() || m_view.slices() != nullptr) {
        // If the length is measured between two clocks, it has an error. The error also applies to the
        // totals, so both are shown.
        return measure.contains(QChar(0xB1)) ? measure + " \u00B7 " + m_totals->text() : m_totals->text();
    }
    const auto& range = m_view.range();
    if (!range) return {};
    return measure.isEmpty() ? QString::fromUtf8(durationText(range->length())) : measure;
}

} // namespace lockstep
