// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/area_pane.h"
#include "ui/memory/flame_pane.h"
#include "ui/memory/fragmentation_pane.h"
#include "ui/memory/memory_card.h"
#include "ui/memory/table_pane.h"
#include "ui/memory/view_badges.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

MemoryPanel::MemoryPanel(ViewState& view, QWidget* parent)
    : Panel("Memory", {.help = "memory"}, parent), m_viewState(view), m_front(new QStackedWidget(this)),
      m_stack(new QStackedWidget(this)), m_why(new QLabel(this)), m_hint(new QLabel(this)),
      m_body(new QWidget(this)), m_card(new MemoryCard(this)),
      m_factsJob([this](Result<std::shared_ptr<const MemoryFacts>> facts) {
          if (facts) applyFacts(*facts);
      })
{
    setProperty("page", true);
    auto* const line = new QHBoxLayout(m_body);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(makeSide());
    m_front->addWidget(m_stack);
    m_front->addWidget(m_why);
    line->addWidget(m_front, 1);
    m_card->setFixedWidth(scaledPixels(338));
    line->addWidget(m_card);
    for (QLabel* const label : {m_hint, m_why}) {
        label->setProperty("muted", true);
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setMargin(scaledPixels(32));
    }
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_hint, 1);
    column->addWidget(m_body, 1);
    addPanes();
    connect(m_views, &QListWidget::currentRowChanged, this, &MemoryPanel::openView);
    connect(m_snapshots, &QComboBox::currentIndexChanged, this, &MemoryPanel::showSnapshot);
    connect(m_card, &MemoryCard::stateRequested, this, &MemoryPanel::showState);
    connect(m_card, &MemoryCard::timelineRequested, this, &MemoryPanel::showInTimeline);
    connect(m_card, &MemoryCard::lifeRequested, this, &MemoryPanel::showLifeInTimeline);
    connect(&view, &ViewState::blockChanged, this, &MemoryPanel::outdate);
    connect(&view, &ViewState::sliceChanged, this, &MemoryPanel::outdate);
    setFocusProxy(m_views);
    m_body->hide();
}

MemoryPanel::~MemoryPanel() = default;

QWidget* MemoryPanel::makeSide()
{
    auto* const side = new QWidget(m_body);
    side->setProperty("panel", true);
    side->setAttribute(Qt::WA_StyledBackground);
    side->setFixedWidth(scaledPixels(168));
    auto* const column = new QVBoxLayout(side);
    column->setContentsMargins(0, scaledPixels(8), 0, 0);
    column->setSpacing(scaledPixels(4));
    const auto addCaption = [&](const QString& text) {
        auto* const caption = new QLabel(text, side);
        caption->setProperty("caption", true);
        caption->setContentsMargins(scaledPixels(12), 0, 0, 0);
        column->addWidget(caption);
    };
    addCaption(tr("RECORDING"));
    m_snapshots = new QComboBox(side);
    m_snapshots->setAccessibleName(tr("Recording and device"));
    m_snapshots->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    auto* const inset = new QHBoxLayout;
    inset->setContentsMargins(scaledPixels(8), 0, scaledPixels(8), scaledPixels(4));
    inset->addWidget(m_snapshots);
    column->addLayout(inset);
    addCaption(tr("VIEW"));
    m_views = new QListWidget(side);
    m_views->setAccessibleName(tr("Memory views"));
    m_views->setProperty("views", true);
    m_views->setFrameShape(QFrame::NoFrame);
    m_views->setUniformItemSizes(true);
    m_views->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_views->viewport()->setAutoFillBackground(false);
    m_views->setItemDelegate(new ViewBadgePainter(m_views));
    column->addWidget(m_views, 1);
    return side;
}

void MemoryPanel::addPanes()
{
    using enum MemoryTableKind;
    addPane(new AreaPane(AreaKind::active, tr("Active memory"), tr("line: reserved memory"), this));
    addPane(new AreaPane(AreaKind::allocated, tr("Allocated"), tr("hatched: held for private pools"), this));
    auto* const state = new AllocatorPane(this);
    addPane(state, MemoryNeed::segments);
    connect(state, &AllocatorPane::stateShown, this, [this] { updateCard(); });
    addPane(
        new AreaPane(AreaKind::segments, tr("Cached segments"), tr("memory reserved by the allocator"), this),
        MemoryNeed::segments);
    addPane(new TablePane(settings, tr("Settings"), tr("As recorded in the file"), this),
            MemoryNeed::settings);
    auto* const flames = new FlamePane(this);
    addPane(flames);
    addPane(new TablePane(byStack, tr("By stack"), tr("Select a stack to see the peak without it"), this),
            MemoryNeed::blocks);
    addPane(new TablePane(leaks, tr("Leak suspects"),
                          tr("A suspect is not proof of a leak: recent allocations may be freed later"),
                          this),
            MemoryNeed::blocks);
    addPane(new FragmentationPane(this), MemoryNeed::segments);
    addPane(new TablePane(compare, tr("Compare"),
                          tr("Stacks match if the file, function and line of every frame match"), this));
    addPane(new TablePane(ranks, tr("Ranks"), tr("Peaks of all open snapshots, highest first"), this));
    openView(static_cast<int>(std::ranges::find(m_panes, flames) - m_panes.begin()));
}

