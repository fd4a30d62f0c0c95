// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/changes_panel.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/analysis/comparison.h"
#include "core/base/text.h"
#include "ui/compare/length_view.h"
#include "ui/panels/segments.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

ChangesPanel::ChangesPanel(Workers workers, QWidget* parent)
    : Panel("Changes", {.help = "compare"}, parent), m_model(new ChangeModel(this)),
      m_rowsJob([this](Result<std::shared_ptr<const ChangedRows>> made) { takeRows(std::move(made)); },
                workers),
      m_factsJob([this](Result<std::shared_ptr<const Facts>> made) { applyFacts(std::move(made)); }, workers)
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(makeBody(), 1);
    connect(m_by, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) startRows();
    });
    connect(m_find, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_view->setTextFilter(text);
        showFooter({});
    });
    connect(m_view, &TableView::tableRowActivated, this, &ChangesPanel::jump);
    connect(m_view, &TableView::tableRowNavigated, this, &ChangesPanel::jump);
    connect(m_view, &TableView::summaryChanged, this, &ChangesPanel::summaryChanged);
}

ChangesPanel::~ChangesPanel() = default;

QWidget* ChangesPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(8));
    m_stripe = new QWidget(bar);
    m_stripe->setFixedSize(scaledPixels(3), scaledPixels(16));
    m_note = new QLabel(bar);
    m_note->setObjectName("comparability");
    m_note->setTextFormat(Qt::PlainText);
    m_note->setProperty("small", true);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_allFacts = new QToolButton(bar);
    m_allFacts->setText(tr("Show all"));
    m_allFacts->setProperty("link", true);
    m_allFacts->setPopupMode(QToolButton::InstantPopup);
    m_allFacts->setMenu(new QMenu(m_allFacts));
    line->addWidget(m_stripe);
    line->addWidget(m_note, 1);
    line->addWidget(m_allFacts);
    m_by = addSegments(*line, bar, {tr("Kernels"), tr("Phases"), tr("Ranks")},
                       {tr("Total time per kernel, by base name"), tr("Phases and GPU work per step"),
                        tr("GPU busy time per rank")});
    m_find = new QLineEdit(bar);
    m_find->setPlaceholderText(tr("Find in table"));
    m_find->setAccessibleName(tr("Find in changes"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(180));
    line->addWidget(m_find);
    return bar;
}

QWidget* ChangesPanel::makeBody()
{
    auto* const body = new QSplitter(this);
    body->setHandleWidth(1);
    body->setChildrenCollapsible(false);
    auto* const left = new QWidget(body);
    auto* const column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_view = new TableView(left);
    m_view->setAccessibleName(tr("Changes"));
    m_delegate = new ChangeDelegate(m_view, *m_model);
    m_view->setCellDelegate(m_delegate);
    m_view->setKeepsRow(true);
    m_view->setTable(m_model);
    m_view->setStretchColumn(ChangeModel::name);
    m_footer = new QLabel(left);
    m_footer->setObjectName("changeFoot");
    m_footer->setProperty("muted", true);
    m_footer->setTextFormat(Qt::PlainText);
    m_footer->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_footer->setContentsMargins(scaledPixels(12), scaledPixels(3), scaledPixels(12), scaledPixels(4));
    column->addWidget(m_view, 1);
    column->addWidget(m_footer);
    m_length = new LengthView(body);
    body->addWidget(left);
    body->addWidget(m_length);
    body->setStretchFactor(0, 1);
    body->setStretchFactor(1, 0);
    return body;
}

void ChangesPanel::setHalves(std::shared_ptr<const ComparedSides> halves)
{
    m_halves = std::move(halves);
    outdate();
}

void ChangesPanel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_model->setTheme(theme);
    m_delegate->setBarTheme(theme);
    m_view->setTheme(theme);
    m_length->setTheme(theme);
    m_stripe->setStyleSheet(QString("background: %1").arg((m_isWarning ? theme.warn : theme.good).name()));
}

ChangedSide ChangesPanel::side(size_t half) const
{
    const ComparedSide& of = m_halves->sides[half];
    const bool isStep = of.step || m_halves->sides[1 - half].step;
    const std::vector<StepPair>& steps = m_halves->pairs.steps;
    ChangedSide out{of.scene, of.step, isStep ? std::optional(of.range) : std::nullopt};
    // If no step is chosen for a side, it uses the step that is paired with the other side's step.
    if (isStep && !steps.empty()) out.step = half == 0 ? steps.front().a : steps.front().b;
    return out;
}

