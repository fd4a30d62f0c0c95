// SPDX-License-Identifier: Apache-2.0
#include "ui/search/search_panel.h"

#include <algorithm>

#include <QChildEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/panels/filter_header.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString grouped(uint64_t count)
{
    return QString::fromStdString(groupedText(static_cast<int64_t>(count)));
}

} // namespace

SearchPanel::SearchPanel(QWidget* window)
    : QFrame(window), m_message(new QLabel(this)), m_table(new EventTable(this)),
      m_progress(new QProgressBar(this)), m_stop(new QPushButton(tr("Stop reading"), this)),
      m_ranks(new QLabel(this)), m_footer(new QLabel(this))
{
    m_footer->setObjectName("footer");
    setObjectName("searchPanel");
    setAccessibleName(tr("Search results"));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(1, scaledPixels(6), 1, scaledPixels(6));
    column->setSpacing(scaledPixels(4));
    column->addWidget(makeHeader());
    m_message->setWordWrap(true);
    m_message->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), scaledPixels(4));
    column->addWidget(m_message);
    column->addWidget(m_table, 1);
    m_table->setFocusPolicy(Qt::NoFocus);
    m_table->setAccessibleName(tr("Hits"));
    m_table->setSwatches(true);
    m_table->header()->setSectionsClickable(false);
    m_table->header()->setSortIndicatorShown(false);
    m_table->setColumns({{EventColumn::number, 28},
                         {EventColumn::name, 240},
                         {EventColumn::rank, 56},
                         {EventColumn::lane, 130},
                         {EventColumn::start, 112},
                         {EventColumn::duration, 100}});
    m_table->setStretchColumn(EventColumn::name);
    connect(m_table, &EventTable::currentRowChanged, this, &SearchPanel::rowRequested);
    auto* const reading = new QHBoxLayout;
    reading->setContentsMargins(scaledPixels(12), 0, scaledPixels(12), 0);
    m_progress->setTextVisible(false);
    m_stop->setFocusPolicy(Qt::NoFocus);
    m_stop->setProperty("toggle", true);
    reading->addWidget(m_progress, 1);
    reading->addWidget(m_stop);
    column->addLayout(reading);
    connect(m_stop, &QPushButton::clicked, this, &SearchPanel::cancelRequested);
    for (QLabel* const line : {m_ranks, m_footer}) {
        line->setProperty("muted", true);
        line->setWordWrap(true);
        line->setContentsMargins(scaledPixels(12), 0, scaledPixels(12), 0);
        column->addWidget(line);
    }
    setProgress(std::nullopt);
    hide();
}

QWidget* SearchPanel::makeHeader()
{
    auto* const head = new QWidget(this);
    auto* const line = new QHBoxLayout(head);
    line->setContentsMargins(scaledPixels(12), 0, scaledPixels(12), 0);
    line->setSpacing(scaledPixels(6));
    m_chips = new QHBoxLayout;
    m_chips->setSpacing(scaledPixels(6));
    line->addLayout(m_chips);
    auto* const add = new QToolButton(head);
    add->setText(tr("+ filter"));
    add->setToolTip(tr("Filter by name, lane, argument, duration or rank"));
    add->setProperty("link", true);
    add->setFocusPolicy(Qt::NoFocus);
    connect(add, &QToolButton::clicked, this, &SearchPanel::showFilters);
    line->addWidget(add);
    line->addStretch(1);
    const auto step = [&](const QString& text, bool isForward) {
        auto* const button = new QPushButton(text, head);
        button->setFocusPolicy(Qt::NoFocus);
        button->setProperty("toggle", true);
        button->setToolTip(isForward ? tr("Enter") : tr("Shift+Enter"));
        connect(button, &QPushButton::clicked, this, [this, isForward] { emit stepRequested(isForward); });
        line->addWidget(button);
    };
    step(tr("Previous"), false);
    step(tr("Next"), true);
    return head;
}

void SearchPanel::showFilters()
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::vector<std::pair<QString, QString>> filters{{tr("Slice name"), "name:"},
                                                           {tr("Lane path"), "lane:"},
                                                           {tr("Argument (read from the files)"), "arg:"},
                                                           {tr("Ranks, for example 0-15,32"), "rank:"},
                                                           {tr("Longer than, for example 200us"), "dur>"},
                                                           {tr("Shorter than"), "dur<"}};
    for (const auto& [words, key] : filters) {
        menu->addAction(key + "   " + words, this, [this, begun = key] {
            emit textRequested(m_text.trimmed() + (m_text.trimmed().isEmpty() ? "" : " ") + begun);
        });
    }
    menu->popup(QCursor::pos());
}

void SearchPanel::setQuery(const QString& text, const EventQuery& query, const QString& error)
{
    m_text = text;
    fillChips(query);
    m_message->setText(error);
    m_message->setVisible(!error.isEmpty());
    const auto matcher = EventMatcher::make(query);
    m_table->setMatched(matcher ? matcher->names() : std::vector<TextMatcher>());
}

