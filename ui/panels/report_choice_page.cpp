// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/report_choice_page.h"

#include <map>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxWithoutPrompt = 256; // number of reports that are opened without a question

struct NaturalOrder {
    bool operator()(const QString& a, const QString& b) const
    {
        return naturalLess(a.toStdString(), b.toStdString());
    }
};

// Returns the value that a quick selection compares; empty if the file name does not contain it.
QString partOf(const ReportChoice& choice, const QString& part)
{
    const Identity& identity = choice.file.identity;
    const auto number = [](const Sourced<int>& value) {
        return value.isKnown() ? QString::number(*value.value) : QString();
    };
    if (part == "step") return number(identity.step);
    if (part == "rank") return number(identity.rank);
    if (part == "role") return QString::fromStdString(identity.role.value.value_or(""));
    return QString::fromStdString(choice.tool);
}

} // namespace

ReportChoicePage::ReportChoicePage(QWidget* parent)
    : QWidget(parent), m_model(new ReportChoiceModel(this)),
      m_title(new QLabel(tr("Choose reports to open"), this)), m_subtitle(new QLabel(this)),
      m_filter(new QLineEdit(this)), m_tree(new QTreeView(this)), m_totals(new QLabel(this)),
      m_percent(new QSpinBox(this)), m_machine(new QLabel(this)), m_load(new QPushButton(this))
{
    m_load->setObjectName("load");
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_title->setProperty("title", true);
    m_subtitle->setProperty("muted", true);
    m_subtitle->setWordWrap(true);
    makeTree();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(20), scaledPixels(16), scaledPixels(20), scaledPixels(12));
    column->setSpacing(scaledPixels(8));
    column->addWidget(m_title);
    column->addWidget(m_subtitle);
    column->addWidget(makeTools());
    column->addWidget(m_tree, 1);
    column->addWidget(makeFooter());
    connect(m_model, &ReportChoiceModel::ticksChanged, this, &ReportChoicePage::showTotals);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_model->setFilter(text);
        expand();
    });
    setFocusProxy(m_filter);
}

void ReportChoicePage::makeTree()
{
    m_tree->setModel(m_model);
    // Otherwise Qt measures every row, which is slow for ten thousand rows.
    m_tree->setUniformRowHeights(true);
    m_tree->setProperty("sheet", true);
    m_tree->setAccessibleName(tr("Reports found"));
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setIndentation(scaledPixels(16));
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    QHeaderView* const header = m_tree->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(ReportChoiceModel::nameColumn, QHeaderView::Stretch);
    header->resizeSection(ReportChoiceModel::toolColumn, scaledPixels(120));
    header->resizeSection(ReportChoiceModel::kindColumn, scaledPixels(120));
    header->resizeSection(ReportChoiceModel::sizeColumn, scaledPixels(100));
    header->resizeSection(ReportChoiceModel::memoryColumn, scaledPixels(140));
}

QWidget* ReportChoicePage::makeTools()
{
    auto* const tools = new QWidget(this);
    auto* const line = new QHBoxLayout(tools);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaledPixels(6));
    m_filter->setPlaceholderText(tr("Filter: part of a path, role:actor, rank:3, step:2, tool:nsys"));
    m_filter->setToolTip(
        tr("Shows files that match every word. role:, rank:, step:, tool:, run: and host: match exactly; "
           "other words match any part of the path."));
    m_filter->setAccessibleName(tr("Filter the reports found"));
    m_filter->setClearButtonEnabled(true);
    line->addWidget(m_filter, 1);
    auto* const caption = new QLabel(tr("Select"), tools);
    caption->setProperty("muted", true);
    line->addSpacing(scaledPixels(8));
    line->addWidget(caption);
    const auto add = [&](const QString& text, const QString& tooltip, bool isTicked) {
        QToolButton* const button = addQuickChoice(text, tooltip, tools);
        connect(button, &QToolButton::clicked, this, [this, isTicked] {
            m_model->tickOnly([isTicked](const ReportChoice&) { return isTicked; });
        });
        line->addWidget(button);
    };
    add(tr("All listed"), tr("Select exactly the files that match the filter"), true);
    add(tr("None"), tr("Clear the selection"), false);
    for (const char* part : {"step", "rank", "role", "tool"})
        addQuickMenu(QString(part).replace(0, 1, QChar(part[0]).toUpper()), part, tools);
    return tools;
}