// Images and jobs of the views keep their report alive, so the panes are replaced once the report is closed.
void MemoryPanel::remakePanes()
{
    const int row = m_stack->currentIndex();
    m_facts = nullptr;
    m_pointed = {};
    m_needs.clear();
    {
        const QSignalBlocker quiet(m_views);
        m_views->clear();
        qDeleteAll(std::exchange(m_panes, {}));
    }
    addPanes();
    openView(row);
    setTheme(*m_theme);
}

void MemoryPanel::addPane(MemoryPane* pane, MemoryNeed need)
{
    m_needs.push_back(need);
    auto* const item = new QListWidgetItem(pane->accessibleName(), m_views);
    item->setSizeHint({0, scaledPixels(26)});
    m_panes.push_back(pane);
    m_stack->addWidget(pane);
    connect(pane, &MemoryPane::stateRequested, this, &MemoryPanel::showState);
    connect(pane, &MemoryPane::timelineRequested, this, &MemoryPanel::showInTimeline);
    connect(pane, &MemoryPane::momentPointed, this, &MemoryPanel::pointAt);
    connect(pane, &MemoryPane::blockChosen, this, &MemoryPanel::choose);
}

void MemoryPanel::openView(int row)
{
    if (row < 0) return;
    m_stack->setCurrentIndex(row);
    showViewOrReason();
    updateCard();
    if (m_views->currentRow() != row) m_views->setCurrentRow(row);
}

void MemoryPanel::showViewOrReason()
{
    const int row = m_stack->currentIndex();
    QString why;
    if (m_current >= 0 && row >= 0)
        why = missingText((*m_sources)[static_cast<size_t>(m_current)], m_needs[static_cast<size_t>(row)]);
    m_why->setText(why);
    m_front->setCurrentWidget(why.isEmpty() ? static_cast<QWidget*>(m_stack) : m_why);
}

void MemoryPanel::setTheme(const Theme& theme)
{
    static_cast<ViewBadgePainter*>(m_views->itemDelegate())->setTheme(theme);
    m_theme = &theme;
    m_views->viewport()->update();
    m_card->setTheme(theme);
    for (MemoryPane* const pane : m_panes)
        pane->setTheme(theme);
}

bool MemoryPanel::isBusy() const
{
    return m_factsJob.isRunning() ||
           std::ranges::any_of(m_panes, [](const MemoryPane* pane) { return pane->isBusy(); });
}

bool MemoryPanel::showsSelection() const
{
    return isEffectivelyVisible() && rowOfSelected() >= 0;
}

void MemoryPanel::rebuild()
{
    applySources(memorySources(*scene()));
    followSelection();
}

