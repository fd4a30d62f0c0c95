// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/start_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/help/help_link.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxRecent = 6; // maximum number of recent paths of each kind

// Returns a card-sized button with a heading and a sentence.
QPushButton* makeCard(const QString& heading, const QString& sentence, QWidget* parent)
{
    auto* const card = new QPushButton(parent);
    card->setProperty("card", true);
    card->setMinimumSize(scaledPixels(170), scaledPixels(124));
    card->setMaximumSize(scaledPixels(270), scaledPixels(150));
    card->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    card->setCursor(Qt::PointingHandCursor);
    card->setAccessibleName(heading);
    card->setAccessibleDescription(sentence);
    auto* const column = new QVBoxLayout(card);
    column->setContentsMargins(scaledPixels(18), scaledPixels(16), scaledPixels(18), scaledPixels(14));
    column->setSpacing(scaledPixels(6));
    auto* const title = new QLabel(heading, card);
    title->setProperty("strong", true);
    auto* const text = new QLabel(sentence, card);
    text->setProperty("muted", true);
    text->setWordWrap(true);
    for (QLabel* label : {title, text}) {
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
        column->addWidget(label);
    }
    column->addStretch(1);
    return card;
}

QPushButton* makeLink(const QString& text, QWidget* parent)
{
    auto* const link = new QPushButton(text, parent);
    link->setProperty("flat", true);
    link->setCursor(Qt::PointingHandCursor);
    return link;
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), m_recent(new QWidget(this)), m_recentRows(new QVBoxLayout(m_recent)),
      m_message(new QLabel(this)), m_templates(new QWidget(this)), m_help(new HelpLink(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* const title = new QLabel("Lockstep", this);
    title->setProperty("title", true);
    auto* const subtitle = new QLabel(tr("Every rank and step of a distributed run on one time axis."), this);
    subtitle->setProperty("muted", true);
    QPushButton* const open =
        makeCard(tr("Open reports"),
                 tr("Nsight Systems reports (.nsys-rep, .sqlite) and PyTorch traces (.json, .gz, .zst). "
                    "You can also drop them here."),
                 this);
    QPushButton* const folder = makeCard(
        tr("Open a folder"),
        tr("Opens all reports in a folder, recognized by content. Other files are listed in Import notes."),
        this);
    QPushButton* const session = makeCard(
        tr("Set up a session"),
        tr("Get the exact commands for a training framework or any program, and see what they will record."),
        this);
    QPushButton* const demo = makeCard(
        tr("Run the demo"),
        tr("Runs four ranks on this machine, watches them live, and collects and aligns their reports."),
        this);
    m_message->setProperty("tone", "bad");
    m_message->setWordWrap(true);
    m_message->hide();
    new QHBoxLayout(m_templates);
    m_templates->layout()->setContentsMargins(0, scaledPixels(8), 0, 0);
    connect(m_help, &HelpLink::helpRequested, this, &StartPage::helpRequested);
    auto* const cards = new QHBoxLayout;
    cards->setSpacing(scaledPixels(14));
    for (QPushButton* card : {open, folder, session, demo})
        cards->addWidget(card);
    cards->addStretch(0);
    auto* const block = new QVBoxLayout;
    block->setSpacing(scaledPixels(4));
    block->addStretch(2);
    block->addWidget(title);
    block->addWidget(subtitle);
    block->addSpacing(scaledPixels(18));
    block->addLayout(cards);
    block->addWidget(m_templates);
    block->addWidget(m_message);
    block->addWidget(m_help, 0, Qt::AlignLeft);
    block->addSpacing(scaledPixels(20));
    block->addWidget(m_recent);
    block->addStretch(3);
    m_recentRows->setContentsMargins(0, 0, 0, 0);
    m_recentRows->setSpacing(0);
    scrollable(block);
    connect(open, &QPushButton::clicked, this, &StartPage::openFilesRequested);
    connect(folder, &QPushButton::clicked, this, &StartPage::openFolderRequested);
    connect(session, &QPushButton::clicked, this, &StartPage::sessionRequested);
    connect(demo, &QPushButton::clicked, this, &StartPage::demoRequested);
    setRecent({}, {}, {});
}

// Puts the block into a scroll area, so that in a low window the block scrolls and is not squeezed.
void StartPage::scrollable(QLayout* block)
{
    auto* const content = new QWidget;
    auto* const line = new QHBoxLayout(content);
    line->setContentsMargins(scaledPixels(20), scaledPixels(12), scaledPixels(20), scaledPixels(12));
    line->addStretch(1);
    line->addLayout(block, 8);
    line->addStretch(1);
    auto* const scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    scroll->viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
    auto* const page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->addWidget(scroll);
}

void StartPage::setMessage(const QString& text, HelpTopic help)
{
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_help->setTopic(help);
}

void StartPage::setTemplates(const QList<std::pair<QString, QString>>& templates)
{
    auto* const line = static_cast<QHBoxLayout*>(m_templates->layout());
    line->setSpacing(scaledPixels(4));
    auto* const caption = new QLabel(tr("Sample sessions:"), m_templates);
    caption->setProperty("muted", true);
    line->addWidget(caption);
    for (const auto& [label, name] : templates) {
        QPushButton* const link = makeLink(label, m_templates);
        link->setToolTip(tr("Open the Session page with this sample"));
        line->addWidget(link);
        connect(link, &QPushButton::clicked, this, [this, one = name] { emit templateRequested(one); });
    }
    line->addStretch(1);
}

void StartPage::setRecent(const std::vector<std::filesystem::path>& workspaces,
                          const std::vector<std::filesystem::path>& reports,
                          const std::set<std::filesystem::path>& missing)
{
    while (QLayoutItem* const item = m_recentRows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_recent->setVisible(!workspaces.empty() || !reports.empty());
    addRecent(tr("RECENT WORKSPACES"), workspaces, missing);
    addRecent(tr("RECENT REPORTS"), reports, missing);
}

void StartPage::addRecent(const QString& heading, const std::vector<std::filesystem::path>& paths,
                          const std::set<std::filesystem::path>& missing)
{
    if (paths.empty()) return;
    auto* const caption = new QLabel(heading, m_recent);
    caption->setProperty("caption", true);
    caption->setContentsMargins(0, m_recentRows->isEmpty() ? 0 : scaledPixels(10), 0, scaledPixels(4));
    m_recentRows->addWidget(caption);
    for (size_t i = 0; i < std::min(paths.size(), kMaxRecent); ++i) {
        const bool isThere = !missing.contains(paths[i]);
        QPushButton* const link = makeLink(QString::fromStdString(paths[i].filename().string()), m_recent);
        link->setToolTip(QString::fromStdString(paths[i].string()));
        link->setEnabled(isThere);
        auto* const where = new QLabel(m_recent);
        where->setProperty("muted", true);
        const QString folder = QString::fromStdString(paths[i].parent_path().string());
        where->setText(where->fontMetrics().elidedText(isThere ? folder : tr("%1 (not found)").arg(folder),
                                                       Qt::ElideMiddle, scaledPixels(420)));
        where->setToolTip(folder);
        auto* const line = new QWidget(m_recent);
        auto* const row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(scaledPixels(10));
        row->addWidget(link);
        row->addWidget(where);
        row->addStretch(1);
        m_recentRows->addWidget(line);
        connect(link, &QPushButton::clicked, this, [this, path = paths[i]] { emit recentRequested(path); });
    }
}

} // namespace lockstep
