// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/compare_bar.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/panels/segments.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kMaxNameWidth = 240; // pixels at scale 1

QPushButton* addBarButton(QHBoxLayout& line, const char* name, const QString& text, const QString& tooltip)
{
    auto* const made = new QPushButton(text);
    made->setObjectName(name);
    made->setProperty("toggle", true);
    made->setToolTip(tooltip);
    line.addWidget(made);
    return made;
}

} // namespace

CompareBar::CompareBar(QWidget* parent) : QWidget(parent)
{
    setAttribute(Qt::WA_StyledBackground);
    setProperty("page", true);
    setAccessibleName(tr("Comparison"));
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(8), scaledPixels(4));
    line->setSpacing(scaledPixels(8));
    for (int i = 0; i < 2; ++i) {
        m_tags[i] = new QLabel(i == 0 ? "A" : "B", this);
        m_tags[i]->setAlignment(Qt::AlignCenter);
        m_names[i] = new QPushButton(this);
        m_names[i]->setProperty("crumb", true);
        m_names[i]->setObjectName(i == 0 ? "sideA" : "sideB");
        connect(m_names[i], &QPushButton::clicked, this, &CompareBar::choiceRequested);
        if (i == 1) {
            auto* const with = new QLabel(tr("vs."), this);
            with->setProperty("muted", true);
            line->addWidget(with);
        }
        line->addWidget(m_tags[i]);
        line->addWidget(m_names[i]);
    }
    line->addSpacing(scaledPixels(12));
    m_by = new QLabel(tr("Align by"), this);
    m_by->setProperty("muted", true);
    line->addWidget(m_by);
    m_rules = addSegments(*line, this, {tr("step"), tr("collective"), tr("time")},
                          {tr("Align the panes at step starts"),
                           tr("Align the panes at the starts of collectives that occur on both sides"),
                           tr("Align the panes at the starts of the compared ranges")});
    m_notes = new QToolButton(this);
    m_notes->setObjectName("compareNotes");
    m_notes->setProperty("link", true);
    m_notes->setPopupMode(QToolButton::InstantPopup);
    m_notes->setMenu(new QMenu(m_notes));
    line->addWidget(m_notes);
    line->addStretch(1);
    m_sameZoom = new QCheckBox(tr("Sync zoom"), this);
    m_sameZoom->setToolTip(tr("Show the same time span in both panes"));
    line->addWidget(m_sameZoom);
    m_swap = addBarButton(*line, "swap", tr("Swap"), tr("Swap A and B"));
    m_link = addBarButton(*line, "link", tr("Unlink"), tr("Link or unlink scrolling and zoom of the panes"));
    m_close = addBarButton(*line, "close", tr("Close"), tr("Close the comparison"));
    connect(m_rules, &QButtonGroup::idClicked, this,
            [this](int id) { emit couplingChosen(static_cast<CouplingRule>(id)); });
    connect(m_sameZoom, &QCheckBox::toggled, this, &CompareBar::sameZoomToggled);
    connect(m_swap, &QPushButton::clicked, this, &CompareBar::swapRequested);
    connect(m_link, &QPushButton::clicked, this, [this] { emit linkRequested(!m_isLinked); });
    connect(m_close, &QPushButton::clicked, this, &CompareBar::closeRequested);
    setTheme(lightTheme());
    showLinked(true, true);
}

void CompareBar::setTitles(const QString& a, const QString& b)
{
    m_titles[0] = a;
    m_titles[1] = b;
    for (int i = 0; i < 2; ++i) {
        m_names[i]->setToolTip(m_titles[i] + '\n' + tr("Click to choose what to compare"));
        m_names[i]->setAccessibleName(tr("%1: %2").arg(m_tags[i]->text(), m_titles[i]));
    }
    elide();
}

void CompareBar::elide()
{
    int others = layout()->sizeHint().width(); // width of everything except the names
    for (QPushButton* const name : m_names)
        others -= name->sizeHint().width();
    const int pads = scaledPixels(14);
    const int room = std::clamp((width() - others) / 2 - pads, scaledPixels(44), scaledPixels(kMaxNameWidth));
    for (int i = 0; i < 2; ++i) {
        const QFontMetrics metrics(m_names[i]->font());
        m_names[i]->setText(metrics.elidedText(m_titles[i], Qt::ElideMiddle, room).replace('&', "&&"));
    }
}

void CompareBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_by->setVisible(width() >= scaledPixels(900));
    elide();
}

void CompareBar::setNotes(const std::vector<std::string>& all)
{
    QStringList notes;
    for (const std::string& note : all)
        notes << QString::fromStdString(note);
    m_notes->menu()->clear();
    for (const QString& note : notes)
        m_notes->menu()->addAction(QString(note).replace('&', "&&"))->setEnabled(false);
    m_notes->setText(tr("%n note(s)", nullptr, static_cast<int>(notes.size())));
    m_notes->setToolTip(notes.join('\n'));
    m_notes->setAccessibleDescription(notes.join(". "));
    m_notes->setVisible(!notes.isEmpty());
}

void CompareBar::setTheme(const Theme& theme)
{
    m_theme = &theme;
    for (QLabel* const tag : m_tags)
        tag->setStyleSheet(QString("background: %1; color: %2; border-radius: 3px; font-weight: 600; "
                                   "padding: 0 %3px;")
                               .arg(theme.text.name(), theme.window.name())
                               .arg(scaledPixels(5)));
}

void CompareBar::showCoupling(CouplingRule rule, bool hasCollectives)
{
    m_rules->button(static_cast<int>(rule))->setChecked(true);
    QAbstractButton* const collective = m_rules->button(static_cast<int>(CouplingRule::collective));
    collective->setEnabled(hasCollectives);
    if (!hasCollectives) collective->setToolTip(tr("The two sides have no collective in common"));
}

void CompareBar::showLinked(bool isLinked, bool hasSameZoom)
{
    m_isLinked = isLinked;
    m_link->setText(isLinked ? tr("Unlink") : tr("Link"));
    const QSignalBlocker quiet(m_sameZoom);
    m_sameZoom->setChecked(hasSameZoom);
    m_sameZoom->setEnabled(isLinked);
}

CouplingRule CompareBar::coupling() const
{
    return static_cast<CouplingRule>(m_rules->checkedId());
}

} // namespace lockstep
