// SPDX-License-Identifier: Apache-2.0
// View badges: a short word at the right of a line of the memory panel's list of views: how many allocations
// failed, how many stacks are suspected. Put there by the panel, drawn by ViewBadgePainter. UI thread.
#pragma once

#include <span>

#include <QStyledItemDelegate>

#include "ui/style/theme.h"

class QListWidget;

namespace lockstep {

struct ViewBadge {
    enum class Tone : uint8_t { warn, bad };

    QString view; // the line's text
    QString word;
    QString meaning; // for a tooltip and a screen reader
    Tone tone = Tone::warn;
};

// Lines without one lose theirs.
void setBadges(QListWidget& views, std::span<const ViewBadge> badges);
// Of a line; empty: none.
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
