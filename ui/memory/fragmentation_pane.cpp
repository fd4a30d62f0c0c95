// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/fragmentation_pane.h"

#include <algorithm>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/models/table_model.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kTableMoments = 200; // number of points in time in the table "over time"

} // namespace

FragmentationPane::FragmentationPane(QWidget* parent)
    : MemoryPane(tr("Fragmentation"), parent), m_chart(new AreaView(tr("Free memory in the pool"), this)),
      m_model(new TableModel(this)), m_view(new TableView(this)), m_moment(new QLabel(this)),
      m_under(new QLabel(this)), m_picture([this](Result<std::shared_ptr<const AreaPicture>> made) {
          if (!made) return m_under->setText(QString::fromStdString(made.error().message));
          m_chart->setPicture(*made);
          if (!pointed().moment) computeTable();
      }),
      m_tables([this](Result<Segments> made) { take(std::move(made)); })
{
    QHBoxLayout* const bar = makeBar();
    m_choice = addChoice(bar, tr("Table"), {tr("pinned segments"), tr("over time")},
                         {tr("Segments at the cursor that live blocks keep from being returned to the "
                             "device"),
                          tr("Fragmentation of free memory, sampled at 200 points in the recording")});
    bar->addStretch(1);
    for (QLabel* const label : {m_moment, m_under}) {
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    bar->addWidget(m_moment, 20);
    m_moment->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* const under = new QHBoxLayout;
    under->setContentsMargins(scaledPixels(12), scaledPixels(2), scaledPixels(12), scaledPixels(6));
    under->addWidget(m_under);
    auto* const column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(m_chart, 3);
    column->addLayout(under);
    column->addWidget(m_view, 2);
    m_view->setTable(m_model);
    m_view->setAccessibleName(tr("Segments with free memory"));
    m_view->setTextElideMode(Qt::ElideRight);
    connect(m_chart, &AreaView::pictureRequested, this, &FragmentationPane::computePicture);
    connect(m_chart, &AreaView::activated, this, &FragmentationPane::stateRequested);
    connect(m_chart, &AreaView::cursorMoved, this, &FragmentationPane::showCursorText);
    connect(m_chart, &AreaView::picked, this, [this] {
        if (const auto moment = m_chart->cursorMoment()) emit momentPointed(*moment);
    });
}

FragmentationPane::~FragmentationPane() = default;

void FragmentationPane::setTheme(const Theme& theme)
{
    MemoryPane::setTheme(theme);
    m_chart->setTheme(theme);
    m_view->setTheme(theme);
    outdate(); // the areas depend on the theme
}

const Table* FragmentationPane::table() const
{
    return m_model->table();
}

QString FragmentationPane::momentText() const
{
    return m_moment->text();
}

void FragmentationPane::refresh()
{
    m_chart->setPointed(pointed().moment, {});
    factsArrived();
    computePicture();
    computeTable();
}

void FragmentationPane::factsArrived()
{
    std::vector<MemoryMoment> marks;
    if (facts() != nullptr) {
        for (const OutOfMemoryCause& failure : facts()->failures)
            marks.push_back(failure.moment);
    }
    m_chart->setMarks(std::move(marks));
}

void FragmentationPane::pointedChanged(bool hasMoved)
{
    m_chart->setPointed(pointed().moment, {});
    if (hasMoved) computeTable();
}

std::optional<MemoryMoment> FragmentationPane::moment() const
{
    if (pointed().moment) return pointed().moment;
    const AreaPicture* const shown = m_chart->picture();
    if (shown == nullptr || shown->layout.levels.empty() || shown->request.source.memory != source().memory ||
        shown->request.source.deviceRow != source().deviceRow)
        return std::nullopt;
    const auto& levels = shown->layout.levels;
    const auto maximum = std::ranges::max_element(levels, {}, &MemoryLevels::unused);
    return shown->layout.moments[static_cast<size_t>(maximum - levels.begin())];
}

void FragmentationPane::computePicture()
{
    if (!hasSource()) return;
    if (!isVisible()) return outdate(); // refresh once the pane is visible
    AreaRequest request;
    request.source = source();
    request.kind = AreaKind::unused;
    request.from = m_chart->from();
    request.until = m_chart->until();
    request.size = m_chart->plotPixels();
    request.theme = &theme();
    m_picture.start([request](const Progress& progress) { return makeAreaPicture(request, progress); });
}

void FragmentationPane::computeTable()
{
    if (!hasSource() || !isVisible()) return;
    const auto at = moment();
    if (!at) return; // computed when the image arrives
    const bool isOverTime = m_choice->checkedId() == 1;
    m_tables.start([shown = source(), at = *at, isOverTime](const Progress& progress) -> Result<Segments> {
        Segments out;
        out.at = fragmentationOf(stateAt(shown.device(), std::min(at, shown.device().lastMoment())));
        LOCKSTEP_TRY(progress.check());
        out.isOverTime = isOverTime;
        out.table = isOverTime ? LOCKSTEP_TRY(fragmentationTable(shown.at(at), kTableMoments, progress))
                               : pinnedSegmentTable(shown.at(at));
        return out;
    });
}

void FragmentationPane::take(Result<Segments> made)
{
    if (!made) return m_moment->setText(QString::fromStdString(made.error().message));
    const bool isOther = m_model->columnCount() == 0 || m_model->table()->name() != made->table->name();
    m_model->setTable(made->table);
    m_view->stretchWideColumn(*made->table);
    if (isOther) m_view->sortByColumn(-1, Qt::AscendingOrder); // in the table's own order
    m_view->fitColumns();
    const Fragmentation& at = made->at;
    m_moment->setText(tr("%1: %2 free, chunks: %3, largest: %4, pinned: %5")
                          .arg(source().momentText(at.moment).section(", ", 0, 0),
                               byteQText(static_cast<int64_t>(at.free_bytes)))
                          .arg(at.gaps)
                          .arg(byteQText(static_cast<int64_t>(at.largestGap_bytes)),
                               byteQText(static_cast<int64_t>(at.pinned_bytes))));
    m_moment->setToolTip(tr("Pinned: free memory in segments that a live block keeps from being "
                            "returned to the device"));
}

void FragmentationPane::showCursorText()
{
    const QString text = m_chart->cursorText();
    m_chart->setAccessibleDescription(text);
    m_under->setText(text.isEmpty()
                         ? tr("Bottom: active memory. Top: free memory in the pool. Click a point in time "
                              "or press Space to list its segments.")
                         : text);
}

} // namespace lockstep
