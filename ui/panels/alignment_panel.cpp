// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/alignment_panel.h"

#include <algorithm>
#include <array>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/models/alignment_model.h"
#include "ui/panels/residual_chart.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

struct ModeText {
    AlignMode mode;
    const char* label;
    const char* tooltip;
};

constexpr std::array kModes{
    ModeText{
        AlignMode::automatic, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Automatic"),
        QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "The best method that each report's data supports")},
    ModeText{AlignMode::collectives, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Collectives"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel",
                               "Align by collective end times; reports that cannot be aligned are listed")},
    ModeText{AlignMode::host, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Host clocks"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel",
                               "Clocks shared within a host, wall clocks between hosts")},
    ModeText{AlignMode::wallclock, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Wall clocks"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "The wall-clock time recorded in each file")},
    ModeText{
        AlignMode::step, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Step starts at zero"),
        QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Align the start of the same step in all reports")},
    ModeText{AlignMode::marker, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Marker starts at zero"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel",
                               "Align all reports at the start of the same annotation")},
    ModeText{AlignMode::zero, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Every report at zero"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Align the starts of all reports")},
    ModeText{AlignMode::manual, QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Manual"),
             QT_TRANSLATE_NOOP("lockstep::AlignmentPanel", "Host clocks plus your manual offsets")},
};

constexpr int kFirstCommonStep = -1; // value of the step box: no step number chosen

} // namespace

AlignmentPanel::AlignmentPanel(WorkDocument& document, QWidget* parent)
    : Panel("Alignment", {.help = "clocks"}, parent), m_document(document), m_model(new AlignmentModel(this)),
      m_view(new TableView(this)), m_chart(new ResidualChart(this)), m_why(new QLabel(this))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    m_hint = new QLabel(
        tr("No reports open. Open reports of two or more ranks to see how their clocks are aligned."), this);
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->addWidget(m_view);
    m_split->addWidget(m_chart);
    m_split->setStretchFactor(0, 7);
    m_split->setStretchFactor(1, 3);
    m_split->setHandleWidth(1);
    column->addWidget(m_hint, 1);
    column->addWidget(m_split, 1);
    m_why->setProperty("small", true);
    m_why->setTextFormat(Qt::PlainText);
    m_why->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_why->setWordWrap(true);
    m_why->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(12), scaledPixels(5));
    column->addWidget(m_why);
    m_view->setTable(m_model);
    m_view->setAccessibleName(tr("Clocks of the open reports"));
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    connect(m_view, &TableView::currentTableRowChanged, this, &AlignmentPanel::showSelected);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &AlignmentPanel::showChoice);
    connect(m_view, &TableView::tableRowActivated, this,
            [this](int row) { emit reportActivated(m_model->keyAt(row)); });
    connect(m_chart, &ResidualChart::timeClicked, this, &AlignmentPanel::timeActivated);
    connect(m_model, &AlignmentModel::shiftTyped, this, [this](ReportKey key, int64_t shift_ns) {
        AlignmentChoice next = choice();
        next.options.shifts_ns[key] = shift_ns;
        choose(next, tr("move report"));
    });
    connect(&document, &WorkDocument::changed, this, [this](const Work& before) {
        if (choice() != before.alignment) showChoice();
    });
    rebuild();
}

QPushButton* AlignmentPanel::addButton(QWidget* bar, const QString& label, const QString& tooltip)
{
    auto* const button = new QPushButton(label, bar);
    button->setToolTip(tooltip);
    bar->layout()->addWidget(button);
    return button;
}

