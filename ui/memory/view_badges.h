// SPDX-License-Identifier: Apache-2.0
// View badges are short labels at the right edge of the memory panel's list of views: the number of failed
// allocations or of leak suspects. The panel sets them; ViewBadgePainter draws them. UI thread.
#pragma once

#include <span>

#include <QStyledItemDelegate>

#include "ui/style/theme.h"

class QListWidget;

namespace lockstep {

struct ViewBadge {
    enum class Tone : uint8_t { warn, bad };

    QString view; // text of the list entry
    QString word;
    QString meaning; // for the tooltip and screen readers
    Tone tone = Tone::warn;
};

// Sets the badges of these entries and removes the badges of all others.
void setBadges(QListWidget& views, std::span<const ViewBadge> badges);
// Returns the badge of an entry, or an empty string.
QString badgeOf(const QListWidget& views, int row);

class ViewBadgePainter : public QStyledItemDelegate {
    Q_OBJECT

  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setTheme(const Theme& theme) { m_theme = &theme; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  private:
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