QToolButton* ReportChoicePage::addQuickChoice(const QString& text, const QString& tooltip, QWidget* parent)
{
    auto* const button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tooltip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

void ReportChoicePage::addQuickMenu(const QString& text, const QString& part, QWidget* parent)
{
    QToolButton* const button = addQuickChoice(
        text + " \u25BE", tr("Select only the listed files that have this %1").arg(part), parent);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* const menu = new QMenu(button);
    menu->setObjectName("tick " + part);
    button->setMenu(menu);
    parent->layout()->addWidget(button);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, part] { fillQuickMenu(*menu, part); });
}

void ReportChoicePage::fillQuickMenu(QMenu& menu, const QString& part)
{
    menu.clear();
    std::map<QString, size_t, NaturalOrder> counts;
    for (const ReportChoice& choice : m_model->choices())
        ++counts[partOf(choice, part)];
    const QString beside = part == "step" ? tr(", all ranks") : part == "rank" ? tr(", all steps") : "";
    for (const auto& [value, count] : counts) {
        const QString name =
            value.isEmpty() ? tr("%1 not found in the file name").arg(part) : part + " " + value + beside;
        menu.addAction(name + '\t' + tr("%n file(s)", nullptr, static_cast<int>(count)), this,
                       [this, part, value = value] {
                           m_model->tickOnly(
                               [&](const ReportChoice& choice) { return partOf(choice, part) == value; });
                       });
    }
}

QWidget* ReportChoicePage::makeFooter()
{
    auto* const footer = new QWidget(this);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaledPixels(8));
    m_totals->setObjectName("totals");
    m_totals->setWordWrap(true);
    auto* const caption = new QLabel(tr("Memory limit"), footer);
    caption->setProperty("muted", true);
    m_machine->setProperty("muted", true);
    m_percent->setRange(10, 95);
    m_percent->setSuffix(" %");
    m_percent->setAccessibleName(tr("Memory limit as a percentage of this machine's memory"));
    m_percent->setToolTip(
        tr("Reports beyond the limit are listed as not loaded and can be loaded one by one"));
    auto* const cancel = new QPushButton(tr("Cancel"), footer);
    cancel->setToolTip(tr("Close without opening reports (Esc)"));
    m_load->setProperty("primary", true);
    line->addWidget(m_totals, 1);
    line->addWidget(caption);
    line->addWidget(m_percent);
    line->addWidget(m_machine);
    line->addSpacing(scaledPixels(12));
    line->addWidget(cancel);
    line->addWidget(m_load);
    connect(m_percent, &QSpinBox::valueChanged, this, &ReportChoicePage::memoryPercentChanged);
    connect(cancel, &QPushButton::clicked, this, &ReportChoicePage::dismissed);
    m_load->setToolTip(tr("Open the selected reports (Enter)"));
    connect(m_load, &QPushButton::clicked, this, &ReportChoicePage::load);
    connect(m_filter, &QLineEdit::returnPressed, m_load, &QPushButton::click);
    return footer;
}

void ReportChoicePage::setFound(std::shared_ptr<const FoundReports> found, SortedChoices sorted)
{
    m_found = std::move(found);
    m_filter->clear();
    m_model->setChoices(std::move(sorted));
    m_model->tickOnly([](const ReportChoice&) { return true; });
    QStringList sentences{
        tr("%n report(s) found.", nullptr, static_cast<int>(m_found->reports.size())),
        tr("Run, role, rank and step are guessed from file names; the content is read on opening.")};
    if (m_found->reports.size() > kMaxWithoutPrompt)
        sentences << tr("Lockstep asks before it opens more than %1.").arg(kMaxWithoutPrompt);
    if (!m_found->skippedFiles.empty())
        sentences << tr("%n other file(s) skipped; see Import notes.", nullptr,
                        static_cast<int>(m_found->skippedFiles.size()));
    m_subtitle->setText(sentences.join(' '));
    expand();
}

