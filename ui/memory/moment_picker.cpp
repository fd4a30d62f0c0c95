// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/moment_picker.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "core/memory/leaks.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

MomentPicker::MomentPicker(const QString& label, QWidget* parent)
    : QWidget(parent), m_snapshots(new QComboBox(this)), m_moments(new QComboBox(this))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaledPixels(4));
    auto* const name = new QLabel(label, this);
    name->setProperty("muted", true);
    line->addWidget(name);
    const auto add = [&](QComboBox* box, const QString& what, int characters) {
        box->setAccessibleName(QString("%1: %2").arg(label, what));
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(characters);
        line->addWidget(box);
    };
    add(m_moments, tr("time"), 8); // the time comes first, because it usually differs between the entries
    add(m_snapshots, tr("snapshot"), 9);
    connect(m_snapshots, &QComboBox::currentIndexChanged, this, [this] {
        fillMoments();
        emit picked();
    });
    connect(m_moments, &QComboBox::currentIndexChanged, this, &MomentPicker::picked);
}

void MomentPicker::setSources(MemorySources sources, size_t current, Preset preset)
{
    m_sources = std::move(sources);
    const QSignalBlocker quiet(this);
    {
        const QSignalBlocker filling(m_snapshots);
        m_snapshots->clear();
        for (const MemorySource& each : *m_sources)
            m_snapshots->addItem(each.name);
        m_snapshots->setCurrentIndex(static_cast<int>(current));
    }
    fillMoments();
    m_moments->setCurrentIndex(preset == Preset::peak ? m_moments->findText(tr("peak")) : 0);
}

// Keeps the selected point in time if the other snapshot has an entry with the same text.
void MomentPicker::fillMoments()
{
    const MemorySource shown = source();
    const QString chosen = m_moments->currentText();
    const QSignalBlocker filling(m_moments);
    m_moments->clear();
    const auto add = [&](const QString& text, MemoryMoment moment) { m_moments->addItem(text, moment); };
    add(tr("start"), 0);
    for (const StepEnd& step : stepEnds(*shown.report, shown.device(), "step"))
        add(tr("end of %1").arg(shownText(shown.report->strings.at(step.name), 60)), step.moment);
    add(tr("peak"), shown.device().peaks.active.moment);
    add(tr("end"), shown.device().lastMoment());
    m_moments->setCurrentIndex(std::max(0, m_moments->findText(chosen)));
}

MemorySource MomentPicker::source() const
{
    const auto row = static_cast<size_t>(std::max(0, m_snapshots->currentIndex()));
    return (*m_sources)[std::min(row, m_sources->size() - 1)];
}

MemoryMoment MomentPicker::moment() const
{
    return m_moments->currentData().toUInt();
}

} // namespace lockstep
