// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/distant_report_bar.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "core/timeline/axis_folds.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Minimum distance from the other reports, so that the moved report is visibly separate.
constexpr int64_t kMinSeparation_ns = 1'000'000;

// Returns "rank 3 · node1 (file)", or the file name alone if neither rank nor host is known.
QString nameOf(const Scene& scene, ReportKey report)
{
    const Identity& identity = scene.shown.identity(report);
    QStringList words;
    if (identity.rank.isKnown()) words << DistantReportBar::tr("rank %1").arg(*identity.rank.value);
    if (identity.host.isKnown()) words << QString::fromStdString(*identity.host.value);
    const QString file =
        QString::fromStdString(scene.shown.report(report).provenance.path.filename().string());
    return words.isEmpty() ? file : words.join(QString::fromUtf8(" \u00B7 ")) + " (" + file + ')';
}

} // namespace

DistantReportBar::DistantReportBar(QWidget* parent) : QFrame(parent), m_text(new QLabel(this))
{
    setObjectName("farReport");
    setAccessibleName(tr("Distant report"));
    setAutoFillBackground(true);
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(scaledPixels(12), scaledPixels(3), scaledPixels(6), scaledPixels(3));
    row->setSpacing(scaledPixels(6));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_text, 1);
    const auto button = [&](const char* name, const QString& text, const QString& tip) {
        auto* const made = new QPushButton(text, this);
        made->setObjectName(name);
        made->setToolTip(tip);
        made->setAutoDefault(false);
        row->addWidget(made);
        return made;
    };
    m_goTo = button("goTo", tr("Go to"), tr("Zoom to this report"));
    m_align = button("align", tr("Align by step"), {});
    m_moveAdjacent = button("moveAdjacent", tr("Move next to others"),
                            tr("Move this report on the axis to just after the others. Undo moves it back."));
    m_dismiss = button("dismiss", tr("Ignore"), tr("Keep the recorded time and don't show this again"));
    connect(m_goTo, &QPushButton::clicked, this, [this] { emit goToRequested(m_shown->extent); });
    connect(m_align, &QPushButton::clicked, this, &DistantReportBar::alignByStepRequested);
    connect(m_moveAdjacent, &QPushButton::clicked, this, [this] {
        const int64_t separation_ns = std::max(kMinSeparation_ns, m_shown->others.length().ns / 50);
        emit moveAdjacentRequested(m_shown->report,
                                   m_shown->others.end + Duration{separation_ns} - m_shown->extent.begin);
    });
    connect(m_dismiss, &QPushButton::clicked, this, &DistantReportBar::dismiss);
    hide();
}

QString DistantReportBar::text() const
{
    return m_text->text();
}

void DistantReportBar::setScene(const Scene& scene)
{
    m_all = distantReportsOf(scene);
    std::erase_if(m_dismissed, [&](ReportKey key) { return !scene.open.has(key); });
    std::erase_if(m_all, [&](const DistantReport& far) { return m_dismissed.contains(far.report); });
    m_shown.reset();
    if (!m_all.empty()) show(scene, m_all.front(), m_all.size() - 1);
    setVisible(m_shown.has_value());
}

void DistantReportBar::show(const Scene& scene, const DistantReport& far, size_t more)
{
    m_shown = far;
    const bool isLater = far.away >= Duration{};
    const QString length = QString::fromStdString(gapText(isLater ? far.away : -far.away));
    const ClockMap& map = scene.alignment.map(far.report);
    QString text = (isLater ? tr("%1 is %2 later than the others") : tr("%1 is %2 earlier than the others"))
                       .arg(nameOf(scene, far.report), length);
    if (more > 0) text = tr("%1 (and %n more distant report(s))", nullptr, static_cast<int>(more)).arg(text);
    m_text->setText(text);
    m_text->setToolTip(text + '\n' + tr("Clock alignment: %1").arg(QString::fromStdString(map.reason)));
    setAccessibleDescription(m_text->toolTip());
    m_align->setEnabled(far.hasSteps);
    m_align->setToolTip(far.hasSteps ? tr("Overlay matching training steps")
                                     : tr("Needs training steps both in this report and in the others"));
}

void DistantReportBar::dismiss()
{
    for (const DistantReport& far : m_all)
        m_dismissed.insert(far.report);
    m_all.clear();
    m_shown.reset();
    hide();
}

} // namespace lockstep