QWidget* AlignmentPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(6));
    m_mode = new QComboBox(bar);
    m_mode->setObjectName("mode");
    m_mode->setAccessibleName(tr("Alignment mode"));
    for (const ModeText& mode : kModes) {
        m_mode->addItem(tr(mode.label), static_cast<int>(mode.mode));
        m_mode->setItemData(m_mode->count() - 1, tr(mode.tooltip), Qt::ToolTipRole);
    }
    m_step = new QSpinBox(bar);
    m_step->setRange(kFirstCommonStep, 1'000'000'000);
    m_step->setSpecialValueText(tr("first common step"));
    m_step->setPrefix(tr("step") + ' ');
    m_step->setKeyboardTracking(false);
    m_step->setAccessibleName(tr("Step that starts at zero"));
    m_marker = new QLineEdit(bar);
    m_marker->setObjectName("marker");
    m_marker->setPlaceholderText(tr("Exact annotation name"));
    m_marker->setAccessibleName(tr("Annotation that starts at zero"));
    m_marker->setMinimumWidth(scaledPixels(180));
    m_basis = new QLabel(bar);
    m_basis->setProperty("muted", true);
    m_basis->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_mode);
    line->addWidget(m_step);
    line->addWidget(m_marker);
    line->addWidget(m_basis, 1);
    m_accept = addButton(bar, tr("&Accept"),
                         tr("Keep this alignment, even if other reports are aligned differently later"));
    m_edit = addButton(bar, tr("&Edit"), tr("Edit the manual offset of the report (F2)"));
    m_lock = addButton(bar, tr("&Lock"), tr("Keep this alignment and prevent manual changes"));
    m_reset = addButton(bar, tr("&Reset"), tr("Clear accepted alignment, lock and manual offset"));
    connect(m_accept, &QPushButton::clicked, this, &AlignmentPanel::accept);
    connect(m_edit, &QPushButton::clicked, this, &AlignmentPanel::edit);
    connect(m_lock, &QPushButton::clicked, this, &AlignmentPanel::toggleLock);
    connect(m_reset, &QPushButton::clicked, this, &AlignmentPanel::reset);
    QPushButton* const undo = addButton(bar, tr("&Undo"), tr("Undo the last change"));
    QPushButton* const redo = addButton(bar, tr("Re&do"), tr("Redo the last undone change"));
    QUndoStack& stack = m_document.undoStack();
    undo->setEnabled(stack.canUndo());
    redo->setEnabled(stack.canRedo());
    connect(&stack, &QUndoStack::canUndoChanged, undo, &QPushButton::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, redo, &QPushButton::setEnabled);
    connect(undo, &QPushButton::clicked, &stack, &QUndoStack::undo);
    connect(redo, &QPushButton::clicked, &stack, &QUndoStack::redo);
    connect(m_mode, &QComboBox::activated, this, &AlignmentPanel::chooseMode);
    connect(m_step, &QSpinBox::valueChanged, this, &AlignmentPanel::chooseMode);
    connect(m_marker, &QLineEdit::editingFinished, this, &AlignmentPanel::chooseMode);
    return bar;
}

void AlignmentPanel::rebuild()
{
    const ReportKey current = m_model->keyAt(m_view->currentTableRow());
    const Workspace& workspace = scene()->open;
    const Alignment& alignment = scene()->alignment;
    m_model->setScene(*scene());
    m_model->setChoice(choice());
    m_hint->setVisible(workspace.isEmpty());
    m_split->setVisible(!workspace.isEmpty());
    m_view->growColumns();
    m_basis->setText(QString::fromUtf8(alignment.basis));
    m_basis->setToolTip(QString::fromUtf8(alignment.basis));
    if (!workspace.isEmpty()) m_view->selectTableRow(std::max(0, m_model->rowOf(current)));
    showSelected();
    showChoice();
}

void AlignmentPanel::choose(const AlignmentChoice& next, const QString& text)
{
    AlignmentChoice clean = next;
    std::erase_if(clean.options.shifts_ns, [](const auto& shift) { return shift.second == 0; });
    m_document.edit(text, [&clean](Work& work) { work.alignment = std::move(clean); });
}

void AlignmentPanel::chooseMode()
{
    AlignmentChoice next = choice();
    next.options.mode = static_cast<AlignMode>(m_mode->currentData().toInt());
    next.options.step.reset();
    if (m_step->value() != kFirstCommonStep) next.options.step = m_step->value();
    next.options.marker = m_marker->text().toStdString();
    const bool needsName = next.options.mode == AlignMode::marker && next.options.marker.empty();
    m_step->setVisible(next.options.mode == AlignMode::step);
    m_marker->setVisible(next.options.mode == AlignMode::marker);
    if (needsName) return m_marker->setFocus(); // ask for the annotation to align by
    choose(next, tr("set alignment mode to %1").arg(m_mode->currentText()));
}

void AlignmentPanel::alignBySteps()
{
    AlignmentChoice next = choice();
    next.options.mode = AlignMode::step;
    next.options.step.reset();
    choose(next, tr("align by steps"));
}

void AlignmentPanel::showChoice()
{
    const QSignalBlocker mode(m_mode), step(m_step), marker(m_marker);
    const AlignOptions& options = choice().options;
    m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(options.mode)));
    m_step->setValue(static_cast<int>(options.step.value_or(kFirstCommonStep)));
    m_marker->setText(QString::fromUtf8(options.marker));
    m_step->setVisible(options.mode == AlignMode::step);
    m_marker->setVisible(options.mode == AlignMode::marker);
    m_model->setChoice(choice());
    m_view->growColumns();
    const std::vector<ReportKey> keys = selectedKeys();
    const auto isLockedKey = [this](ReportKey key) { return isLocked(key); };
    const bool anyFree = !std::ranges::all_of(keys, isLockedKey);
    m_accept->setEnabled(anyFree);
    m_edit->setEnabled(keys.size() == 1 && anyFree);
    m_lock->setEnabled(!keys.empty());
    m_lock->setText(keys.empty() || anyFree ? tr("&Lock") : tr("Un&lock"));
    m_reset->setEnabled(std::ranges::any_of(keys, [this](ReportKey key) {
        return choice().options.accepted.contains(key) || choice().options.shifts_ns.contains(key);
    }));
}

