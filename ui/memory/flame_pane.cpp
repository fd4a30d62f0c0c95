// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/flame_pane.h"

#include <array>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/memory/memory_colors.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Button ids of "At", in display order.
enum : int { kAtPeak, kAtCursor, kAtFailure, kAtEnd };

} // namespace

struct FlamePane::Request {
    MemorySource source;
    MemoryMoment moment = 0;
    bool isInverted = false, isClean = true;
    std::string find;
    FlameLayoutRequest layout;
    std::shared_ptr<const std::vector<FlameNode>> nodes; // null if not computed yet
    bool isSearched = false;

    std::shared_ptr<const std::vector<FlameNode>> tree() const
    {
        if (nodes) return nodes;
        FlameRequest request;
        request.moment = moment;
        request.isInverted = isInverted;
        request.categories = source.memory->categories;
        const MemorySnapshot& snapshot = source.snapshot();
        const StringPool& strings = source.report->strings;
        if (!find.empty()) request.isSearchedFor = framesWith(snapshot, strings, find);
        if (isClean) request.isOmitted = internalFrames(snapshot, strings);
        return std::make_shared<const std::vector<FlameNode>>(flameTree(source.device(), snapshot, request));
    }

    Result<std::shared_ptr<const FlamePicture>> picture(const Progress& progress) const
    {
        auto out = std::make_shared<FlamePicture>();
        out->source = source;
        out->moment = moment;
        out->nodes = tree();
        out->focus = layout.focus;
        out->isSearched = !find.empty();
        LOCKSTEP_TRY(progress.check());
        out->layout = layOutFlame(framesOf(*out->nodes), layout);
        LOCKSTEP_TRY(progress.check());
        return std::shared_ptr<const FlamePicture>(std::move(out));
    }
};

FlamePane::FlamePane(QWidget* parent)
    : MemoryPane(tr("Flame graph"), parent), m_view(new MemoryFlameView(this)), m_hint(new QLabel(this)),
      m_job([this](Result<std::shared_ptr<const FlamePicture>> made) {
          m_hint->setVisible(!made.has_value());
          if (!made) {
              m_hint->setText(QString::fromStdString(made.error().message));
              return;
          }
          m_view->setPicture(*made);
          showLegend();
          m_zoomOut->setEnabled(m_focus != 0);
          showChosen(m_view->chosen());
      }),
      m_without([this](Result<MemoryPeak> peak) {
          if (!peak || !hasSource()) return;
          const int64_t less = source().device().peaks.active.levels.active - peak->levels.active;
          m_usage->setText(
              m_usage->text() +
              tr("; without allocations through this frame, the peak would be %1 (%2 less) at %3")
                  .arg(byteQText(peak->levels.active), byteQText(less), source().momentText(peak->moment)));
          m_view->setAccessibleDescription(footText());
      })
{
    QHBoxLayout* const bar = makeBar();
    m_at = addChoice(bar, tr("At"), {tr("peak"), tr("cursor"), tr("OOM"), tr("end")},
                     {tr("At peak active memory"), QString(), tr("At the first failed allocation"),
                      tr("At the end of the recording")});
    m_width =
        addChoice(bar, tr("Width"), {tr("bytes"), tr("blocks")},
                  {tr("Frame width shows live bytes"), tr("Frame width shows the number of live blocks")});
    m_order = addChoice(bar, tr("Root"), {tr("program"), tr("allocation")},
                        {tr("From the program's entry point to the allocations"),
                         tr("Inverted: from the allocations to their callers")});
    m_allFrames = new QPushButton(tr("all frames"), this);
    m_allFrames->setCheckable(true);
    m_allFrames->setProperty("segment", true);
    m_allFrames->setToolTip(
        tr("Show every recorded frame. When off, interpreter frames are hidden, as in PyTorch's viewer."));
    bar->addWidget(m_allFrames);
    connect(m_allFrames, &QPushButton::toggled, this, [this] { outdate(); });
    bar->addStretch(1);
    m_find = new QLineEdit(this);
    m_find->setPlaceholderText(tr("Find in stacks"));
    m_find->setAccessibleName(tr("Find in stacks"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(170));
    bar->addWidget(m_find, 1);
    auto* const column = static_cast<QVBoxLayout*>(layout());
    auto* const frame = new QHBoxLayout;
    frame->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), 0);
    frame->addWidget(m_view);
    column->addLayout(frame, 1);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setVisible(false);
    column->addWidget(m_hint);
    column->addWidget(makeFooter());
    connect(m_find, &QLineEdit::textChanged, this, [this] { compute(false); });
    connect(m_view, &FlameView::layoutRequested, this, [this] { compute(true); });
    connect(m_view, &FlameView::chosenChanged, this, &FlamePane::showChosen);
    connect(m_view, &FlameView::focusRequested, this, [this](uint32_t node) {
        m_focus = node;
        compute(true);
    });
}

