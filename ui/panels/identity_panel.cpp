// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/identity_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/report_list.h"
#include "ui/panels/identity_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

IdentityPanel::IdentityPanel(const ReportList& list, QWidget* parent)
    : Panel("Identities", {.help = "identity"}, parent), m_list(list), m_model(new ReportIdentityModel(this)),
      m_hint(new QLabel(this)), m_count(new QLabel(this)), m_message(new QLabel(this)),
      m_view(new IdentityView(*m_model, this))
{
    setProperty("page", true);
    m_hint->setText(
        tr("No reports open. Open reports to review and edit their run, host, role, rank and step."));
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_message->setProperty("tone", "bad");
    m_message->setWordWrap(true);
    m_message->setContentsMargins(scaledPixels(8), 0, scaledPixels(8), scaledPixels(4));
    m_message->hide();
    m_bar = makeBar();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_message);
    column->addWidget(m_hint, 1);
    column->addWidget(m_view, 1);
    connect(m_model, &ReportIdentityModel::editRequested, this, &IdentityPanel::editRequested);
    connect(&list, &ReportList::changed, this, &IdentityPanel::outdate);
    rebuild();
}

QWidget* IdentityPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    m_count->setProperty("muted", true);
    m_count->setTextFormat(Qt::RichText);
    line->addWidget(m_count);
    line->addStretch(1);
    auto* const find = new QLineEdit(bar);
    find->setPlaceholderText(tr("Find in identities"));
    find->setAccessibleName(tr("Find in identities"));
    find->setClearButtonEnabled(true);
    find->setMaximumWidth(scaledPixels(220));
    line->addWidget(find, 1);
    connect(find, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_view->setTextFilter(text); });
    const auto add = [&](const QString& text, const QString& tooltip, auto&& run) {
        auto* const button = new QToolButton(bar);
        button->setText(text);
        button->setToolTip(tooltip);
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, run);
        line->addWidget(button);
    };
    add(tr("Revert"), tr("Revert your edits in the selected cells (Delete)"), [this] { m_view->rollBack(); });
    add(tr("Import\u2026"),
        tr("Read a CSV file with the columns path, run, host, role, rank, local_rank, step, stage"),
        [this] { emit importRequested(); });
    add(tr("Export\u2026"), tr("Write the identities as a CSV file, which lockstep --identity can also read"),
        [this] { emit exportRequested(); });
    return bar;
}

void IdentityPanel::rebuild()
{
    const int before = m_model->rowCount();
    m_model->setEntries(m_list.entries());
    const int rows = m_model->rowCount();
    m_hint->setVisible(rows == 0);
    m_view->setVisible(rows > 0);
    m_bar->setVisible(rows > 0);
    QStringList facts{tr("%n report(s)", nullptr, rows)};
    const auto addUnknown = [&](const char* part, const QString& text) {
        if (const size_t unknown = m_model->unknownCount(part); unknown > 0) facts << text.arg(unknown);
    };
    addUnknown("role", tr("unknown role: %1"));
    addUnknown("rank", tr("unknown rank: %1"));
    addUnknown("step", tr("unknown step: %1"));
    facts << tr("<b>edited</b>, from file, <i>inferred from name</i>");
    m_count->setText(facts.join(" \u00B7 "));
    if (rows != before) m_view->growColumns();
}

void IdentityPanel::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_view->setTheme(theme);
}

QString IdentityPanel::message() const
{
    return m_message->text();
}

void IdentityPanel::setMessage(const QString& text)
{
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
}

} // namespace lockstep
