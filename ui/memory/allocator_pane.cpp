// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/allocator_pane.h"

#include <algorithm>
#include <array>

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/memory/scrubber.h"
#include "ui/models/table_model.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

AllocatorPane::AllocatorPane(QWidget* parent)
    : MemoryPane(tr("Allocator state"), parent), m_map(new AllocatorMap(this)),
      m_scrubber(new Scrubber(this)), m_largestModel(new TableModel(this)), m_largest(new TableView(this)),
      m_levels(new QLabel(this)), m_job([this](Result<std::shared_ptr<const AllocatorPicture>> made) {
          if (!made) return m_levels->setText(QString::fromStdString(made.error().message));
          m_map->setPicture(*made);
          m_largestModel->setTable((*made)->largest.table);
          fitLargest();
          selectLargest();
          showMomentText();
          emit stateShown();
      }),
      m_silhouette([this](Result<std::shared_ptr<const AreaPicture>> made) {
          if (made) m_scrubber->setPicture(*made);
      })
{
    makeControls();
    auto* const column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(m_map, 1);
    makeLegend();
    auto* const rule = new QFrame(this);
    rule->setProperty("rule", true);
    column->addWidget(rule);
    column->addWidget(m_footer = makeFooter());
    makeLargest();
    connect(m_map, &AllocatorMap::layoutRequested, this, &AllocatorPane::computeState);
    connect(m_map, &AllocatorMap::chosenChanged, this, &AllocatorPane::blockChosen);
    connect(m_scrubber, &AreaView::pictureRequested, this, &AllocatorPane::computeSilhouette);
    connect(m_scrubber, &Scrubber::momentPicked, this, [this](MemoryMoment moment) {
        computeState();
        emit momentPointed(moment);
    });
}

AllocatorPane::~AllocatorPane() = default;

void AllocatorPane::makeControls()
{
    QHBoxLayout* const bar = makeBar();
    m_pool = new QComboBox(this);
    m_pool->setAccessibleName(tr("Pool"));
    m_pool->addItems({tr("all pools"), tr("large"), tr("small"), tr("private")});
    const QStringList pools{tr("Segments in all pools"), tr("Segments larger than 2 MiB"),
                            tr("Segments of up to 2 MiB"), tr("Pools of CUDA graphs and torch.cuda.MemPool")};
    for (int i = 0; i < m_pool->count(); ++i)
        m_pool->setItemData(i, pools[i], Qt::ToolTipRole);
    connect(m_pool, &QComboBox::currentIndexChanged, this, &AllocatorPane::computeState);
    bar->addWidget(m_pool);
    m_order = addChoice(bar, tr("Sort"), {tr("size"), tr("address"), tr("free")},
                        {tr("Largest segments first"), tr("By address"), tr("Emptiest segments first")});
    m_color = addChoice(bar, tr("Color"), {tr("category"), tr("age"), tr("stack")},
                        {tr("Purpose of the block, inferred from its stack"), tr("Age of the block"),
                         tr("Stack that allocated the block")});
    m_color->setObjectName("color");
    connect(m_color, &QButtonGroup::idToggled, this, [this](int id, bool isChecked) {
        if (!isChecked) return;
        m_map->setColoring(static_cast<BlockColoring>(id));
        if (m_map->picture() != nullptr) showRowCounts();
    });
    bar->addStretch(1);
    m_find = new QLineEdit(this);
    m_find->setPlaceholderText(tr("Find block, frame or address"));
    m_find->setToolTip(tr("Part of a stack frame, or an address. Press Enter for the next match."));
    m_find->setAccessibleName(m_find->placeholderText());
    m_find->setClearButtonEnabled(true);
    m_find->setMinimumWidth(scaledPixels(90));
    m_find->setMaximumWidth(scaledPixels(220));
    bar->addWidget(m_find, 4);
    connect(m_find, &QLineEdit::textChanged, this, &AllocatorPane::computeState);
    connect(m_find, &QLineEdit::returnPressed, m_map, &AllocatorMap::chooseNextMatch);
}

void AllocatorPane::makeLegend()
{
    m_legendLine = new QWidget(this);
    auto* const line = new QHBoxLayout(m_legendLine);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), scaledPixels(4));
    line->setSpacing(scaledPixels(12));
    m_rows = new QLabel(this);
    m_rows->setObjectName("rows");
    m_legend = new QLabel(this);
    m_legend->setObjectName("legend");
    for (QLabel* const label : {m_rows, m_legend, m_levels})
        label->setProperty("small", true);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_levels->setTextFormat(Qt::PlainText);
    for (QLabel* const label : {m_rows, m_levels})
        label->setMinimumWidth(scaledPixels(60)); // the length of the text depends on the point in time
    line->addWidget(m_rows);
    line->addWidget(m_legend, 1);
    line->addWidget(m_levels);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_legendLine);
}

