// SPDX-License-Identifier: Apache-2.0
#include "ui/findings/findings_list.h"

#include <algorithm>
#include <cmath>

#include <QAbstractListModel>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kRowHeight = 69, kCompactRowHeight = 34; // px at scale 1
constexpr int kRowsOfLowList = 6; // lists that have room for this many rows are never compact

QFont findingFont(bool isBold)
{
    QFont font = isBold ? interfaceFont(scaledPixels(100) / 100.0) : smallFont(scaledPixels(100) / 100.0);
    if (isBold) font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

QString severityWord(FindingSeverity severity)
{
    switch (severity) {
    case FindingSeverity::high:
        return FindingsList::tr("high");
    case FindingSeverity::medium:
        return FindingsList::tr("medium");
    default:
        return FindingsList::tr("low");
    }
}

QColor severityColor(FindingSeverity severity, const Theme& theme)
{
    return severity == FindingSeverity::high     ? theme.bad
           : severity == FindingSeverity::medium ? theme.warn
                                                 : theme.mutedText;
}

QString costText(const RunFindings& findings, int64_t cost_ns)
{
    const QString time = QString::fromStdString(durationText({findings.costAStep_ns(cost_ns)}));
    return findings.steps > 0 ? FindingsList::tr("%1/step").arg(time) : time;
}

void paintFindingBars(QPainter& painter, const QRect& rect, const RunFinding& finding, const Theme& theme,
                      bool hasThreshold)
{
    double largest = hasThreshold ? finding.threshold.value_or(0) : 0;
    for (const FindingBar& bar : finding.bars)
        largest = std::max(largest, bar.value);
    const auto heightOf = [&](double value) {
        return largest > 0 ? static_cast<int>(std::lround((rect.height() - 1) * value / largest)) : 0;
    };
    const int count = static_cast<int>(finding.bars.size());
    const int apart = std::min(scaledPixels(24), rect.width() / std::max(1, count));
    const int thick = std::max(1, apart - (apart > 3 ? scaledPixels(2) : 0));
    // If there are more bars than pixels, the bars of responsible reports are painted last and cover the
    // others.
    const auto leftOf = [&](int i) {
        return rect.left() + (apart > 0 ? i * apart : i * rect.width() / count);
    };
    for (const bool isFlagged : {false, true}) {
        for (int i = 0; i < count; ++i) {
            const FindingBar& bar = finding.bars[static_cast<size_t>(i)];
            if (bar.isFlagged != isFlagged) continue;
            const int height = std::max(1, heightOf(bar.value));
            painter.fillRect(leftOf(i), rect.bottom() - height, thick, height,
                             isFlagged ? severityColor(finding.severity, theme)
                                       : mixed(theme.window, theme.mutedText, 0.45));
        }
    }
    painter.setPen(theme.line);
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    if (!hasThreshold || !finding.threshold) return;
    painter.setPen(QPen(theme.warn, 1, Qt::DashLine));
    const int y = rect.bottom() - heightOf(*finding.threshold);
    painter.drawLine(rect.left(), y, rect.right(), y);
}

std::vector<int> shownFindings(const RunFindings& findings, const QString& text, FindingOrder order)
{
    const QStringList words = text.simplified().split(' ', Qt::SkipEmptyParts);
    std::vector<int> shown;
    for (int i = 0; i < static_cast<int>(findings.found.size()); ++i) {
        const RunFinding& found = findings.found[static_cast<size_t>(i)];
        QString all = severityWord(found.severity) + '\n' + QString::fromStdString(found.rule) + '\n' +
                      QString::fromStdString(found.sentence) + '\n' + QString::fromStdString(found.fix);
        for (const std::string& advice : found.advice)
            all += '\n' + QString::fromStdString(advice);
        for (const FindingBar& bar : found.bars)
            all += bar.isFlagged ? '\n' + QString::fromStdString(bar.label) : QString();
        const bool isShown = std::ranges::all_of(
            words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
        if (isShown) shown.push_back(i);
    }
    std::ranges::stable_sort(shown, [&](int a, int b) {
        const RunFinding& left = findings.found[static_cast<size_t>(a)];
        const RunFinding& right = findings.found[static_cast<size_t>(b)];
        if (order == FindingOrder::severity) return left.severity < right.severity;
        return order == FindingOrder::rule && left.rule < right.rule;
    });
    return shown;
}

class FindingsList::Rows : public QAbstractListModel {
  public:
    using QAbstractListModel::QAbstractListModel;
    void setFindings(std::shared_ptr<const RunFindings> findings, std::vector<int> shown)
    {
        beginResetModel();
        m_findings = std::move(findings);
        m_shown = std::move(shown);
        endResetModel();
    }
    int findingOf(int row) const { return m_shown[static_cast<size_t>(row)]; }
    // Returns the row of the finding, or -1 if the finding is not shown.
    int rowOf(int finding) const
    {
        const auto found = std::ranges::find(m_shown, finding);
        return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
    }
    const RunFinding& at(int row) const { return m_findings->found[static_cast<size_t>(findingOf(row))]; }
    const RunFindings* findings() const { return m_findings.get(); }
    int rowCount(const QModelIndex& parent) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
    }
    QVariant data(const QModelIndex& index, int role) const override
    {
        if (!m_findings || !index.isValid()) return {};
        const RunFinding& found = at(index.row());
        if (role == Qt::AccessibleTextRole)
            return tr("%1: %2, %3")
                .arg(severityWord(found.severity), QString::fromStdString(found.sentence),
                     costText(*m_findings, found.cost_ns));
        return role == Qt::DisplayRole ? QVariant(QString::fromStdString(found.sentence)) : QVariant();
    }

  private:
    std::shared_ptr<const RunFindings> m_findings;
    std::vector<int> m_shown;
};

class FindingsList::Painter : public QStyledItemDelegate {
  public:
    explicit Painter(FindingsList& list) : QStyledItemDelegate(&list), m_list(list) {}
    void setTheme(const Theme& theme) { m_theme = &theme; }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {scaledPixels(200), scaledPixels(m_list.isCompact() ? kCompactRowHeight : kRowHeight)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const RunFindings& all = *m_list.m_rows->findings();
        const RunFinding& found = m_list.m_rows->at(index.row());
        painter->save();
        const QRect rect = option.rect;
        if (m_list.currentIndex().row() == index.row()) {
            painter->fillRect(rect, mixed(m_theme->window, m_theme->accent, 0.14));
            painter->fillRect(rect.left(), rect.top(), scaledPixels(3), rect.height(), m_theme->accent);
        }
        painter->setPen(m_theme->line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
        painter->fillRect(rect.left() + scaledPixels(14), line(rect, 0, 0, 0).top() + scaledPixels(2),
                          scaledPixels(4), scaledPixels(18), severityColor(found.severity, *m_theme));
        painter->setFont(findingFont(false));
        painter->setPen(severityColor(found.severity, *m_theme));
        painter->drawText(line(rect, scaledPixels(26), scaledPixels(70), 0), Qt::AlignVCenter,
                          severityWord(found.severity));
        // If a row is too narrow for both the evidence and the sentence, the evidence is omitted.
        const bool hasEvidence = rect.width() >= scaledPixels(660);
        const int cost = scaledPixels(130), evidence = hasEvidence ? scaledPixels(210) : 0;
        const int left = scaledPixels(96);
        const int width = rect.width() - left - cost - evidence - scaledPixels(16);
        drawElided(*painter, line(rect, left, width, 0), QString::fromStdString(found.sentence), true,
                   m_theme->text);
        if (!m_list.isCompact())
            drawElided(*painter, line(rect, left, width, 1), QString::fromStdString(found.fix), false,
                       m_theme->mutedText);
        drawCost(*painter, QRect(rect.right() - cost, rect.top(), cost - scaledPixels(14), rect.height()),
                 all, found);
        if (hasEvidence) {
            const int margin = scaledPixels(m_list.isCompact() ? 4 : 8);
            const QRect bars(rect.right() - cost - evidence, rect.top() + margin, scaledPixels(190),
                             m_list.isCompact() ? rect.height() - 2 * margin : scaledPixels(30));
            paintFindingBars(*painter, bars, found, *m_theme, false);
            if (!m_list.isCompact())
                drawElided(*painter, bars.translated(0, bars.height()), caption(found), false,
                           m_theme->mutedText);
        }
        painter->restore();
    }

  private:
    static QString caption(const RunFinding& found)
    {
        const QString what = QString::fromStdString(found.caption);
        return FindingsList::tr("%1, %n report(s)", nullptr, static_cast<int>(found.bars.size())).arg(what);
    }
    QRect line(const QRect& row, int left, int width, int number) const
    {
        const int top = m_list.isCompact() ? (kCompactRowHeight - 22) / 2 : 10;
        return {row.left() + left, row.top() + scaledPixels(top + 24 * number), width, scaledPixels(22)};
    }
    static void drawElided(QPainter& painter, const QRect& rect, const QString& text, bool isBold,
                           const QColor& color)
    {
        painter.setFont(findingFont(isBold));
        painter.setPen(color);
        painter.drawText(rect, Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
    }
    void drawCost(QPainter& painter, const QRect& rect, const RunFindings& all, const RunFinding& found) const
    {
        painter.setFont(findingFont(true));
        painter.setPen(m_theme->text);
        if (m_list.isCompact()) {
            painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, costText(all, found.cost_ns));
            return;
        }
        painter.drawText(rect.adjusted(0, scaledPixels(10), 0, 0), Qt::AlignRight | Qt::AlignTop,
                         QString::fromStdString(durationText({all.costAStep_ns(found.cost_ns)})));
        painter.setFont(findingFont(false));
        painter.setPen(m_theme->mutedText);
        painter.drawText(rect.adjusted(0, scaledPixels(34), 0, 0), Qt::AlignRight | Qt::AlignTop,
                         all.steps > 0 ? FindingsList::tr("per step") : FindingsList::tr("in total"));
    }

    FindingsList& m_list;
    const Theme* m_theme = &lightTheme();
};

FindingsList::FindingsList(QWidget* parent)
    : QListView(parent), m_rows(new Rows(this)), m_painter(new Painter(*this))
{
    setFrameShape(NoFrame);
    setAccessibleName(tr("Findings"));
    setVerticalScrollMode(ScrollPerPixel);
    setUniformItemSizes(true);
    setModel(m_rows);
    setItemDelegate(m_painter);
    connect(this, &QAbstractItemView::doubleClicked, this,
            [this](const QModelIndex& index) { emit activated(m_rows->findingOf(index.row())); });
}

void FindingsList::setFindings(std::shared_ptr<const RunFindings> findings)
{
    const std::string rule = current() >= 0 ? m_findings->found[static_cast<size_t>(current())].rule : "";
    m_findings = std::move(findings);
    if (!m_findings) return m_rows->setFindings(nullptr, {});
    const auto again = std::ranges::find(m_findings->found, rule, &RunFinding::rule);
    refillList(again == m_findings->found.end() ? -1 : static_cast<int>(again - m_findings->found.begin()));
}

void FindingsList::setFilter(const QString& text)
{
    m_filter = text;
    refillList(current());
}

void FindingsList::setOrder(FindingOrder order)
{
    m_order = order;
    refillList(current());
}

int FindingsList::current() const
{
    return currentIndex().isValid() ? m_rows->findingOf(currentIndex().row()) : -1;
}

// Fills the list and selects `finding` if it is still shown, otherwise the first row.
void FindingsList::refillList(int finding)
{
    if (!m_findings) return;
    m_rows->setFindings(m_findings, shownFindings(*m_findings, m_filter, m_order));
    fitRows();
    if (m_rows->rowCount({}) > 0)
        setCurrentIndex(m_rows->index(std::max(0, m_rows->rowOf(finding))));
    else
        emit chosen(-1);
}

// Uses compact rows if that shows more findings: the list is low, and has more findings than fit.
void FindingsList::fitRows()
{
    const int height = viewport()->height(), row = scaledPixels(kRowHeight);
    const bool isCompact = height < kRowsOfLowList * row && shownCount() * row > height;
    if (isCompact == m_isCompact) return;
    m_isCompact = isCompact;
    scheduleDelayedItemsLayout();
}

void FindingsList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    fitRows();
}

void FindingsList::setTheme(const Theme& theme)
{
    m_painter->setTheme(theme);
    viewport()->update();
}

void FindingsList::keyPressEvent(QKeyEvent* event)
{
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!isReturn || current() < 0) return QListView::keyPressEvent(event);
    emit activated(current());
}

void FindingsList::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QListView::currentChanged(current, previous);
    viewport()->update();
    if (current.isValid()) emit chosen(m_rows->findingOf(current.row()));
}

} // namespace lockstep
