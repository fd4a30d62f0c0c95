// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/notes_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/help/help_topics.h"
#include "ui/models/report_list.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

NotesPanel::NotesPanel(const ReportList& list, QWidget* parent)
    : Panel("Import notes", {.help = "open_reports"}, parent), m_list(list), m_hint(new QLabel(this)),
      m_bar(new QWidget(this)), m_find(new QLineEdit(this)),
      m_help(new QPushButton(tr("Help for this note"), this)), m_model(new NotesModel(this)),
      m_view(new TableView(this))
{
    m_help->setObjectName("help");
    setProperty("page", true);
    m_hint->setText(
        tr("No import notes. Invalid records, truncated files and skipped files are listed here."));
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_find->setPlaceholderText(tr("Find in import notes"));
    m_find->setAccessibleName(tr("Find in import notes"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(240));
    auto* const bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    for (size_t i = kNoteGravities; i-- > 0;) { // most severe first
        QPushButton* const button = m_switches[i] = new QPushButton(m_bar);
        button->setProperty("toggle", true);
        button->setCheckable(true);
        button->setChecked(true);
        button->setToolTip(tr("Show or hide these notes"));
        bar->addWidget(button);
        connect(button, &QPushButton::toggled, this, &NotesPanel::showRows);
    }
    bar->addStretch(1);
    m_help->setProperty("toggle", true); // makes the button as small as the switches
    m_help->setToolTip(tr("Open the help page for the selected import note"));
    m_help->setEnabled(false);
    bar->addWidget(m_help);
    bar->addWidget(m_find, 1);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_hint, 1);
    column->addWidget(m_view, 1);
    m_view->setTable(m_model);
    m_view->setStretchColumn(NotesModel::textColumn);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->setAccessibleName(tr("Import notes"));
    connect(m_view, &TableView::summaryChanged, this, &NotesPanel::summaryChanged);
    connect(m_find, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_view->setTextFilter(text); });
    connect(m_view, &TableView::currentTableRowChanged, this,
            [this] { m_help->setEnabled(!helpOfRow().isEmpty()); });
    connect(m_help, &QPushButton::clicked, this, [this] { emit helpRequested(helpOfRow()); });
    connect(&list, &ReportList::changed, this, &NotesPanel::outdate);
    rebuild();
}

void NotesPanel::rebuild()
{
    m_rows = noteRows(m_list.entries(), m_list.skippedFiles());
    m_hint->setVisible(m_rows.empty());
    m_view->setVisible(!m_rows.empty());
    m_bar->setVisible(!m_rows.empty());
    for (size_t i = 0; i < kNoteGravities; ++i) {
        const auto gravity = static_cast<NoteGravity>(i);
        const auto count = std::ranges::count(m_rows, gravity, gravityOf);
        m_switches[i]->setText(QString("%1  %2").arg(gravityText(gravity)).arg(count));
        m_switches[i]->setVisible(count > 0);
    }
    showRows();
}

void NotesPanel::showRows()
{
    std::vector<NoteRow> shown;
    std::ranges::copy_if(m_rows, std::back_inserter(shown),
                         [this](const NoteRow& row) { return severitySwitch(gravityOf(row))->isChecked(); });
    m_model->setRows(std::move(shown));
    m_view->growColumns();
    m_help->setEnabled(!helpOfRow().isEmpty());
}

QString NotesPanel::helpOfRow() const
{
    const int row = m_view->currentTableRow();
    if (row < 0 || row >= static_cast<int>(m_model->rows().size())) return {};
    return helpPageOf(m_model->rows()[static_cast<size_t>(row)].help);
}

void NotesPanel::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_view->setTheme(theme);
}

} // namespace lockstep
