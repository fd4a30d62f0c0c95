// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_card.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/memory/neighbor_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kShownSuspects = 3;

QLabel* plainLabel(const QString& text, const char* property, QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setText(text);
    label->setProperty(property, true);
    label->setProperty("small", true);
    return label;
}

QString percentText(double part, double whole)
{
    return whole > 0 ? QString::number(100 * part / whole, 'f', 1) + " %" : QString("\u2013");
}

} // namespace

MemoryCard::MemoryCard(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Peak, failed allocations and leak suspects"));
    clear();
}

void MemoryCard::clear()
{
    m_text.clear();
    m_neighbors = nullptr;
    // Not deleted at once, because a button in the old widget may be the sender.
    if (QWidget* const old = takeWidget()) {
        old->hide();
        old->deleteLater();
    }
    m_body = new QWidget(this);
    m_body->setProperty("page", true);
    m_body->setAttribute(Qt::WA_StyledBackground);
    m_lines = new QVBoxLayout(m_body);
    m_lines->setContentsMargins(scaledPixels(14), scaledPixels(10), scaledPixels(14), scaledPixels(10));
    m_lines->setSpacing(scaledPixels(3));
    setWidget(m_body);
}

void MemoryCard::show(const MemorySource& source, const MemoryFacts* facts)
{
    clear();
    addPeak(source, facts);
    if (facts == nullptr) {
        addLine(tr("Looking for failed allocations and leaks\u2026"));
    } else {
        if (facts->failureCount > 0) addFailure(source, *facts);
        addSuspects(source, *facts);
        addNotes(source);
    }
    m_lines->addStretch(1);
    m_body->show();
    setAccessibleDescription(text());
}

void MemoryCard::showBlock(const MemorySource& source, BlockLifeId life)
{
    clear();
    const BlockLifeTable& blocks = source.device().blocks;
    const size_t row = life.value;
    const bool isBefore = blocks.isPreexisting(row), isNeverFreed = blocks.isNeverFreed(row);
    addHeader(tr("Block of %1").arg(byteQText(blocks.size_bytes[row])), source.name);
    addFact(tr("category"), categoryText(source.categoryOfLife(life)), {});
    const MemoryRecording& recording = source.recording();
    const bool isRest = (blocks.flags[row] & blockFlag::kRest) != 0;
    if (recording.hasAddresses && !isRest)
        addFact(tr("address"), QString::number(blocks.address[row], 16), {});
    if (recording.hasRequested) addFact(tr("requested"), byteQText(blocks.requested_bytes[row]), {});
    if (const auto stream = source.memory->replay.streamOf(source.device(), life))
        addFact(tr("stream"), QString::number(*stream), {});
    addLine(isBefore ? tr("Allocated before the recording began.")
                     : tr("Allocated at %1.").arg(source.momentText(blocks.allocated[row])));
    addLine(isNeverFreed ? tr("Never freed during the recording.")
                         : tr("Freed at %1.").arg(source.momentText(blocks.freed[row])));
    if ((blocks.flags[row] & blockFlag::kSizeGuessed) != 0)
        addLine(tr("The allocated size is not recorded. It may be up to 1 MiB larger than shown."));
    if ((blocks.flags[row] & blockFlag::kFreeGuessed) != 0)
        addLine(tr("The address was allocated again without a recorded free. The time of the free is an "
                   "estimate."));
    if (isRest) {
        addLine(tr("Not a single block, but all memory that was allocated before the recording and not "
                   "freed during it. Only the total is recorded."));
    }
    if (!recording.hasBlocks)
        addLine(tr("Part of a recorded total, not a real block: the file records no individual "
                   "allocations. Start and end are synthetic."));
    addBlockLinks(source, life);
    if (recording.hasSegments) {
        m_neighbors = new NeighborView(source, life, m_body);
        m_neighbors->setTheme(*m_theme);
        m_lines->addWidget(m_neighbors);
    }
    addStack(source, blocks.stack[row]);
    m_lines->addStretch(1);
    m_body->show();
    setAccessibleDescription(text());
}

void MemoryCard::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (m_neighbors != nullptr) m_neighbors->setTheme(theme);
}

void MemoryCard::setState(const AllocatorState* state)
{
    if (m_neighbors != nullptr) m_neighbors->setState(state);
}

void MemoryCard::addStack(const MemorySource& source, MemoryStackId stack)
{
    constexpr size_t kShownFrames = 40;
    const auto frames = source.snapshot().stack(stack);
    addHeader(tr("Stack, innermost first"), shownText(source.recording().stackRemark));
    if (frames.empty()) addLine(tr("No stack recorded."));
    for (size_t i = 0; i < std::min(frames.size(), kShownFrames); ++i)
        addLine(QString("%1  %2").arg(i).arg(frameText(source, frames[i])), "value");
    if (frames.size() > kShownFrames) addLine(tr("and %1 more").arg(frames.size() - kShownFrames));
}

