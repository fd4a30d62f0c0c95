// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_pane.h"

#include <algorithm>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/panels/segments.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

MemoryPane::MemoryPane(const QString& name, QWidget* parent) : QWidget(parent)
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(name);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
}

void MemoryPane::setSources(MemorySources sources, size_t current)
{
    const bool isSame = m_sources && m_current == current && *m_sources == *sources;
    if (hasSource() && !(source() == (*sources)[current])) m_previous = source();
    m_sources = std::move(sources);
    m_current = current;
    if (isSame) return;
    m_facts = nullptr;
    m_pointed = {};
    outdate();
}

std::optional<size_t> MemoryPane::previous() const
{
    if (!m_previous) return std::nullopt;
    const auto found = std::ranges::find(*m_sources, *m_previous);
    if (found == m_sources->end()) return std::nullopt;
    return static_cast<size_t>(found - m_sources->begin());
}

void MemoryPane::setFacts(std::shared_ptr<const MemoryFacts> facts)
{
    m_facts = std::move(facts);
    if (hasSource()) factsArrived();
}

void MemoryPane::setPointed(const MemoryPointed& pointed)
{
    if (pointed == m_pointed) return;
    const bool hasMoved = pointed.moment != m_pointed.moment;
    m_pointed = pointed;
    if (hasSource()) pointedChanged(hasMoved);
}

void MemoryPane::outdate()
{
    m_isOutdated = true;
    if (!isVisible() || !hasSource()) return;
    m_isOutdated = false;
    refresh();
}

void MemoryPane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isOutdated) outdate();
}

QHBoxLayout* MemoryPane::makeBar()
{
    auto* const bar = new QWidget(this);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(12), scaledPixels(5));
    line->setSpacing(scaledPixels(8));
    static_cast<QVBoxLayout*>(layout())->addWidget(bar);
    return line;
}

QButtonGroup* MemoryPane::addChoice(QHBoxLayout* bar, const QString& label, const QStringList& choices,
                                    const QStringList& tooltips)
{
    auto* const name = new QLabel(label, this);
    name->setProperty("muted", true);
    bar->addWidget(name);
    QButtonGroup* const group = addSegments(*bar, this, choices, tooltips);
    for (QAbstractButton* button : group->buttons())
        button->setAccessibleName(QString("%1: %2").arg(label, button->text()));
    connect(group, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) outdate();
    });
    return group;
}

} // namespace lockstep