bool ReportChoicePage::fits(const ChoiceTotals& totals) const
{
    return m_limit_bytes == 0 || m_used_bytes + totals.memory_bytes <= m_limit_bytes;
}

void ReportChoicePage::load()
{
    const ChoiceTotals totals = m_model->totals();
    const auto open = [this] { emit loadRequested(*m_found, m_model->ticked()); };
    const bool isSafe = fits(totals) || m_hasDisk;
    if (totals.files <= kMaxWithoutPrompt && isSafe) return open();
    QString text = tr("They need about %1 of memory.").arg(byteQText(totals.memory_bytes));
    if (!isSafe)
        text +=
            ' ' + tr("The limit is %1, so some of them will not be loaded.").arg(byteQText(m_limit_bytes));
    auto* const box = new QMessageBox(isSafe ? QMessageBox::Question : QMessageBox::Warning, "Lockstep",
                                      tr("Open %n report(s)?", nullptr, static_cast<int>(totals.files)),
                                      QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(text);
    QPushButton* const yes = box->addButton(tr("Open"), QMessageBox::AcceptRole);
    box->setDefaultButton(yes);
    connect(yes, &QPushButton::clicked, this, open);
    box->open();
}

// Expands the whole tree if it fits on one or two screens, otherwise only its first level.
void ReportChoicePage::expand()
{
    constexpr size_t kFew = 200;
    if (m_model->shownCount() <= kFew) {
        m_tree->expandAll();
    } else {
        m_tree->expandToDepth(0);
    }
}

void ReportChoicePage::setMemory(uint64_t used_bytes, uint64_t limit_bytes, uint64_t machine_bytes,
                                 bool hasDisk)
{
    m_used_bytes = used_bytes;
    m_limit_bytes = limit_bytes;
    m_hasDisk = hasDisk;
    const QSignalBlocker quiet(m_percent);
    if (machine_bytes > 0)
        m_percent->setValue(static_cast<int>((limit_bytes * 100 + machine_bytes / 2) / machine_bytes));
    m_machine->setText(tr("of %1").arg(byteQText(machine_bytes)));
    showTotals();
}

void ReportChoicePage::showTotals()
{
    const ChoiceTotals totals = m_model->totals();
    const bool hasRoom = fits(totals);
    QStringList facts{tr("%1 of %2 selected, %3 on disk, about %4 in memory")
                          .arg(totals.files)
                          .arg(m_model->choices().size())
                          .arg(byteQText(totals.size_bytes), byteQText(totals.memory_bytes))};
    if (m_used_bytes > 0) facts << tr("already in use: %1").arg(byteQText(m_used_bytes));
    if (!hasRoom)
        facts << (m_hasDisk ? tr("limit %1: the rest is read to disk")
                            : tr("limit %1: some reports will not be loaded"))
                     .arg(byteQText(m_limit_bytes));
    m_totals->setText(facts.join("; "));
    m_totals->setProperty("tone", hasRoom || m_hasDisk ? "quiet" : "warn");
    m_totals->style()->unpolish(m_totals);
    m_totals->style()->polish(m_totals);
    m_load->setText(totals.files == 0 ? tr("Load")
                                      : tr("Load %n report(s)", nullptr, static_cast<int>(totals.files)));
    m_load->setEnabled(totals.files > 0);
    m_tree->viewport()->update();
}

void ReportChoicePage::setTheme(const Theme&)
{
    m_tree->viewport()->update();
}

void ReportChoicePage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) return emit dismissed();
    QWidget::keyPressEvent(event);
}

} // namespace lockstep
