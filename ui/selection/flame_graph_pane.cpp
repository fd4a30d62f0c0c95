// SPDX-License-Identifier: Apache-2.0
#include "ui/selection/flame_graph_pane.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/analysis/duration_statistics.h"
#include "core/base/text.h"
#include "ui/panels/segments.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString percentText(int64_t part, int64_t whole)
{
    const double share = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    return QString::number(share, 'f', 1) + " %";
}

QString flameCountText(uint64_t count)
{
    return QString::fromUtf8(groupedText(static_cast<int64_t>(count)));
}

} // namespace

bool AreaFlameChart::isTreeOf(const FlameChart& other) const
{
    return static_cast<const AreaFlameChart&>(other).flame == flame;
}

QString AreaFlameChart::textOf(const FlameBox& box) const
{
    const QString name = box.node == 0 ? FlameGraphPane::tr("selection")
                                       : QString::fromUtf8(printable(flame->names[box.node]));
    const FlameFrame& root = flame->frames.front();
    return name + " " +
           (isByCount ? percentText(static_cast<int64_t>(box.count), static_cast<int64_t>(root.count))
                      : percentText(box.size, root.size));
}

QString AreaFlameChart::sizeText(const FlameBox& box) const
{
    return isByCount ? flameCountText(box.count) : QString::fromUtf8(durationText({box.size}));
}

bool AreaFlameChart::isFramed(const FlameBox& box) const
{
    return !searched.isEmpty() && box.merged == 0 && hits.isHit[box.node];
}

QColor AreaFlameChart::colorOf(const FlameBox& box, const Theme& theme) const
{
    if (box.node == 0) return theme.panel;
    const QString& text = searched;
    const SliceCategory category = flame->categories[box.node];
    const QColor full =
        box.merged > 0 ? theme.line : theme.sliceColor(category, stableNameHash(flame->names[box.node]));
    // Frames that only enclose other frames are paler, so that frames with time of their own stand out.
    const bool isAround = category == SliceCategory::nvtx || category == SliceCategory::op ||
                          category == SliceCategory::python || category == SliceCategory::cudaApi;
    const QColor color = isAround ? mixed(full, theme.window, 0.55) : mixed(full, theme.window, 0.2);
    if (text.isEmpty()) return color;
    return !hits.isHit.empty() && hits.isHit[box.node] && box.merged == 0 ? full
                                                                          : mixed(color, theme.window, 0.6);
}

FlameGraphPane::FlameGraphPane(Workers workers, QWidget* parent)
    : QWidget(parent), m_view(new FlameView(this)), m_note(new QLabel(this)),
      m_job([this](Result<ChartPtr> made) { showChart(std::move(made)); }, std::move(workers))
{
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    makeBar();
    m_view->setRowHeight(19);
    m_view->setAccessibleName(tr("Flame graph of the selection"));
    auto* const frame = new QHBoxLayout;
    frame->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(12), 0);
    frame->addWidget(m_view);
    column->addLayout(frame, 1);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setProperty("small", true);
    m_note->setProperty("muted", true);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_note->setContentsMargins(scaledPixels(12), scaledPixels(2), scaledPixels(12), scaledPixels(2));
    column->addWidget(m_note);
    connect(m_view, &FlameView::layoutRequested, this, [this] { compute(true); });
    connect(m_view, &FlameView::focusRequested, this, [this](uint32_t node) {
        m_focus = node;
        compute(true);
    });
}

FlameGraphPane::~FlameGraphPane() = default;