void MemoryCard::addHeader(const QString& heading, const QString& remark, bool isBad)
{
    if (!m_text.isEmpty()) {
        auto* const rule = new QFrame(m_body);
        rule->setProperty("rule", true);
        m_lines->addSpacing(scaledPixels(8));
        m_lines->addWidget(rule);
        m_lines->addSpacing(scaledPixels(6));
    }
    auto* const line = new QHBoxLayout;
    QLabel* const name = plainLabel(heading, "strong", m_body);
    if (isBad) name->setProperty("tone", "bad");
    line->addWidget(name);
    line->addStretch(1);
    QLabel* const after = plainLabel({}, "muted", m_body);
    after->setText(after->fontMetrics().elidedText(remark, Qt::ElideMiddle, scaledPixels(170)));
    after->setAccessibleName(remark);
    line->addWidget(after);
    m_lines->addLayout(line);
    m_text << heading + ' ' + remark;
}

void MemoryCard::addFact(const QString& name, const QString& value, const QString& remark)
{
    auto* const line = new QHBoxLayout;
    QLabel* const left = plainLabel(name, "muted", m_body);
    left->setFixedWidth(scaledPixels(96));
    line->addWidget(left);
    QLabel* const middle = plainLabel(value, "value", m_body);
    m_text << name + ' ' + value + ' ' + remark;
    if (remark.isEmpty()) { // without a remark, the value (such as an address) gets the full width
        line->addWidget(middle, 1);
        return m_lines->addLayout(line);
    }
    middle->setAlignment(Qt::AlignRight);
    middle->setFixedWidth(scaledPixels(78));
    line->addWidget(middle);
    QLabel* const right = plainLabel(remark, "muted", m_body);
    right->setAlignment(Qt::AlignRight);
    line->addWidget(right, 1);
    m_lines->addLayout(line);
}

void MemoryCard::addLine(const QString& text, const char* property)
{
    // Paths may break at slashes and names at scopes, so that no line is wider than the card.
    QLabel* const line =
        plainLabel(QString(text).replace('/', "/\u200B").replace("::", "::\u200B"), property, m_body);
    line->setWordWrap(true);
    line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_lines->addWidget(line);
    m_text << text;
}

void MemoryCard::addLinks(const MemorySource& source, MemoryMoment moment)
{
    auto* const line = new QHBoxLayout;
    const auto addLink = [&](const QString& text) {
        auto* const link = new QToolButton(m_body);
        link->setText(text);
        link->setProperty("link", true);
        link->setFocusPolicy(Qt::StrongFocus);
        line->addWidget(link);
        return link;
    };
    if (source.recording().hasSegments) {
        connect(addLink(tr("Show allocator state")), &QToolButton::clicked, this,
                [this, moment] { emit stateRequested(moment); });
    }
    line->addStretch(1);
    if (source.hasTimes()) {
        connect(addLink(tr("Show in timeline")), &QToolButton::clicked, this,
                [this, moment] { emit timelineRequested(moment); });
    }
    m_lines->addLayout(line);
}

void MemoryCard::addBlockLinks(const MemorySource& source, BlockLifeId life)
{
    auto* const line = new QHBoxLayout;
    const BlockLifeTable& blocks = source.device().blocks;
    const auto addButton = [&](const QString& text, const QString& tooltip, auto act) {
        auto* const button = new QPushButton(text, m_body);
        button->setProperty("toggle", true);
        button->setToolTip(tooltip);
        line->addWidget(button);
        connect(button, &QPushButton::clicked, this, act);
        return button;
    };
    QPushButton* const allocation =
        addButton(tr("Show allocation"), tr("Allocator state when the block was allocated"),
                  [this, moment = blocks.allocated[life.value]] { emit stateRequested(moment); });
    if (blocks.isPreexisting(life.value)) {
        allocation->setEnabled(false);
        allocation->setToolTip(tr("Allocated before the recording began"));
    }
    QPushButton* const freed =
        addButton(tr("Show free"), tr("Allocator state after the block was freed"),
                  [this, moment = blocks.freed[life.value]] { emit stateRequested(moment); });
    if (blocks.isNeverFreed(life.value)) {
        freed->setEnabled(false);
        freed->setToolTip(tr("Never freed during the recording"));
    }
    allocation->setVisible(source.recording().hasSegments);
    freed->setVisible(source.recording().hasSegments);
    if (source.hasTimes()) {
        addButton(tr("Show in timeline"), tr("From allocation to free"),
                  [this, life] { emit lifeRequested(life); });
    }
    line->addStretch(1);
    m_lines->addSpacing(scaledPixels(4));
    m_lines->addLayout(line);
}