FlamePane::~FlamePane() = default;

QWidget* FlamePane::makeFooter()
{
    auto* const footer = new QWidget(this);
    auto* const grid = new QGridLayout(footer);
    grid->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), scaledPixels(6));
    grid->setVerticalSpacing(scaledPixels(2));
    for (QLabel** const label : {&m_name, &m_usage, &m_legend}) {
        *label = new QLabel(footer);
        (*label)->setTextFormat(Qt::PlainText);
        (*label)->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        (*label)->setProperty("small", true);
    }
    m_name->setProperty("strong", true);
    m_usage->setProperty("muted", true);
    // Rich text is safe, because it contains only Lockstep's own colors and strings.
    m_legend->setTextFormat(Qt::RichText);
    m_zoomOut = new QPushButton(tr("Zoom out"), footer);
    m_zoomOut->setToolTip(tr("Back to all live blocks. Press Esc to zoom out by one frame."));
    m_timeline = new QPushButton(tr("Show in timeline"), footer);
    grid->addWidget(m_name, 0, 0);
    grid->addWidget(m_usage, 1, 0);
    grid->addWidget(m_zoomOut, 0, 1, 2, 1);
    grid->addWidget(m_timeline, 0, 2, 2, 1);
    grid->addWidget(m_legend, 2, 0, 1, 3);
    grid->setColumnStretch(0, 1);
    connect(m_zoomOut, &QPushButton::clicked, this, [this] {
        m_focus = 0;
        compute(true);
    });
    connect(m_timeline, &QPushButton::clicked, this, [this] {
        if (hasSource()) emit timelineRequested(moment());
    });
    return footer;
}

void FlamePane::setTheme(const Theme& theme)
{
    MemoryPane::setTheme(theme);
    m_view->setTheme(theme);
    showLegend();
}

// Shows the legend of the categories on screen.
void FlamePane::showLegend()
{
    std::array<bool, static_cast<size_t>(MemoryCategory::count) + 1> isThere{};
    if (m_view->picture() != nullptr) {
        for (const FlameNode& node : *m_view->picture()->nodes)
            isThere[static_cast<size_t>(node.category)] = true;
    }
    QString legend;
    for (size_t i = 0; i < isThere.size(); ++i) {
        const auto category = static_cast<MemoryCategory>(i);
        if (isThere[i]) legend += legendEntry(memoryColor(theme(), category), categoryText(category));
    }
    m_legend->setText(legend);
}

QString FlamePane::footText() const
{
    return m_name->text() + '\n' + m_usage->text();
}

MemoryMoment FlamePane::moment() const
{
    switch (m_at->checkedId()) {
    case kAtCursor:
        if (pointed().moment) return *pointed().moment;
        break;
    case kAtFailure:
        if (facts() && !facts()->failures.empty()) return facts()->failures.front().moment;
        break;
    case kAtEnd:
        return source().device().lastMoment();
    default:
        break;
    }
    return source().device().peaks.active.moment;
}

void FlamePane::refresh()
{
    factsArrived();
    offerCursor();
    if (!m_at->checkedButton()->isEnabled()) m_at->button(kAtPeak)->setChecked(true);
    m_timeline->setEnabled(source().hasTimes());
    m_timeline->setToolTip(source().hasTimes() ? QString()
                                               : tr("The entries of this file have no timestamps"));
    compute(false);
}

