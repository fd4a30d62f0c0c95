#include "ui/panels/notes_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

NotesPanel::NotesPanel(QWidget* parent)
    : QWidget(parent), m_hint(new QLabel(this)), m_count(new QLabel(this)), m_bar(new QWidget(this)),
      m_find(new QLineEdit(this)), m_model(new NotesModel(this)), m_view(new TableView(this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_hint->setText("No notes. Rows that make no sense, files cut short and files passed over are listed here.");
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_count->setProperty("muted", true);
    m_find->setPlaceholderText("Find in notes");
    m_find->setAccessibleName("Find in notes");
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(240));
    auto* const bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    bar->addWidget(m_count);
    bar->addStretch(1);
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
    m_view->setAccessibleName("Notes of opening");
    connect(m_view, &TableView::summaryChanged, this, &NotesPanel::summaryChanged);
    connect(m_find, &QLineEdit::textChanged, this, [this](const QString& text) { m_view->setTextFilter(text); });
    setRows({});
}

void NotesPanel::setRows(std::vector<NoteRow> rows)
{
    const auto losses = std::ranges::count_if(
        rows, [](const NoteRow& row) { return row.isFailure || row.severity == NoteSeverity::dataLoss; });
    m_count->setText(losses == 0 ? QString("%1 notes").arg(rows.size())
                                 : QString("%1 notes, %2 of them about missing data").arg(rows.size()).arg(losses));
    m_hint->setVisible(rows.empty());
    m_view->setVisible(!rows.empty());
    m_bar->setVisible(!rows.empty());
    m_model->setRows(std::move(rows));
    m_view->fitColumns();
}

void NotesPanel::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_view->setTheme(theme);
}

} // namespace lockstep