// Creates a chip for each clause that is not just a word. A click on the chip removes the clause from the
// text.
void SearchPanel::fillChips(const EventQuery& query)
{
    while (QLayoutItem* const item = m_chips->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const EventClause& clause : query.clauses) {
        if (clause.isBare) continue;
        auto* const chip = new QToolButton(this);
        const QString text = QString::fromStdString(eventClauseText(clause, query.switches));
        const QString shown = text.size() > 28 ? text.left(26) + QChar(0x2026) : text;
        chip->setText(QString(shown).replace("&", "&&") + QString("  \u00D7"));
        chip->setProperty("chip", true);
        chip->setProperty("clause", text);
        chip->setToolTip(tr("Remove %1").arg(text));
        chip->setAccessibleName(tr("Remove %1").arg(text));
        chip->setFocusPolicy(Qt::NoFocus);
        connect(chip, &QToolButton::clicked, this, [this, clause] {
            emit textRequested(QString::fromStdString(withoutClause(m_text.toStdString(), clause)));
        });
        m_chips->addWidget(chip);
    }
}

QStringList SearchPanel::chips() const
{
    QStringList out;
    for (int i = 0; i < m_chips->count(); ++i)
        out << m_chips->itemAt(i)->widget()->property("clause").toString();
    return out;
}

void SearchPanel::setFound(const std::shared_ptr<const SceneSearch>& found)
{
    m_table->setList(found != nullptr ? found->slices() : nullptr);
    m_footer->clear();
    m_table->setVisible(found != nullptr && found->sliceCount() > 0);
    m_ranks->clear();
    m_ranks->hide();
    if (found != nullptr) updateFooter(*found);
}

void SearchPanel::updateFooter(const SceneSearch& found)
{
    if (found.count() == 0 && found.hits()->unreadCount() == 0)
        return m_footer->setText(
            tr("No matches. All words must occur in the same name, and all filters must match."));
    if (found.isPartial())
        return m_footer->setText(tr("First %1 hits; counting\u2026").arg(found.sliceCount()));
    constexpr size_t kMaxRanks = 24;
    const Scene& scene = *found.slices()->scene();
    const std::vector<RankHits> ranks = hitsByRank(scene, *found.hits());
    const auto hasRank = [](const RankHits& hits) { return hits.rank.has_value(); };
    const auto counted = std::ranges::count_if(ranks, hasRank);
    const uint64_t slices = found.sliceCount();
    QStringList texts{"<b>" + (slices == 1 ? tr("1 hit") : tr("%1 hits").arg(grouped(slices))) + "</b>"};
    if (counted > 0) texts << tr("on %n rank(s)", nullptr, static_cast<int>(counted));
    if (const uint64_t lanes = found.count() - slices; lanes > 0)
        texts << tr("%n matching lane(s)", nullptr, static_cast<int>(lanes));
    if (found.hits()->unreadCount() > 0) {
        texts << tr("slices not searched: %1 (%2)")
                     .arg(grouped(found.hits()->unreadCount()),
                          QString::fromStdString(found.hits()->unreadReason()).toHtmlEscaped());
    }
    if (!m_hiddenNames.isEmpty()) texts << tr("slices hidden in the lanes are included");
    texts << tr("Ctrl+Enter: select all") << tr("Alt+Enter: show in Events");
    m_footer->setText(texts.join(" \u00B7 "));
    QStringList parts;
    for (const RankHits& hits : ranks) {
        if (parts.size() == kMaxRanks) {
            parts << tr("and %1 more").arg(ranks.size() - kMaxRanks);
            break;
        }
        parts << (hits.rank ? tr("rank %1: %2").arg(QString::number(*hits.rank), grouped(hits.count))
                            : tr("no rank: %1").arg(grouped(hits.count)));
    }
    m_ranks->setText(parts.join("   "));
    m_ranks->setVisible(ranks.size() > 1);
}

void SearchPanel::setProgress(std::optional<double> fraction)
{
    m_progress->setVisible(fraction.has_value());
    m_stop->setVisible(fraction.has_value());
    if (fraction) m_progress->setValue(static_cast<int>(*fraction * 100));
}

void SearchPanel::setTheme(const Theme& theme)
{
    m_table->setTheme(theme);
}

// Watches the siblings in the window, because one of them may be raised while the panel is open, for example
// a dock whose tab becomes current.
void SearchPanel::showEvent(QShowEvent* event)
{
    QFrame::showEvent(event);
    parentWidget()->installEventFilter(this);
    for (QWidget* const each :
         parentWidget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (each != this) each->installEventFilter(this); // repeated calls have no effect
    }
}

bool SearchPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ChildPolished && watched == parentWidget()) {
        QObject* const child = static_cast<QChildEvent*>(event)->child();
        if (child->isWidgetType() && child != this) child->installEventFilter(this);
    }
    const bool isCovered = event->type() == QEvent::ZOrderChange && watched != parentWidget();
    // Queued, because a dock can make its tab current only while the dock itself is topmost.
    if (isCovered && isVisible())
        QMetaObject::invokeMethod(
            this, [this] { raise(); }, Qt::QueuedConnection);
    return QFrame::eventFilter(watched, event);
}

// Uses the available height, up to a limit; without rows, a smaller limit.
void SearchPanel::placeBelow(const QWidget& field)
{
    const QWidget* const window = parentWidget();
    const QPoint corner = field.mapTo(window, QPoint(0, field.height() + scaledPixels(4)));
    const int width = std::max(field.width(), scaledPixels(480));
    const int left = std::max(0, corner.x() + field.width() - width);
    const int room = window->height() - corner.y() - scaledPixels(40);
    const int full = std::clamp(room, scaledPixels(160), scaledPixels(408));
    setGeometry(left, corner.y(), width, m_table->isHidden() ? std::min(full, scaledPixels(110)) : full);
    raise();
}

} // namespace lockstep