void FlameGraphPane::makeBar()
{
    auto* const bar = new QWidget(this);
    bar->setProperty("page", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    layout()->addWidget(bar);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    line->setSpacing(scaledPixels(10));
    m_by = addSegments(*line, bar, {tr("ranges"), tr("stack")},
                       {tr("GPU work under the NVTX ranges and operators that launched it"),
                        tr("Every slice under the slices that contain it; GPU work appears under everything "
                           "that was running on the launching thread at the time of the launch")});
    m_direction = addSegments(*line, bar, {tr("top down"), tr("bottom up")},
                              {tr("From the outermost range inward"),
                               tr("Inverted: from each slice outward to the ranges that contain it")});
    m_width = addSegments(*line, bar, {tr("sum"), tr("count")},
                          {tr("Frame width: total time of the slices"), tr("Frame width: number of slices")});
    line->addStretch(1);
    m_hits = new QLabel(bar);
    m_hits->setObjectName("hits");
    m_hits->setTextFormat(Qt::PlainText);
    m_hits->setProperty("small", true);
    line->addWidget(m_hits);
    m_find = new QLineEdit(bar);
    m_find->setPlaceholderText(tr("Find in flame graph"));
    m_find->setAccessibleName(tr("Find in flame graph"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(200));
    line->addWidget(m_find, 1);
    for (const QButtonGroup* group : {m_by, m_direction}) {
        connect(group, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
            if (isChecked) compute(false);
        });
    }
    connect(m_width, &QButtonGroup::idToggled, this, [this](int, bool isChecked) {
        if (isChecked) compute(true);
    });
    connect(m_find, &QLineEdit::textChanged, this, [this] { compute(true); });
}

void FlameGraphPane::setSelection(ScenePtr scene, AreaQuery query)
{
    if (scene == m_scene && query == m_query) return;
    m_scene = std::move(scene);
    m_query = std::move(query);
    compute(false);
}

void FlameGraphPane::setTheme(const Theme& theme)
{
    m_view->setTheme(theme);
}

void FlameGraphPane::compute(bool isSameTree)
{
    if (!isSameTree) m_isTreeStale = true;
    if (m_scene == nullptr || m_query.isEmpty()) {
        m_job.cancel();
        m_hits->clear();
        m_note->clear();
        return m_view->setChart(nullptr);
    }
    if (m_isTreeStale) m_focus = 0;
    const std::shared_ptr<const AreaFlame> reused =
        m_isTreeStale || chart() == nullptr ? nullptr : chart()->flame;
    const auto by = static_cast<FlameBy>(m_by->checkedId());
    const FlameLayoutRequest frame{m_focus, m_view->drawWidth(), scaledPixels(3), m_width->checkedId() == 1};
    m_job.start([scene = m_scene, query = m_query, reused, by, frame, text = m_find->text(),
                 isInverted = m_direction->checkedId() == 1](const Progress& progress) -> Result<ChartPtr> {
        auto out = std::make_shared<AreaFlameChart>();
        out->flame = reused;
        if (reused == nullptr) {
            AreaFlame made = LOCKSTEP_TRY(areaFlame(*scene, query, by, isInverted, progress));
            out->flame = std::make_shared<const AreaFlame>(std::move(made));
        }
        out->isByCount = frame.isByCount;
        out->searched = text;
        out->hits = flameHits(*out->flame, text.toStdString(), frame.isByCount);
        LOCKSTEP_TRY(progress.check());
        out->layout = layOutFlame(out->flame->frames, frame);
        out->focus = frame.focus;
        return ChartPtr(std::move(out));
    });
}

void FlameGraphPane::showChart(Result<ChartPtr> made)
{
    if (!made) {
        m_note->setText(QString::fromStdString(made.error().message));
        return;
    }
    m_isTreeStale = false;
    const AreaFlameChart& shown = **made;
    m_view->setChart(*made);
    const QString frames =
        shown.hits.frames == 1 ? tr("1 frame") : tr("%1 frames").arg(flameCountText(shown.hits.frames));
    m_hits->setText(shown.searched.isEmpty()
                        ? QString()
                        : tr("%1, %2").arg(frames, percentText(shown.hits.found_all, shown.hits.size)));
    m_hits->setToolTip(
        shown.isByCount ? tr("Share of the entire graph by count. A match inside another match counts once.")
                        : tr("Share of the entire graph by sum. A match inside another match counts once."));
    QStringList notes;
    if (shown.flame->isOfWork && shown.flame->excluded > 0)
        notes << tr("GPU work only; other slices, included in \u201cstack\u201d: %1")
                     .arg(flameCountText(shown.flame->excluded));
    if (shown.flame->unlaunched > 0)
        notes << tr("slices without a recorded launch, shown at the root: %1")
                     .arg(flameCountText(shown.flame->unlaunched));
    if (shown.layout.unseen > 0)
        notes << tr("frames narrower than a pixel: %1").arg(flameCountText(shown.layout.unseen));
    m_note->setText(notes.join(" \u00B7 "));
    m_note->setVisible(!notes.isEmpty());
    m_view->setAccessibleDescription(m_hits->text() + "\n" + m_note->text());
}

QString FlameGraphPane::noteText() const
{
    return m_note->text();
}

} // namespace lockstep