void AlignmentPanel::showSelected()
{
    const int row = m_view->currentTableRow();
    const ClockMap* const map = m_model->mapAt(row);
    m_why->setText(map == nullptr
                       ? QString()
                       : tr("%1: %2").arg(m_model->index(row, AlignmentModel::reportColumn).data().toString(),
                                          QString::fromUtf8(map->reason)));
    m_why->setVisible(!m_why->text().isEmpty());
    if (map == nullptr) return m_chart->setResiduals({}, {}, {});
    m_chart->setResiduals(residualsOf(scene()->open, scene()->alignment, m_model->keyAt(row)), *map,
                          tr("No residuals: no collectives relate this clock to another"));
}

std::vector<ReportKey> AlignmentPanel::selectedKeys() const
{
    std::vector<ReportKey> keys;
    const auto* const filter = qobject_cast<const QAbstractProxyModel*>(m_view->model());
    for (const QModelIndex& index : m_view->selectionModel()->selectedIndexes()) {
        const ReportKey key = m_model->keyAt(filter->mapToSource(index).row());
        if (key.isValid() && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    const ReportKey current = m_model->keyAt(m_view->currentTableRow());
    if (keys.empty() && current.isValid()) keys.push_back(current);
    return keys;
}

bool AlignmentPanel::moveBy(const std::vector<ReportKey>& keys, Duration by)
{
    AlignmentChoice next = choice();
    for (const ReportKey key : keys) {
        if (isLocked(key) || !scene()->open.has(key)) return false;
        next.options.shifts_ns[key] += by.ns;
    }
    choose(next, tr("move %n report(s)", nullptr, static_cast<int>(keys.size())));
    return true;
}

AcceptedClock AlignmentPanel::placementOf(const ClockMap& map) const
{
    AcceptedClock accepted{map, scene()->alignment.utcAtZero_ns};
    // Reset, because the set of reports that share a clock is recomputed for every alignment.
    accepted.map.domain = 0;
    return accepted;
}

void AlignmentPanel::accept()
{
    AlignmentChoice next = choice();
    const std::vector<ReportKey> keys = selectedKeys();
    for (const ReportKey key : keys) {
        const ClockMap* const map = m_model->mapAt(m_model->rowOf(key));
        if (map == nullptr || isLocked(key)) continue;
        next.options.accepted[key] = placementOf(*map);
        next.options.shifts_ns.erase(key); // the accepted alignment includes the manual offset
    }
    choose(next, tr("accept %n report(s)", nullptr, static_cast<int>(keys.size())));
}

void AlignmentPanel::edit()
{
    m_view->setFocus();
    const auto* const filter = qobject_cast<const QAbstractProxyModel*>(m_view->model());
    const QModelIndex cell = m_model->index(m_view->currentTableRow(), AlignmentModel::shiftColumn);
    m_view->scrollTo(filter->mapFromSource(cell));
    m_view->edit(filter->mapFromSource(cell));
}

void AlignmentPanel::toggleLock()
{
    AlignmentChoice next = choice();
    const std::vector<ReportKey> keys = selectedKeys();
    const bool isLocking = !std::ranges::all_of(keys, [this](ReportKey key) { return isLocked(key); });
    for (const ReportKey key : keys) {
        if (!isLocking) {
            next.locked.erase(key);
            continue;
        }
        const ClockMap* const map = m_model->mapAt(m_model->rowOf(key));
        if (map == nullptr || !next.locked.insert(key).second) continue;
        next.options.accepted[key] = placementOf(*map);
        next.options.shifts_ns.erase(key);
    }
    choose(next, isLocking ? tr("lock %n report(s)", nullptr, static_cast<int>(keys.size()))
                           : tr("unlock %n report(s)", nullptr, static_cast<int>(keys.size())));
}

void AlignmentPanel::reset()
{
    AlignmentChoice next = choice();
    const std::vector<ReportKey> keys = selectedKeys();
    for (const ReportKey key : keys) {
        next.options.accepted.erase(key);
        next.locked.erase(key);
        next.options.shifts_ns.erase(key);
    }
    choose(next, tr("reset %n report(s)", nullptr, static_cast<int>(keys.size())));
}

void AlignmentPanel::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_view->setTheme(theme);
    m_chart->setTheme(theme);
}

} // namespace lockstep