void ChangesPanel::rebuild()
{
    startRows();
    m_factsJob.cancel();
    if (m_halves == nullptr) return;
    m_length->setChange(std::nullopt, {}, {}, tr("Computing the critical path \u2026"));
    m_factsJob.start(
        [a = side(0), b = side(1)](const Progress& progress) -> Result<std::shared_ptr<const Facts>> {
            auto facts = std::make_shared<Facts>();
            facts->differences = differencesOf(a.scene->shown, b.scene->shown);
            facts->length = lengthChange(a, b, LengthView::kParts, progress);
            LOCKSTEP_TRY(progress.check());
            return facts;
        });
}

void ChangesPanel::startRows()
{
    m_rowsJob.cancel();
    if (m_halves == nullptr) {
        m_rows.reset();
        m_model->setRows(nullptr);
        return;
    }
    const auto by = static_cast<ChangesBy>(m_by->checkedId());
    m_rowsJob.start([a = side(0), b = side(1),
                     by](const Progress& progress) -> Result<std::shared_ptr<const ChangedRows>> {
        return std::make_shared<const ChangedRows>(LOCKSTEP_TRY(changedRows(by, a, b, progress)));
    });
}

void ChangesPanel::takeRows(Result<std::shared_ptr<const ChangedRows>> made)
{
    m_rows = made ? *made : nullptr;
    m_model->setRows(m_rows);
    m_view->sortByColumn(ChangeModel::change, Qt::DescendingOrder);
    m_view->fitColumns();
    showFooter(made ? QString() : QString::fromStdString(made.error().message));
}

void ChangesPanel::applyFacts(Result<std::shared_ptr<const Facts>> made)
{
    if (m_halves == nullptr) return;
    const bool hasLength = made && (*made)->length;
    const QString hint = hasLength ? tr("No critical path: on one side, no step ends with device work.")
                         : made    ? QString::fromStdString((*made)->length.error().message)
                                   : QString::fromStdString(made.error().message);
    m_length->setChange(hasLength ? std::optional(*(*made)->length) : std::nullopt,
                        QString::fromStdString(m_halves->sides[0].title),
                        QString::fromStdString(m_halves->sides[1].title), hint);
    m_allFacts->menu()->clear();
    QStringList facts;
    if (made)
        for (const std::string& difference : (*made)->differences)
            facts << QString::fromStdString(difference);
    for (const QString& fact : facts)
        m_allFacts->menu()->addAction(QString(fact).replace('&', "&&"))->setEnabled(false);
    m_isWarning = !facts.isEmpty();
    m_note->setText(!made             ? QString::fromStdString(made.error().message)
                    : facts.isEmpty() ? tr("Comparable. The recorded configurations do not differ.")
                                      : tr("Compare with caution. Differences: %1").arg(facts.join("; ")));
    m_note->setToolTip(facts.join('\n'));
    m_allFacts->setVisible(facts.size() > 1);
    setTheme(*m_theme);
}

void ChangesPanel::showFooter(const QString& hint)
{
    if (m_rows == nullptr) return m_footer->setText(hint);
    constexpr int64_t kMinCounted_ns = 1'000;
    const auto number = [](qsizetype n) { return QString::fromStdString(groupedText(n)); };
    qsizetype changed = 0;
    for (const ChangedRow& row : m_rows->rows)
        changed += std::abs(row.change_ns()) > kMinCounted_ns ? 1 : 0;
    const auto all = static_cast<qsizetype>(m_rows->rows.size());
    if (all == 0)
        return m_footer->setText(m_by->checkedId() == 0 ? tr("No kernels on either side")
                                                        : tr("No steps and no GPU work on either side"));
    QString text = tr("%1 of %2 names changed by more than 1 \u00B5s").arg(number(changed), number(all));
    if (m_view->shownRows() < all) text += tr("; %1 shown").arg(number(m_view->shownRows()));
    m_footer->setText(text + " \u00B7 " + QString::fromStdString(m_rows->rule));
    m_footer->setToolTip(m_footer->text());
}

void ChangesPanel::jump(int row)
{
    const ChangedRow* const at = m_model->rowAt(row);
    if (at != nullptr && (at->longestBefore.isValid() || at->longestAfter.isValid()))
        emit jumpRequested(at->longestBefore, at->longestAfter);
}

QString ChangesPanel::note() const
{
    return m_note->text();
}

QString ChangesPanel::foot() const
{
    return m_footer->text();
}

} // namespace lockstep