QWidget* AllocatorPane::makeFooter()
{
    auto* const footer = new QWidget(this);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(scaledPixels(12), scaledPixels(4), 0, 0);
    auto* const words = new QVBoxLayout;
    words->setSpacing(scaledPixels(2));
    m_header = new QLabel(tr("Active memory"), footer);
    m_header->setProperty("strong", true);
    words->addWidget(m_header);
    for (QLabel** const label : {&m_time, &m_entry}) {
        *label = new QLabel(footer);
        (*label)->setTextFormat(Qt::PlainText);
        (*label)->setProperty("muted", true);
        words->addWidget(*label);
    }
    auto* const buttons = new QHBoxLayout;
    buttons->setSpacing(scaledPixels(4));
    const auto addButton = [&](const QString& text, const QString& tooltip, auto act) {
        auto* const button = new QPushButton(text, footer);
        button->setProperty("toggle", true);
        button->setToolTip(tooltip);
        buttons->addWidget(button);
        connect(button, &QPushButton::clicked, this, act);
    };
    addButton(tr("Previous"), tr("Previous history entry"),
              [this] { goTo(m_scrubber->moment() - (m_scrubber->moment() > 0)); });
    addButton(tr("Next"), tr("Next history entry"), [this] { goTo(m_scrubber->moment() + 1); });
    addButton(tr("Peak"), tr("Time of peak active memory"), [this] {
        if (hasSource()) goTo(source().device().peaks.active.moment);
    });
    words->addLayout(buttons);
    words->addStretch(1);
    line->addLayout(words);
    line->addWidget(m_scrubber, 1);
    return footer;
}

void AllocatorPane::setTheme(const Theme& theme)
{
    MemoryPane::setTheme(theme);
    m_map->setTheme(theme);
    m_scrubber->setTheme(theme);
    m_largest->setTheme(theme);
    outdate(); // the silhouette depends on the theme
}

void AllocatorPane::showMoment(MemoryMoment moment)
{
    if (!hasSource()) return;
    m_shown = source().memory;
    m_shownDevice = source().deviceRow;
    m_scrubber->setMoment(moment, source().device().lastMoment());
    if (isVisible()) return computeState();
    outdate(); // refresh once the pane is visible
}

void AllocatorPane::goTo(MemoryMoment moment)
{
    showMoment(moment);
    if (hasSource()) emit momentPointed(m_scrubber->moment());
}

void AllocatorPane::pointedChanged(bool hasMoved)
{
    m_map->setChosen(pointed().life);
    selectLargest();
    if (hasMoved && pointed().moment && (*pointed().moment != m_scrubber->moment() || !isOfSource()))
        return showMoment(*pointed().moment);
    if (m_map->picture() != nullptr) showMomentText();
}

const AllocatorState* AllocatorPane::shownState() const
{
    const AllocatorPicture* const shown = m_map->picture();
    const bool isCurrent = shown != nullptr && hasSource() && shown->source.memory == source().memory &&
                           shown->source.deviceRow == source().deviceRow;
    return isCurrent ? &shown->state : nullptr;
}

void AllocatorPane::makeLargest()
{
    m_largest->setTable(m_largestModel);
    m_largest->setStretchColumn(2);                  // the column "Allocated by"
    m_largest->sortByColumn(-1, Qt::AscendingOrder); // in the table's own order
    m_largest->setAccessibleName(tr("Largest blocks at this time"));
    m_largest->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_largest->setSelectionMode(QAbstractItemView::SingleSelection);
    m_largest->hide();
    layout()->addWidget(m_largest);
    connect(m_largest, &TableView::currentTableRowChanged, this, [this](int row) {
        const AllocatorPicture* const shown = m_map->picture();
        if (shown == nullptr || row < 0 || static_cast<size_t>(row) >= shown->largest.lives.size()) return;
        const BlockLifeId life = shown->largest.lives[static_cast<size_t>(row)];
        if (life == m_map->chosen()) return;
        m_map->setChosen(life);
        emit blockChosen(life);
    });
}

// If the pane is low, the map and the scrubber have priority over the text.
void AllocatorPane::resizeEvent(QResizeEvent* event)
{
    MemoryPane::resizeEvent(event);
    const bool isLow = height() < scaledPixels(290);
    m_legendLine->setVisible(!isLow);
    m_header->setVisible(!isLow);
    m_footer->setFixedHeight(scaledPixels(isLow ? 80 : 122));
    m_largest->setVisible(height() >= scaledPixels(520));
}

void AllocatorPane::fitLargest()
{
    m_largest->fitColumns();
    const int rows = kMaxLargestBlocks * m_largest->verticalHeader()->defaultSectionSize();
    m_largest->setFixedHeight(rows + m_largest->horizontalHeader()->sizeHint().height() + scaledPixels(2));
}

