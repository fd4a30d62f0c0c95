// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/crumb_bar.h"

#include <algorithm>

#include <QEvent>
#include <QLabel>
#include <QPushButton>

#include "core/base/text.h"

namespace lockstep {

namespace {

QLabel* mutedLabel(QChar text, QWidget* parent)
{
    auto* const label = new QLabel(text, parent);
    label->setProperty("muted", true);
    return label;
}

} // namespace

CrumbBar::CrumbBar(QWidget* parent) : QWidget(parent), m_ellipsis(mutedLabel(QChar(0x2026), this))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_ellipsis->hide();
}

void CrumbBar::setTrail(const ZoomTrail& trail)
{
    for (const Crumb& crumb : m_crumbs) {
        for (QWidget* const part : std::initializer_list<QWidget*>{crumb.arrow, crumb.button}) {
            if (part == nullptr) continue;
            part->hide();
            part->deleteLater(); // a crumb may be the sender of the signal that led here
        }
    }
    m_crumbs.clear();
    const std::vector<TimeRange>& ranges = trail.crumbs();
    for (size_t i = 0; i < ranges.size(); ++i) {
        const QString length = QString::fromStdString(durationText(ranges[i].length(), 1));
        auto* const button = new QPushButton(i == 0 ? tr("whole %1").arg(length) : length, this);
        button->setProperty("crumb", true);
        button->setEnabled(i + 1 < ranges.size());
        button->setToolTip(i == 0 ? tr("Zoom to fit") : tr("Zoom back to this range"));
        connect(button, &QPushButton::clicked, this,
                [this, range = ranges[i]] { emit zoomRequested(range); });
        m_crumbs.push_back({i == 0 ? nullptr : mutedLabel(QChar(0x203A), this), button});
    }
    updateGeometry();
    place();
}

int CrumbBar::widthOf(const Crumb& crumb) const
{
    const int arrow = crumb.arrow == nullptr ? 0 : crumb.arrow->sizeHint().width();
    return arrow + crumb.button->sizeHint().width();
}

QSize CrumbBar::sizeHint() const
{
    QSize size(0, 0);
    for (const Crumb& crumb : m_crumbs) {
        size.rwidth() += widthOf(crumb);
        size.setHeight(std::max(size.height(), crumb.button->sizeHint().height()));
    }
    return size;
}

// If there is too little room, hides the steps after the first, oldest first, then the first, then the last.
void CrumbBar::place()
{
    const int ellipsis = m_ellipsis->sizeHint().width();
    size_t hidden = 0; // number of crumbs after the first that are not shown
    int needed = sizeHint().width();
    while (needed > width() && hidden + 2 < m_crumbs.size()) {
        needed -= widthOf(m_crumbs[++hidden]);
        if (hidden == 1) needed += ellipsis;
    }
    const bool hasFirst = needed <= width() || m_crumbs.size() < 2;
    if (!hasFirst) needed -= widthOf(m_crumbs[0]);
    const bool fits = needed <= width();
    int x = 0;
    const auto put = [&](QWidget* part, bool isShown) {
        if (part == nullptr) return;
        part->setVisible(isShown && fits);
        if (!isShown) return;
        const QSize size = part->sizeHint();
        part->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width();
    };
    for (size_t i = 0; i < m_crumbs.size(); ++i) {
        const bool isShown = i == 0 ? hasFirst : i > hidden;
        if (i == 1) put(m_ellipsis, hidden > 0);
        put(m_crumbs[i].arrow, isShown && hasFirst);
        put(m_crumbs[i].button, isShown);
    }
    if (m_crumbs.size() < 2) m_ellipsis->hide();
}

void CrumbBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

// The crumbs change their size with the style sheet and its text size.
bool CrumbBar::event(QEvent* event)
{
    const bool isHandled = QWidget::event(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        place();
    }
    return isHandled;
}

} // namespace lockstep
