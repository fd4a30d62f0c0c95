// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_page.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>

#include "ui/style/style_sheet.h"

namespace lockstep {

SettingsPage::SettingsPage(std::span<const Setting> settings, QWidget* parent)
    : QWidget(parent), m_search(new QLineEdit(this)), m_groups(new QListWidget(this)),
      m_scroll(new QScrollArea(this)), m_error(new QLabel(this)), m_none(new QLabel(this)),
      m_file(new QLabel(this)), m_resetAll(new QPushButton(tr("Reset all"), this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    setFocusProxy(m_search);
    auto* const content = new QWidget;
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(scaledPixels(20), scaledPixels(6), scaledPixels(24), scaledPixels(20));
    column->setSpacing(0);
    for (auto begin = settings.begin(); begin != settings.end();) {
        const auto end = std::find_if(begin, settings.end(),
                                      [&](const Setting& other) { return other.group != begin->group; });
        addGroup(*column, begin->group, {begin, end});
        begin = end;
    }
    m_none->setText(tr("No matching settings."));
    m_none->setProperty("muted", true);
    m_none->hide();
    column->addWidget(m_none);
    column->addStretch(1);
    content->setMaximumWidth(scaledPixels(980));
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(content);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    content->setAutoFillBackground(false);
    m_groups->setProperty("views", true);
    m_groups->setSpacing(scaledPixels(4));
    m_groups->setFixedWidth(scaledPixels(170));
    m_groups->setAccessibleName(tr("Groups of settings"));
    auto* const below = new QHBoxLayout;
    below->setSpacing(0);
    below->addWidget(m_groups);
    below->addWidget(m_scroll, 1);
    auto* const page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(makeHeader());
    page->addLayout(below, 1);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsPage::filter);
    connect(m_groups, &QListWidget::itemActivated, m_scroll, [this] { m_scroll->setFocus(); });
    connect(m_groups, &QListWidget::currentTextChanged, this, [this](const QString& group) {
        if (const auto found = m_sections.find(group); found != m_sections.end())
            m_scroll->verticalScrollBar()->setValue(found->second->y());
    });
    connect(m_resetAll, &QPushButton::clicked, this, &SettingsPage::resetAllRequested);
}

QWidget* SettingsPage::makeHeader()
{
    auto* const header = new QWidget(this);
    header->setProperty("panel", true);
    header->setProperty("notice", true); // a line is drawn below the heading
    header->setAttribute(Qt::WA_StyledBackground);
    auto* const column = new QVBoxLayout(header);
    column->setContentsMargins(scaledPixels(18), scaledPixels(10), scaledPixels(18), scaledPixels(10));
    auto* const line = new QHBoxLayout;
    line->setSpacing(scaledPixels(12));
    auto* const title = new QLabel(tr("Settings"), header);
    title->setProperty("strong", true);
    m_search->setPlaceholderText(tr("Find a setting"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(scaledPixels(340));
    m_file->setProperty("muted", true);
    m_file->setTextFormat(Qt::PlainText);
    m_file->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_file->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_resetAll->setToolTip(tr("Restore the default settings and keys; recent files are kept"));
    line->addWidget(title);
    line->addWidget(m_search, 1);
    line->addWidget(m_file, 1);
    line->addWidget(m_resetAll);
    column->addLayout(line);
    m_error->setProperty("tone", "bad");
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    m_error->hide();
    column->addWidget(m_error);
    return header;
}

void SettingsPage::addGroup(QVBoxLayout& column, const QString& group, std::span<const Setting> settings)
{
    auto* const section = new QWidget;
    auto* const rows = new QVBoxLayout(section);
    rows->setContentsMargins(0, scaledPixels(14), 0, 0);
    rows->setSpacing(0);
    auto* const caption = new QLabel(group.toUpper(), section);
    caption->setProperty("caption", true);
    rows->addWidget(caption);
    for (const Setting& setting : settings) {
        auto* const row = new SettingRow(setting, section);
        rows->addWidget(row);
        m_rows.push_back(row);
        const QString key = setting.name();
        connect(row, &SettingRow::changeRequested, this,
                [this, key](const QVariant& value) { emit changeRequested(key, value); });
        connect(row, &SettingRow::resetRequested, this, [this, key] { emit resetRequested(key); });
    }
    column.addWidget(section);
    m_sections[group] = section;
    m_groups->addItem(group);
}

SettingRow* SettingsPage::row(const QString& key) const
{
    const auto keeps = [&](const SettingRow* row) { return row->setting().keys.contains(key); };
    const auto found = std::ranges::find_if(m_rows, keeps);
    return found == m_rows.end() ? nullptr : *found;
}

void SettingsPage::goTo(const QString& key)
{
    SettingRow* const target = row(key);
    if (target == nullptr) return;
    m_search->clear();
    if (target->control() != nullptr) target->control()->setFocus(Qt::ShortcutFocusReason);
    // Deferred until after the layout, because a page that was never shown has none yet.
    QTimer::singleShot(0, target, [this, target] {
        m_scroll->verticalScrollBar()->setValue(target->mapTo(m_scroll->widget(), QPoint()).y() -
                                                scaledPixels(30));
    });
}

void SettingsPage::filter()
{
    const QStringList words = m_search->text().split(' ', Qt::SkipEmptyParts);
    bool isAny = false;
    for (auto& [group, section] : m_sections) {
        bool isAnyHere = false;
        for (SettingRow* const row : m_rows) {
            if (row->parentWidget() != section) continue;
            row->setVisible(row->has(words));
            isAnyHere = isAnyHere || row->has(words);
        }
        section->setVisible(isAnyHere);
        for (QListWidgetItem* const item : m_groups->findItems(group, Qt::MatchExactly))
            item->setHidden(!isAnyHere);
        isAny = isAny || isAnyHere;
    }
    m_none->setVisible(!isAny);
    m_scroll->verticalScrollBar()->setValue(0);
}

void SettingsPage::setError(const QString& sentence)
{
    m_error->setText(sentence);
    m_error->setVisible(!sentence.isEmpty());
}

QString SettingsPage::trouble() const
{
    return m_error->isHidden() ? QString() : m_error->text();
}

void SettingsPage::setFile(const QString& path)
{
    m_file->setText(path);
    m_file->setToolTip(path);
}

void SettingsPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
    } else if (event->key() == Qt::Key_Escape) {
        emit dismissed();
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace lockstep
