// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/area_pane.h"

#include <array>
#include <cmath>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// The slider's steps are tenths of a power of ten: from 10 areas to 15 000, the maximum of PyTorch's viewer.
constexpr int kMinTenths = 10, kMaxTenths = 42;

size_t areasOf(int tenths)
{
    return static_cast<size_t>(std::lround(std::pow(10.0, tenths / 10.0)));
}

} // namespace

AreaPane::AreaPane(AreaKind kind, const QString& name, const QString& caption, QWidget* parent)
    : MemoryPane(name, parent), m_kind(kind), m_caption(caption), m_view(new AreaView(name, this)),
      m_job([this](Result<std::shared_ptr<const AreaPicture>> made) {
          if (!made) return m_under->setText(QString::fromStdString(made.error().message));
          m_view->setPicture(*made);
          showDetailText();
      })
{
    makeControls();
    static_cast<QVBoxLayout*>(layout())->addWidget(m_view, 1);
    makeFooter();
    connect(m_view, &AreaView::pictureRequested, this, &AreaPane::compute);
    connect(m_view, &AreaView::activated, this, &AreaPane::stateRequested);
    connect(m_view, &AreaView::cursorMoved, this, &AreaPane::showCursorText);
    connect(m_view, &AreaView::picked, this, &AreaPane::pick);
}

AreaPane::~AreaPane() = default;

void AreaPane::makeControls()
{
    QHBoxLayout* const bar = makeBar();
    if (m_kind != AreaKind::segments) {
        m_by = addChoice(bar, tr("Areas"), {tr("blocks"), tr("stacks"), tr("categories")},
                         {tr("One area per block"), tr("One area per allocating stack"),
                          tr("One area per category: weights, gradients and so on")});
    }
    m_axis = addChoice(
        bar, tr("Axis"), {tr("time"), tr("entries")},
        {tr("Time on the file's clock"), tr("History entries, evenly spaced, as in PyTorch's viewer")});
    auto* const detail = new QLabel(tr("Detail"), this);
    detail->setProperty("muted", true);
    m_detail = new QSlider(Qt::Horizontal, this);
    m_detail->setRange(kMinTenths, kMaxTenths);
    m_detail->setValue(kMaxTenths);
    m_detail->setFixedWidth(scaledPixels(120));
    m_detail->setAccessibleName(tr("Detail: number of areas drawn separately"));
    m_detailText = new QLabel(this);
    m_detailText->setProperty("muted", true);
    bar->addWidget(detail);
    bar->addWidget(m_detail);
    bar->addWidget(m_detailText);
    bar->addStretch(1);
    m_note = new QLabel(m_caption, this);
    m_note->setProperty("muted", true);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    bar->addWidget(m_note, 4);
    connect(m_detail, &QSlider::valueChanged, this, &AreaPane::compute);
}

void AreaPane::makeFooter()
{
    auto* const footer = new QHBoxLayout;
    footer->setContentsMargins(scaledPixels(12), scaledPixels(2), scaledPixels(12), scaledPixels(8));
    m_under = new QLabel(this);
    m_under->setTextFormat(Qt::PlainText);
    m_under->setProperty("small", true);
    m_under->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_state = new QPushButton(tr("Show allocator state"), this);
    m_timeline = new QPushButton(tr("Show in timeline"), this);
    footer->addWidget(m_under, 1);
    footer->addWidget(m_state);
    footer->addWidget(m_timeline);
    static_cast<QVBoxLayout*>(layout())->addLayout(footer);
    connect(m_state, &QPushButton::clicked, this, [this] {
        if (const auto moment = m_view->cursorMoment()) emit stateRequested(*moment);
    });
    connect(m_timeline, &QPushButton::clicked, this, [this] {
        if (const auto moment = m_view->cursorMoment()) emit timelineRequested(*moment);
    });
}

void AreaPane::setTheme(const Theme& theme)
{
    MemoryPane::setTheme(theme);
    m_view->setTheme(theme);
    outdate(); // the areas depend on the theme
}

QString AreaPane::cursorText() const
{
    return m_under->text();
}

