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
    m_hint->setText(tr("No reports. Once some are open, their run, host, role, rank and step are listed and "
                       "corrected here."));
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
    add(tr("Take back"), tr("Forget what was said by hand in the selected cells (Delete)"),
        [this] { m_view->takeBack(); });
    add(tr("Import\u2026"),
        tr("Read a CSV with the columns path, run, host, role, rank, local_rank, step, stage"),
        [this] { emit importRequested(); });
    add(tr("Export\u2026"), tr("Write what is known as such a CSV; lockstep --identity reads it too"),
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
    QString text = tr("%1 reports").arg(rows);
    for (const char* part : {QT_TR_NOOP("role"), QT_TR_NOOP("rank"), QT_TR_NOOP("step")}) {
        const size_t unknown = m_model->unknownCount(part);
        if (unknown > 0) text += tr(" \u00B7 %1 of unknown %2").arg(unknown).arg(tr(part));
    }
    m_count->setText(text + tr(" \u00B7 <b>set by hand</b>, stated, <i>inferred from names</i>"));
    if (rows != before) m_view->fitColumns();
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