void FlamePane::factsArrived()
{
    m_at->button(kAtFailure)->setEnabled(facts() && !facts()->failures.empty());
}

void FlamePane::offerCursor()
{
    QAbstractButton* const cursor = m_at->button(kAtCursor);
    cursor->setEnabled(pointed().moment.has_value());
    if (pointed().moment) {
        const QString where = tr("At %1, selected in the timeline or in another view")
                                  .arg(source().momentText(*pointed().moment));
        cursor->setToolTip(pointed().uncertainty.isEmpty() ? where : where + "\n" + pointed().uncertainty);
    } else {
        cursor->setToolTip(pointed().uncertainty.isEmpty()
                               ? tr("Select a kernel or a block in the timeline, or a time in another view")
                               : pointed().uncertainty);
    }
}

void FlamePane::pointedChanged(bool hasMoved)
{
    offerCursor();
    if (m_at->checkedId() != kAtCursor) return;
    if (!pointed().moment) return m_at->button(kAtPeak)->setChecked(true);
    if (hasMoved) return outdate();
    showChosen(m_view->chosen()); // the uncertainty of the point in time may have changed
}

void FlamePane::compute(bool isSameTree)
{
    if (!hasSource()) return;
    const bool isReused = isSameTree && m_view->picture() != nullptr && !m_job.isRunning();
    if (!isSameTree) m_focus = 0;
    Request request{source(),
                    moment(),
                    m_order->checkedId() == 1,
                    !m_allFrames->isChecked(),
                    m_find->text().toStdString(),
                    {m_focus, m_view->drawWidth(), scaledPixels(3), m_width->checkedId() == 1},
                    isReused ? m_view->picture()->nodes : nullptr};
    m_job.start([request](const Progress& progress) { return request.picture(progress); });
}

void FlamePane::showChosen(uint32_t node)
{
    const FlamePicture* const picture = m_view->picture();
    if (picture == nullptr || node >= picture->nodes->size()) return;
    const FlameNode& shown = (*picture->nodes)[node];
    const int64_t whole = picture->nodes->front().size_bytes;
    m_name->setText(node == 0 ? tr("All live blocks at %1").arg(picture->source.momentText(picture->moment))
                              : frameText(picture->source, shown.frame));
    if (node == 0 && m_at->checkedId() == kAtCursor && !pointed().uncertainty.isEmpty())
        m_name->setText(m_name->text() + "; " + pointed().uncertainty);
    const double share =
        whole > 0 ? 100.0 * static_cast<double>(shown.size_bytes) / static_cast<double>(whole) : 0;
    QString holds = tr("%1 live (%3 % of live memory), blocks: %2")
                        .arg(byteQText(shown.size_bytes),
                             QString::fromStdString(groupedText(static_cast<int64_t>(shown.blocks))),
                             QString::number(share, 'f', 1));
    if (picture->isSearched) {
        holds +=
            tr("; %1 on stacks that match \u201C%2\u201D").arg(byteQText(shown.found_bytes), m_find->text());
    }
    if (picture->layout.unseen > 0)
        holds += tr("; frames narrower than a pixel: %1").arg(picture->layout.unseen);
    m_usage->setText(holds);
    m_view->setAccessibleDescription(footText());
    m_without.cancel();
    if (node != 0 && shown.frame.isValid() && m_at->checkedId() == kAtPeak) computePeakWithout(node);
}

void FlamePane::computePeakWithout(uint32_t node)
{
    const MemoryFrameId frame = (*m_view->picture()->nodes)[node].frame;
    m_without.start([source = source(), frame](const Progress& progress) -> Result<MemoryPeak> {
        std::vector<bool> frames(source.snapshot().frames.size());
        frames[frame.value] = true;
        const std::vector<bool> stacks = stacksWith(source.snapshot(), frames);
        LOCKSTEP_TRY(progress.check());
        return peakWithout(source.device(), stacks);
    });
}

} // namespace lockstep