// Enables the controls that the current source supports.
void AreaPane::offer()
{
    const MemoryRecording& recording = source().recording();
    m_state->setVisible(recording.hasSegments);
    const bool hasLine = m_kind != AreaKind::active || source().device().segments.isKnown;
    m_note->setText(hasLine ? m_caption : tr("reserved memory is not recorded"));
    m_note->setToolTip(m_note->text());
    if (m_by == nullptr) return;
    m_by->button(0)->setEnabled(recording.hasBlocks);
    m_by->button(0)->setToolTip(recording.hasBlocks ? tr("One area per block")
                                                    : tr("This file does not record individual blocks"));
    if (!recording.hasBlocks && m_by->checkedId() == 0) m_by->button(1)->setChecked(true);
}

void AreaPane::refresh()
{
    offer();
    const bool hasTimes = source().hasTimes();
    m_axis->button(0)->setEnabled(hasTimes);
    m_axis->button(0)->setToolTip(hasTimes ? tr("Time on the file's clock")
                                           : tr("The entries of this file have no timestamps"));
    if (!hasTimes) m_axis->button(1)->setChecked(true);
    m_view->setPointed(pointed().moment, pointed().life);
    factsArrived();
    compute();
}

void AreaPane::factsArrived()
{
    std::vector<MemoryMoment> marks;
    if (facts() != nullptr) {
        for (const OutOfMemoryCause& failure : facts()->failures)
            marks.push_back(failure.moment);
    }
    m_view->setMarks(std::move(marks));
}

void AreaPane::pointedChanged(bool)
{
    m_view->setPointed(pointed().moment, pointed().life);
    showCursorText();
}

void AreaPane::showCursorText()
{
    QString text = m_view->cursorText();
    const bool isHidden = pointed().life.isValid() && m_view->picture() != nullptr &&
                          m_view->picture()->isOfBlocks() && !m_view->isPointedBlockDrawn();
    if (text.isEmpty() && isHidden) {
        text = tr("The selected block has no area of its own here: it is merged with other small areas, or "
                  "was live at a different time.");
    }
    m_view->setAccessibleDescription(text);
    m_under->setText(text.isEmpty() ? tr("Point to an area or use the arrow keys. Click or press Space to "
                                         "select. W/S: zoom, A/D: pan, 0: show all.")
                                    : text);
    const bool hasCursor = m_view->cursorMoment().has_value();
    m_state->setEnabled(hasCursor);
    m_timeline->setEnabled(hasCursor && hasSource() && source().hasTimes());
}

void AreaPane::pick()
{
    const auto moment = m_view->cursorMoment();
    if (!moment) return;
    if (m_view->picture()->isOfBlocks()) emit blockChosen(m_view->cursorBlock());
    emit momentPointed(*moment);
}

void AreaPane::compute()
{
    if (!hasSource()) return;
    if (!isVisible()) return outdate(); // refresh once the pane is visible
    AreaRequest request;
    request.source = source();
    request.kind = m_kind;
    constexpr std::array kBy{MemoryGrouping::block, MemoryGrouping::stack, MemoryGrouping::category};
    if (m_by != nullptr) request.by = kBy[static_cast<size_t>(m_by->checkedId())];
    request.maxAreas = areasOf(m_detail->value());
    request.isByTime = m_axis->checkedId() == 0;
    request.from = m_view->from();
    request.until = m_view->until();
    request.size = m_view->plotPixels();
    request.theme = &theme();
    m_job.start([request](const Progress& progress) { return makeAreaPicture(request, progress); });
}

void AreaPane::showDetailText()
{
    const AreaStack& stack = m_view->picture()->layout.stack;
    const auto number = [](size_t n) { return QString::fromStdString(groupedText(static_cast<int64_t>(n))); };
    const size_t own = stack.areas.size() - (stack.summedUp > 0 ? 1 : 0);
    m_detailText->setText(stack.summedUp == 0
                              ? tr("all %1").arg(number(own))
                              : tr("%1 of %2").arg(number(own), number(own + stack.summedUp)));
}

} // namespace lockstep