void MemoryPanel::applySources(std::vector<MemorySource> found)
{
    auto sources = std::make_shared<const std::vector<MemorySource>>(std::move(found));
    if (*sources == *m_sources && !sources->empty()) { // only clock mappings may have changed
        const auto current = static_cast<size_t>(m_current);
        const bool isMoved = (*sources)[current].map != (*m_sources)[current].map;
        m_sources = std::move(sources);
        for (MemoryPane* const pane : m_panes)
            pane->setSources(m_sources, current);
        if (isMoved) pointAtSelection();
        return;
    }
    const std::optional<MemorySource> previous =
        m_current >= 0 ? std::optional((*m_sources)[static_cast<size_t>(m_current)]) : std::nullopt;
    m_sources = std::move(sources);
    m_hint->setVisible(m_sources->empty());
    m_body->setVisible(!m_sources->empty());
    const QSignalBlocker quiet(m_snapshots);
    m_snapshots->clear();
    const auto isOfGpu = [](const MemorySource& s) { return s.device().device >= 0; };
    // Prefer a GPU, because the memory of a CPU is rarely of interest.
    const auto firstOfGpu = std::ranges::find_if(*m_sources, isOfGpu);
    int row = firstOfGpu == m_sources->end() ? 0 : static_cast<int>(firstOfGpu - m_sources->begin());
    for (size_t i = 0; i < m_sources->size(); ++i) {
        const MemorySource& source = (*m_sources)[i];
        m_snapshots->addItem(source.name);
        if (previous && previous->memory == source.memory && previous->deviceRow == source.deviceRow)
            row = static_cast<int>(i);
    }
    m_current = -1;
    if (m_sources->empty()) {
        m_factsJob.cancel();
        m_card->clear();
        if (previous && !scene()->open.has(previous->key)) remakePanes();
        for (MemoryPane* const pane : m_panes)
            pane->clearSources();
        m_hint->setText(
            scene()->shown.isEmpty()
                ? tr("No report open. Open a PyTorch memory snapshot or a trace with memory events to "
                     "see allocations by time and by stack.")
                : tr("The visible reports have no memory data. Record a snapshot with "
                     "torch.cuda.memory._record_memory_history() and "
                     "torch.cuda.memory._dump_snapshot(\"rank0.pickle\"), or with the tool torch_memory of a session. "
                     "Or record a trace with profile_memory=True (torch.profiler) or "
                     "--cuda-memory-usage=true (nsys)."));
        return;
    }
    m_snapshots->setCurrentIndex(row);
    showSnapshot(row);
}

void MemoryPanel::showSnapshot(int snapshot)
{
    if (snapshot < 0 || static_cast<size_t>(snapshot) >= m_sources->size()) return;
    m_current = snapshot;
    const MemorySource& source = (*m_sources)[static_cast<size_t>(snapshot)];
    m_snapshots->setToolTip(source.name.toHtmlEscaped());
    for (MemoryPane* const pane : m_panes)
        pane->setSources(m_sources, static_cast<size_t>(snapshot));
    showViewOrReason();
    m_facts = nullptr;
    m_pointed = {};
    setBadges(*m_views, {});
    updateCard(true);
    m_factsJob.start([source](const Progress& progress) { return memoryFacts(source, progress); });
    pointAtSelection();
}

void MemoryPanel::applyFacts(std::shared_ptr<const MemoryFacts> facts)
{
    if (m_current < 0) return;
    m_facts = facts;
    updateCard(true);
    for (MemoryPane* const pane : m_panes)
        pane->setFacts(facts);
    showBadges();
}

// Sets the badges. Each shows the same count as the view to which it belongs.
void MemoryPanel::showBadges()
{
    std::vector<ViewBadge> badges;
    const auto count = [](uint64_t n) {
        return QString::fromStdString(groupedText(static_cast<int64_t>(n)));
    };
    if (const uint64_t failures = m_facts->failureCount; failures > 0) {
        badges.push_back(
            {tr("Allocator state"), failures == 1 ? tr("OOM") : tr("%1 OOM").arg(count(failures)),
             tr("%n failed allocation(s)", nullptr, static_cast<int>(std::min<uint64_t>(failures, INT_MAX))),
             ViewBadge::Tone::bad});
    }
    if (const size_t suspects = m_facts->growing.size(); suspects > 0) {
        const bool isMore = suspects >= kMaxSuspects;
        badges.push_back(
            {tr("Leak suspects"), isMore ? tr("%1+").arg(suspects) : count(suspects),
             tr("%n stack(s) with memory growth from step to step", nullptr, static_cast<int>(suspects)),
             ViewBadge::Tone::warn});
    }
    setBadges(*m_views, badges);
}

void MemoryPanel::updateCard(bool isNew)
{
    if (m_current < 0) return;
    const MemorySource& source = (*m_sources)[static_cast<size_t>(m_current)];
    const int row = m_stack->currentIndex();
    const bool isBlock = m_pointed.life.isValid() && row >= 0 && pane(row)->showsBlocks();
    const BlockLifeId block = isBlock ? m_pointed.life : BlockLifeId();
    // Do not rebuild an unchanged card, because its buttons would lose the focus.
    if (isNew || block != m_shownBlock) {
        m_shownBlock = block;
        isBlock ? m_card->showBlock(source, block) : m_card->show(source, m_facts.get());
    }
    if (isBlock) m_card->setState(pane(row)->shownState());
}

void MemoryPanel::showState(MemoryMoment moment)
{
    open<AllocatorPane>().showMoment(moment);
    pointAt(moment);
}

} // namespace lockstep