void AllocatorPane::selectLargest()
{
    const AllocatorPicture* const shown = m_map->picture();
    if (shown == nullptr) return;
    const QSignalBlocker quiet(m_largest);
    const auto found = std::ranges::find(shown->largest.lives, m_map->chosen());
    if (found == shown->largest.lives.end()) {
        m_largest->setCurrentIndex({});
        m_largest->clearSelection();
    } else {
        m_largest->selectTableRow(static_cast<int>(found - shown->largest.lives.begin()));
    }
}

bool AllocatorPane::isOfSource() const
{
    return m_shown == source().memory && m_shownDevice == source().deviceRow;
}

void AllocatorPane::refresh()
{
    // Shows a new snapshot at its peak first.
    if (!isOfSource()) showMoment(pointed().moment.value_or(source().device().peaks.active.moment));
    m_map->setChosen(pointed().life);
    computeState();
    computeSilhouette();
}

void AllocatorPane::factsArrived()
{
    std::vector<MemoryMoment> marks;
    if (facts() != nullptr) {
        for (const OutOfMemoryCause& failure : facts()->failures)
            marks.push_back(failure.moment);
    }
    m_scrubber->setMarks(std::move(marks));
}

void AllocatorPane::computeState()
{
    if (!hasSource() || !isVisible()) return;
    constexpr std::array kOrders{SegmentOrder::size, SegmentOrder::address, SegmentOrder::freeShare};
    const SegmentOrder order = kOrders[static_cast<size_t>(m_order->checkedId())];
    AllocatorRequest request{m_map->barWidth(), order, {}, nullptr};
    if (m_pool->currentIndex() > 0) request.pool = static_cast<MemoryPool>(m_pool->currentIndex() - 1);
    m_job.start([shown = source(), moment = m_scrubber->moment(), request,
                 text = m_find->text().trimmed().toStdString()](
                    const Progress& progress) mutable -> Result<std::shared_ptr<const AllocatorPicture>> {
        auto out = std::make_shared<AllocatorPicture>();
        out->source = shown;
        out->state = stateAt(shown.device(), std::min(moment, shown.device().lastMoment()));
        LOCKSTEP_TRY(progress.check());
        if (!text.empty()) {
            out->found =
                findBlocks(out->state, shown.device(), shown.snapshot(), shown.report->strings, text);
            request.found = &*out->found;
        }
        out->layout = layOutAllocator(out->state, shown.snapshot(), request);
        out->largest = largestBlocks(shown, out->state);
        for (const PlacedBlock& block : out->state.blocks)
            out->categories.set(static_cast<size_t>(shown.categoryOfLife(block.life)));
        return std::shared_ptr<const AllocatorPicture>(std::move(out));
    });
}

void AllocatorPane::computeSilhouette()
{
    if (!hasSource() || !isVisible()) return;
    AreaRequest request;
    request.source = source();
    request.by = MemoryGrouping::category;
    request.isByTime = false;
    request.size = m_scrubber->plotPixels();
    request.theme = &theme();
    m_silhouette.start([request](const Progress& progress) { return makeAreaPicture(request, progress); });
}

void AllocatorPane::showMomentText()
{
    const AllocatorPicture& picture = *m_map->picture();
    const QStringList words = picture.source.momentText(picture.state.moment).split(", ");
    m_time->setText(words.size() > 1 ? words.front() : tr("no timestamps in this file"));
    m_entry->setText(words.back());
    const MemoryLevels& levels = picture.state.levels;
    QString text =
        tr("reserved %1, active %2, requested %3")
            .arg(byteQText(levels.reserved), byteQText(levels.active), byteQText(levels.requested));
    if (picture.state.outsideSegments > 0)
        text += tr("; not drawn (outside known segments): %1").arg(picture.state.outsideSegments);
    if (!pointed().uncertainty.isEmpty()) text += "; " + pointed().uncertainty;
    m_levels->setText(text);
    m_levels->setToolTip(text);
    m_map->setAccessibleDescription(momentText());
    showRowCounts();
}

void AllocatorPane::showRowCounts()
{
    const AllocatorPicture& picture = *m_map->picture();
    const auto count = [](uint64_t n) {
        return QString::fromStdString(groupedText(static_cast<int64_t>(n)));
    };
    QString text = tr("Segments: %1").arg(count(picture.state.segments.size() - picture.layout.left));
    if (picture.layout.left > 0) text += tr(", hidden (other pools): %1").arg(count(picture.layout.left));
    if (picture.found) {
        text +=
            tr("; blocks found: %1 (%2)")
                .arg(count(picture.found->count), byteQText(static_cast<int64_t>(picture.found->size_bytes)));
    }
    m_rows->setText(text);
    m_rows->setToolTip(text);
    m_legend->setText(m_map->colors().legend(picture.categories));
}

QString AllocatorPane::momentText() const
{
    return QString("%1 %2, %3").arg(m_time->text(), m_entry->text(), m_levels->text());
}

} // namespace lockstep