void MemoryCard::addPeak(const MemorySource& source, const MemoryFacts* facts)
{
    const MemoryPeak& peak = source.device().peaks.active;
    const MemoryLevels& levels = peak.levels;
    addHeader(tr("Peak %1").arg(byteQText(levels.active)), source.name);
    if (source.device().rows.empty()) {
        addLine(tr("This file has no allocation history, only the state at the time of the dump. To "
                   "record a history, call torch.cuda.memory._record_memory_history()."));
    } else {
        addLine(source.momentText(peak.moment));
    }
    const MemoryRecording& recording = source.recording();
    if (const auto explanation = recording.explanation; !explanation.empty()) addLine(shownText(explanation));
    if (recording.hasRequested) {
        addFact(tr("requested"), byteQText(levels.requested), tr("by the program"));
        addFact(tr("active"), byteQText(levels.active),
                tr("rounding %1")
                    .arg(percentText(static_cast<double>(levels.active - levels.requested),
                                     static_cast<double>(levels.active))));
    } else {
        addFact(tr("active"), byteQText(levels.active), recording.hasBlocks ? tr("as allocated") : QString());
    }
    addReserved(source, levels, facts);
    addLinks(source, peak.moment);
}

void MemoryCard::addReserved(const MemorySource& source, const MemoryLevels& levels, const MemoryFacts* facts)
{
    if (!source.device().segments.isKnown) return addLine(tr("Reserved memory is not recorded."));
    addFact(tr("reserved"), byteQText(levels.reserved), tr("by the allocator"));
    addFact(
        tr("free"), byteQText(levels.unused()),
        tr("%1 of reserved")
            .arg(percentText(static_cast<double>(levels.unused()), static_cast<double>(levels.reserved))));
    if (facts != nullptr && source.recording().hasSegments) {
        addFact(tr("largest chunk"), byteQText(facts->peakPool.largestGap_bytes),
                tr("free chunks: %1").arg(facts->peakPool.gaps));
    }
}

// Lists contradictions in the file and how they were resolved.
void MemoryCard::addNotes(const MemorySource& source)
{
    const std::vector<ImportNote>& notes = source.memory->replay.notes.all();
    if (notes.empty()) return;
    addHeader(tr("Limitations"), tr("in this file"));
    for (const ImportNote& note : notes)
        addLine(tr("%1 \u00D7 %2")
                    .arg(QString::fromStdString(groupedText(static_cast<int64_t>(note.count))),
                         shownText(note.text)));
}

void MemoryCard::addFailure(const MemorySource& source, const MemoryFacts& facts)
{
    if (facts.failures.empty()) return;
    const OutOfMemoryCause& first = facts.failures.front();
    addHeader(tr("OOM: requested %1").arg(byteQText(first.requested_bytes)),
              facts.failureCount > 1 ? tr("first of %1").arg(facts.failureCount) : QString(), true);
    addLine(source.momentText(first.moment));
    addLine(shownText(facts.failureText, 900), "value");
    addLinks(source, first.moment);
}

void MemoryCard::addSuspects(const MemorySource& source, const MemoryFacts& facts)
{
    // Leaks cannot be detected if frees are not recorded.
    if (source.device().rows.empty() || !source.recording().hasBlocks) return;
    if (!facts.growing.empty()) {
        addHeader(tr("Leak suspects"), tr("growth over %1 steps").arg(facts.steps.size()));
        for (size_t i = 0; i < std::min(kShownSuspects, facts.growing.size()); ++i) {
            const GrowingStack& stack = facts.growing[i];
            addLine(tr("+%1  %2").arg(byteQText(stack.growth_bytes), stackShown(source, stack.stack)),
                    "value");
        }
    } else {
        addHeader(tr("Never freed"), tr("during the recording"));
        if (facts.unfreed.empty()) addLine(tr("Everything allocated during the recording was freed."));
        for (size_t i = 0; i < std::min(kShownSuspects, facts.unfreed.size()); ++i) {
            const UnfreedStack& stack = facts.unfreed[i];
            addLine(tr("%1  %2").arg(byteQText(stack.size_bytes), stackShown(source, stack.stack)), "value");
        }
        if (facts.steps.empty() && !facts.unfreed.empty())
            addLine(tr("No step annotations: growth per step cannot be measured."));
    }
    const MemoryTrend& trend = facts.trend;
    if (trend.samples == 0) return;
    const QString slope = byteQText(int64_t(std::llround(std::abs(trend.slope_gbPerStep) * 1e9)));
    const QString error = byteQText(int64_t(std::llround(trend.slopeError_gbPerStep * 1e9)));
    addLine(tr("Allocated memory: %1%2 per step \u00B1 %3 over %4 steps: %5")
                .arg(trend.slope_gbPerStep < 0 ? "\u2212" : "+", slope, error)
                .arg(trend.samples)
                .arg(!trend.hasEnoughSamples ? tr("too few steps to tell")
                     : trend.isLeak          ? tr("leak by the 1 MB/step rule")
                                             : tr("no leak")));
}

} // namespace lockstep
