// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/view_badges.h"

#include <algorithm>

#include <QListWidget>
#include <QPainter>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kBadgeRole = Qt::UserRole, kBadgeToneRole = Qt::UserRole + 1;

} // namespace

void setBadges(QListWidget& views, std::span<const ViewBadge> badges)
{
    for (int row = 0; row < views.count(); ++row) {
        QListWidgetItem& item = *views.item(row);
        const auto badge = std::ranges::find(badges, item.text(), &ViewBadge::view);
        const bool isThere = badge != badges.end();
        item.setData(kBadgeRole, isThere ? badge->word : QString());
        item.setData(kBadgeToneRole, isThere ? static_cast<int>(badge->tone) : 0);
        item.setToolTip(isThere ? badge->meaning : QString());
        item.setData(Qt::AccessibleTextRole,
                     isThere ? item.text() + ", " + badge->meaning : QVariant(item.text()));
    }
}

QString badgeOf(const QListWidget& views, int row)
{
    return views.item(row)->data(kBadgeRole).toString();
}

void ViewBadgePainter::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QString word = index.data(kBadgeRole).toString();
    if (word.isEmpty()) return;
    const bool isBad = index.data(kBadgeToneRole).toInt() == static_cast<int>(ViewBadge::Tone::bad);
    painter->save();
    painter->setFont(option.font);
    painter->setPen(isBad ? m_theme->bad : m_theme->warn);
    painter->drawText(option.rect.adjusted(0, 0, -scaledPixels(12), 0), Qt::AlignRight | Qt::AlignVCenter,
                      word);
    painter->restore();
}

} // namespace lockstep
