// SPDX-License-Identifier: Apache-2.0
#include "ui/selection/selection_totals.h"

#include "core/base/text.h"
#include "ui/window/view_state.h"

namespace lockstep {

SelectionTotals::SelectionTotals(const ViewState& view, Workers workers, QObject* parent)
    : QObject(parent), m_view(view), m_job(
                                         [this](Result<AreaAggregate> made) {
                                             if (made) m_totals = std::move(*made);
                                             emit changed();
                                         },
                                         std::move(workers))
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(60); // milliseconds; a drag changes the selection at every move
    connect(&m_soon, &QTimer::timeout, this, &SelectionTotals::count);
    connect(&view, &ViewState::areasChanged, this, &SelectionTotals::outdate);
}

void SelectionTotals::setScene(ScenePtr scene)
{
    m_scene = std::move(scene);
    outdate();
}

void SelectionTotals::outdate()
{
    m_job.cancel();
    m_totals.reset();
    if (m_view.areas().empty() && m_view.slices() == nullptr) {
        m_soon.stop();
    } else {
        m_soon.start();
    }
    emit changed();
}

void SelectionTotals::count()
{
    const AreaQuery query{m_view.areas(), m_view.slices()};
    m_job.start([scene = m_scene, query](const Progress& progress) {
        return aggregateArea(*scene, query, AreaGroup::lane, progress);
    });
}

QString SelectionTotals::text() const
{
    const auto lengthText = [](int64_t ns) { return QString::fromUtf8(durationText({ns})); };
    const auto countText = [](uint64_t n) { return QString::fromUtf8(groupedText(static_cast<int64_t>(n))); };
    QStringList parts;
    if (m_view.areas().size() > 1)
        parts << tr("%n area(s)", nullptr, static_cast<int>(m_view.areas().size()));
    if (!m_totals) {
        if (m_view.areas().size() == 1) parts << lengthText(m_view.areas().front().range.length().ns);
        return (parts << tr("counting\u2026")).join(" \u00B7 ");
    }
    const AreaGroupRow& total = m_totals->total;
    if (m_totals->length.ns > 0) parts << lengthText(m_totals->length.ns);
    parts << tr("%n lane(s)", nullptr, static_cast<int>(m_totals->laneCount))
          << (total.count == 1 ? tr("1 slice") : tr("%1 slices").arg(countText(total.count)))
          << tr("sum %1").arg(lengthText(total.sum_ns));
    QString united = tr("union %1").arg(lengthText(total.union_ns));
    if (m_totals->length.ns > 0) {
        const int64_t part = roundedQuotient(__int128(total.union_ns) * 1000, m_totals->length.ns);
        united += QString(", %1 %").arg(QString::fromStdString(fixedPointText(part, 1)));
    }
    return (parts << united).join(" \u00B7 ");
}

} // namespace lockstep
