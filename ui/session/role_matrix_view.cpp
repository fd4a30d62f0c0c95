// SPDX-License-Identifier: Apache-2.0
#include "ui/session/role_matrix_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QWheelEvent>

#include "ui/session/role_matrix_model.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

class CellPainter : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setTheme(const Theme& theme) { m_theme = &theme; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.column() == RoleMatrixModel::ranks)
            return QStyledItemDelegate::paint(painter, option, index);
        const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        const bool isFixed = index.data(RoleMatrixModel::kIsFixedRole).toBool();
        painter->save();
        if (isFixed) {
            painter->setOpacity(0.55);
            if (index.column() == RoleMatrixModel::on) paintSwitch(*painter, option.rect, isOn, false);
            painter->setOpacity(1);
        } else if (index.column() < RoleMatrixModel::firstRank) {
            paintSwitch(*painter, option.rect, isOn, index.data(RoleMatrixModel::kIsUnsetRole).toBool());
        } else {
            paintRank(*painter, option, index, isOn);
        }
        if ((option.state & QStyle::State_Selected) != 0 && (option.state & QStyle::State_Active) != 0) {
            painter->setBrush(Qt::NoBrush);
            painter->setPen(QPen(m_theme->accent, 1));
            painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
        }
        painter->restore();
    }

  private:
    void paintSwitch(QPainter& painter, const QRect& cell, bool isOn, bool isUnset) const
    {
        const int height = scaledPixels(13), width = scaledPixels(24);
        const QRect track(cell.center().x() - width / 2, cell.center().y() - height / 2, width, height);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(isUnset ? QPen(m_theme->line, 1, Qt::DashLine) : Qt::NoPen);
        painter.setBrush(isOn      ? QBrush(m_theme->accent)
                         : isUnset ? QBrush(Qt::NoBrush)
                                   : QBrush(m_theme->line));
        painter.drawRoundedRect(QRectF(track), height / 2.0, height / 2.0);
        if (isUnset) return;
        const int knob = height - scaledPixels(4);
        const int x = isOn ? track.right() - knob - 1 : track.left() + 2;
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme->window);
        painter.drawEllipse(QRect(x, track.top() + 2, knob, knob));
    }

    void paintRank(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                   bool isOn) const
    {
        const QModelIndex enabled = index.siblingAtColumn(RoleMatrixModel::on);
        const bool isRecorded = isOn && enabled.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        const std::string role =
            index.model()->headerData(index.row(), Qt::Vertical, Qt::DisplayRole).toString().toStdString();
        QColor fill = m_theme->roleColor(role);
        if (isOn && !isRecorded) fill = mixed(m_theme->window, fill, 0.35);
        if (isOn) painter.fillRect(option.rect, fill);
        painter.setPen(isOn ? textColorOn(fill) : m_theme->mutedText);
        QFont font = option.font;
        font.setBold(isOn);
        painter.setFont(font);
        painter.drawText(option.rect, Qt::AlignCenter, index.data().toString());
    }

    const Theme* m_theme = &lightTheme();
};

// RoleHeader draws a role's name after a stripe in the role's color.
class RoleHeader : public QHeaderView {
  public:
    explicit RoleHeader(QWidget* parent) : QHeaderView(Qt::Vertical, parent) {}

    void setTheme(const Theme& theme) { m_theme = &theme; }

  protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        const QString name = model()->headerData(section, Qt::Vertical, Qt::DisplayRole).toString();
        painter->fillRect(rect, m_theme->window);
        painter->fillRect(rect.left(), rect.top() + scaledPixels(5), scaledPixels(4),
                          rect.height() - scaledPixels(10), m_theme->roleColor(name.toStdString()));
        painter->setPen(m_theme->text);
        painter->drawText(rect.adjusted(scaledPixels(12), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, name);
        painter->setPen(m_theme->line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    }

  private:
    const Theme* m_theme = &lightTheme();
};

} // namespace

RoleMatrixView::RoleMatrixView(RoleMatrixModel& model, QWidget* parent) : QTableView(parent), m_model(model)
{
    setModel(&model);
    setItemDelegate(new CellPainter(this));
    setVerticalHeader(new RoleHeader(this));
    setTabKeyNavigation(false);
    setEditTriggers(AnyKeyPressed | EditKeyPressed | DoubleClicked);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->setDefaultSectionSize(scaledPixels(26));
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setFixedWidth(scaledPixels(84));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setMinimumSectionSize(scaledPixels(20));
    horizontalHeader()->setHighlightSections(false);
    connect(&model, &QAbstractItemModel::columnsInserted, this, &RoleMatrixView::fitColumns);
    fitColumns();
    const int rows = model.rowCount() * verticalHeader()->defaultSectionSize();
    setFixedHeight(rows + horizontalHeader()->sizeHint().height() + scaledPixels(12));
}

void RoleMatrixView::setTheme(const Theme& theme)
{
    m_model.setTheme(theme);
    static_cast<CellPainter*>(itemDelegate())->setTheme(theme);
    static_cast<RoleHeader*>(verticalHeader())->setTheme(theme);
    viewport()->update();
    verticalHeader()->viewport()->update();
}

void RoleMatrixView::fitColumns()
{
    const int wide = m_model.rankCount() > 1000 ? 40 : 30;
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const int width = column == RoleMatrixModel::ranks      ? 96
                          : column == RoleMatrixModel::discrete ? 62
                          : column < RoleMatrixModel::firstRank ? 40
                                                                : wide;
        setColumnWidth(column, scaledPixels(width));
    }
}

void RoleMatrixView::keyPressEvent(QKeyEvent* event)
{
    const bool isText = currentIndex().column() == RoleMatrixModel::ranks;
    if (event->key() == Qt::Key_Space && state() != EditingState && currentIndex().isValid() && !isText) {
        QModelIndexList cells = selectedIndexes();
        if (cells.isEmpty()) cells << currentIndex();
        m_model.setOn(cells, !m_model.isOn(currentIndex()));
        return;
    }
    QTableView::keyPressEvent(event);
}

// Lets the wheel scroll the page, because all roles are visible. Only horizontal wheel movement scrolls the
// ranks.
void RoleMatrixView::wheelEvent(QWheelEvent* event)
{
    const QPoint by = event->angleDelta();
    const bool isSideways =
        std::abs(by.x()) > std::abs(by.y()) || (event->modifiers() & Qt::AltModifier) != 0;
    if (!isSideways) return event->ignore();
    QTableView::wheelEvent(event);
}

void RoleMatrixView::mousePressEvent(QMouseEvent* event)
{
    QTableView::mousePressEvent(event);
    m_pressed = event->button() == Qt::LeftButton ? indexAt(event->pos()) : QModelIndex();
    if (m_pressed.isValid()) m_fillsOn = !m_model.isOn(m_pressed);
}

void RoleMatrixView::mouseReleaseEvent(QMouseEvent* event)
{
    QTableView::mouseReleaseEvent(event);
    if (m_pressed.isValid() && m_pressed.column() != RoleMatrixModel::ranks && !selectedIndexes().isEmpty())
        m_model.setOn(selectedIndexes(), m_fillsOn);
    m_pressed = {};
}

} // namespace lockstep
