// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_card.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

LogCard::LogCard(QWidget* parent)
    : Card(tr("Log"), parent), m_view(new LogView(this)), m_hosts(new QComboBox(this)),
      m_search(new QLineEdit(this)), m_matches(new QLabel(this)), m_only(new QPushButton(this)),
      m_follow(new QPushButton(this)), m_wrap(new QPushButton(this))
{
    makeTools();
    lines()->addWidget(m_view, 1);
    m_view->setMinimumHeight(scaledPixels(150));
    connect(m_hosts, &QComboBox::currentIndexChanged, this, [this](int index) {
        updateQuery();
        emit hostChosen(index > 0 ? std::optional<size_t>(static_cast<size_t>(index) - 1) : std::nullopt);
    });
    connect(m_search, &QLineEdit::textChanged, this, &LogCard::updateQuery);
    connect(m_only, &QPushButton::toggled, this, &LogCard::updateQuery);
    connect(m_follow, &QPushButton::toggled, m_view, &LogView::setFollowing);
    connect(m_view, &LogView::followingChanged, m_follow, &QToolButton::setChecked);
    connect(m_wrap, &QPushButton::toggled, m_view, &LogView::setWrapping);
    connect(m_view, &LogView::matchesChanged, this, &LogCard::showMatches);
    show(nullptr, {});
}

void LogCard::makeTools()
{
    m_hosts->setAccessibleName(tr("Filter by host"));
    m_search->setPlaceholderText(tr("Search the log"));
    m_search->setAccessibleName(tr("Search the log"));
    m_search->setToolTip(tr("Enter: next match; Shift+Enter: previous match"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(scaledPixels(220));
    m_search->installEventFilter(this);
    m_matches->setProperty("muted", true);
    const auto toggle = [](QPushButton* button, const QString& text, const QString& tooltip) {
        button->setText(text);
        button->setToolTip(tooltip);
        button->setCheckable(true);
        button->setProperty("toggle", true);
    };
    toggle(m_only, tr("Only matches"), tr("Show only matching lines"));
    toggle(m_follow, tr("Follow"), tr("Keep the newest line in view"));
    toggle(m_wrap, tr("Wrap"), tr("Wrap long lines"));
    m_follow->setChecked(true);
    auto* const copy = new QToolButton(this);
    copy->setText(tr("Copy"));
    copy->setToolTip(tr("Copy the selected lines, or all listed lines if none are selected"));
    copy->setProperty("flat", true);
    connect(copy, &QToolButton::clicked, m_view, &LogView::copy);
    for (QWidget* tool :
         {static_cast<QWidget*>(m_hosts), static_cast<QWidget*>(m_search), static_cast<QWidget*>(m_matches),
          static_cast<QWidget*>(m_only), static_cast<QWidget*>(m_follow), static_cast<QWidget*>(m_wrap),
          static_cast<QWidget*>(copy)})
        header()->addWidget(tool);
}

void LogCard::show(const LogBuffer* buffer, const QStringList& hosts)
{
    m_buffer = buffer;
    const QSignalBlocker blocker(m_hosts);
    m_hosts->clear();
    m_hosts->addItem(tr("all hosts"));
    m_hosts->addItems(hosts);
    m_hosts->setVisible(hosts.size() > 1);
    m_view->setBuffer(buffer, hosts);
    updateQuery();
    refresh();
}

void LogCard::choose(std::optional<size_t> host)
{
    const QSignalBlocker blocker(m_hosts);
    m_hosts->setCurrentIndex(host ? static_cast<int>(*host) + 1 : 0);
    updateQuery();
}

void LogCard::goTo(size_t host, int64_t time_ns, std::string_view text)
{
    if (m_buffer == nullptr) return;
    m_search->clear();
    m_only->setChecked(false);
    choose(std::nullopt);
    if (const auto line = m_buffer->find(static_cast<uint32_t>(host), time_ns, text)) m_view->goTo(*line);
}

void LogCard::updateQuery()
{
    LogQuery query;
    if (m_hosts->currentIndex() > 0) query.host = static_cast<uint32_t>(m_hosts->currentIndex() - 1);
    query.text = m_search->text().toStdString();
    query.isFilter = m_only->isChecked();
    m_view->setQuery(query);
    showMatches();
}

void LogCard::refresh()
{
    m_view->refresh();
    const uint64_t forgotten = m_buffer == nullptr ? 0 : m_buffer->first();
    setRemark(
        forgotten == 0
            ? QString()
            : tr("earlier lines on disk: %1").arg(groupedText(static_cast<int64_t>(forgotten)).c_str()));
}

void LogCard::showMatches()
{
    m_matches->setVisible(!m_search->text().isEmpty());
    const size_t position = m_view->matchPosition(), count = m_view->matchCount();
    const QString total = QString::fromStdString(groupedText(static_cast<int64_t>(count)));
    m_matches->setText(count == 0     ? (m_view->isSearching() ? tr("searching") : tr("no match"))
                       : position > 0 ? tr("%1 of %2").arg(position).arg(total)
                                      : total);
}

bool LogCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            m_view->step(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_search->clear();
            return true;
        }
    }
    return Card::eventFilter(watched, event);
}

} // namespace lockstep
