// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/details_panel.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/readers/argument_meaning.h"
#include "core/search/served_batch.h"
#include "core/trace/slice_context.h"
#include "ui/models/report_entry.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr size_t kMaxLinks = 200;

QString exactNs(int64_t ns)
{
    return QString::fromStdString(groupedText(ns)) + " ns";
}

QString translated(const char* text)
{
    return QCoreApplication::translate("lockstep::DetailsPanel", text);
}

QString locationText(const Report& report, TrackId track)
{
    const TrackKey& key = report.track(track).key;
    QStringList parts;
    if (key.device.isValid()) parts << translated("GPU %1").arg(report.devices[key.device.value].ordinal);
    if (key.kind == TrackKind::gpuStream || key.kind == TrackKind::gpuSync ||
        key.kind == TrackKind::gpuGraph) {
        parts << translated("stream %1").arg(key.lane);
    }
    if (key.thread.isValid()) {
        const Thread& thread = report.threads[key.thread.value];
        const QString name = QString::fromUtf8(report.strings.at(thread.name));
        const QString number = translated("thread %1").arg(thread.tid);
        parts << (name.startsWith(number) ? name : (number + " " + name).trimmed());
    }
    const QString name = QString::fromUtf8(report.strings.at(report.track(track).name));
    if (!name.isEmpty() && !parts.contains(name)) parts << name;
    return parts.join(" \u00B7 ");
}

} // namespace

DetailsPanel::DetailsPanel(ViewState& view, QWidget* parent)
    : Panel("Details", {.help = "timeline"}, parent), m_view(view), m_title(new QLabel(this)),
      m_subtitle(new QLabel(this)), m_header(new QWidget(this)),
      m_hint(new QLabel(tr("Select a slice or a memory block to see its details."), this)),
      m_tree(new QTreeWidget(this)), m_zoom(new QPushButton(tr("Zoom to lifetime"), m_header)),
      m_memory(new MemoryDetails(*m_tree, this)),
      m_job([this](const Result<SliceDetails>& outcome) { applyDetails(outcome); })
{
    setProperty("page", true);
    m_title->setProperty("strong", true);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_subtitle->setProperty("muted", true);
    m_subtitle->setTextFormat(Qt::PlainText);
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    auto* const copyButton = new QPushButton(tr("Copy"), m_header);
    copyButton->setToolTip(tr("Copy the selected rows, or all, as tab-separated text (Ctrl+C)"));
    connect(copyButton, &QPushButton::clicked, this, &DetailsPanel::copy);
    auto* const head = new QHBoxLayout(m_header);
    head->setContentsMargins(scaledPixels(12), scaledPixels(8), scaledPixels(10), scaledPixels(6));
    auto* const titles = new QVBoxLayout;
    titles->setSpacing(scaledPixels(2));
    titles->addWidget(m_title);
    titles->addWidget(m_subtitle);
    head->addLayout(titles, 1);
    head->addWidget(m_zoom, 0, Qt::AlignTop);
    m_zoom->setToolTip(tr("Zoom to the time from allocation to free"));
    connect(m_zoom, &QPushButton::clicked, this, &DetailsPanel::zoomToLife);
    head->addWidget(copyButton, 0, Qt::AlignTop);
    m_tree->setColumnCount(2);
    m_tree->setHeaderHidden(true);
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setIndentation(scaledPixels(14));
    m_tree->setUniformRowHeights(true);
    m_tree->setAccessibleName(tr("Details of the selection"));
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Interactive);
    m_tree->header()->setStretchLastSection(true);
    m_tree->setColumnWidth(0, scaledPixels(230));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_hint, 1);
    column->addWidget(m_tree, 1);
    const auto activate = [this](QTreeWidgetItem* item) {
        const QVariant slice = item->data(0, kDetailSliceRole), report = item->data(0, kDetailReportRole);
        if (slice.isValid()) m_view.reveal({ReportKey(report.toUInt()), SliceId(slice.toUInt())});
    };
    connect(m_tree, &QTreeWidget::itemClicked, this, activate);
    connect(m_tree, &QTreeWidget::itemActivated, this, activate);
    auto* const shortcut = new QShortcut(QKeySequence::Copy, m_tree, nullptr, nullptr, Qt::WidgetShortcut);
    connect(shortcut, &QShortcut::activated, this, &DetailsPanel::copy);
    connect(&view, &ViewState::sliceChanged, this, [this] {
        outdate();
        if (m_view.slice().isValid() && !m_view.isNavigating()) emit frontRequested();
    });
    connect(&view, &ViewState::blockChanged, this, [this] {
        outdate();
        if (m_view.block().isValid()) emit frontRequested();
    });
    showSelected();
}

// Reads the slice again only if its position or its report's identity changed.
void DetailsPanel::rebuild()
{
    const ScenePtr before = std::exchange(m_shown, scene());
    const Scene& now = *m_shown;
    const SliceRef slice = now.holds(m_view.slice()) ? m_view.slice() : SliceRef();
    const BlockRef block = memoryPlaceOf(now, m_view.block()) ? m_view.block() : BlockRef();
    const bool isSameBlock = block == m_block && (!block.isValid() || before->tree == now.tree);
    const ReportKey report = slice.report;
    // What served a request may be in any report.
    const bool isRequest = slice.isValid() && !now.shown.report(report).samples.empty();
    const bool isSame = isSameBlock && slice == m_slice &&
                        (!isRequest || before->dataGeneration == now.dataGeneration) &&
                        (!slice.isValid() ||
                         (before->holds(slice) && before->shown.shared(report) == now.shown.shared(report) &&
                          before->shown.identity(report) == now.shown.identity(report) &&
                          before->alignment.map(report) == now.alignment.map(report) &&
                          before->alignment.utcAtZero_ns == now.alignment.utcAtZero_ns));
    if (isSame) return;
    m_slice = slice;
    m_block = block;
    showSelected();
}

void DetailsPanel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    showSelected();
}

void DetailsPanel::showSelected()
{
    m_job.cancel();
    m_memory->clear();
    m_tree->clear();
    m_meaning = m_arguments = m_source = nullptr;
    const bool isSlice = m_shown->holds(m_slice);
    const bool isBlock = !isSlice && memoryPlaceOf(*m_shown, m_block).has_value();
    m_header->setVisible(isSlice || isBlock);
    m_tree->setVisible(isSlice || isBlock);
    m_hint->setVisible(!isSlice && !isBlock);
    m_zoom->setVisible(false);
    if (isSlice) showSlice();
    if (isBlock) showBlock();
}

void DetailsPanel::showBlock()
{
    const MemoryPlace place = *memoryPlaceOf(*m_shown, m_block);
    m_title->setText(blockTitle(place, m_block.life));
    m_subtitle->setText(
        QString::fromStdString(m_shown->tree->pathOf(place.lane)) + " \u00B7 " +
        QString::fromStdString(reportLabel(*place.report, m_shown->shown.identity(m_block.report))));
    m_zoom->setVisible(lifeOf(place, m_block.life).has_value());
    m_memory->addBlock(m_shown, m_block, *m_theme);
    QTreeWidgetItem* const source = addSection(tr("Source"));
    addRow(source, tr("file"), QString::fromStdString(place.report->provenance.path.string()));
    m_tree->expandAll();
}

void DetailsPanel::zoomToLife()
{
    const auto place = memoryPlaceOf(*m_shown, m_block);
    const auto life = place ? lifeOf(*place, m_block.life) : std::nullopt;
    if (!life) return;
    const Duration margin{life->length().ns / 10 + 1};
    m_view.setVisible({life->begin - margin, life->end + margin});
}

void DetailsPanel::showSlice()
{
    const SliceRef slice = m_slice;
    const std::shared_ptr<const Report>& report = m_shown->shown.shared(slice.report);
    m_title->setText(QString::fromUtf8(report->nameOf(slice.slice)));
    m_subtitle->setText(
        QString::fromUtf8(sliceCategoryName(report->slices.category[slice.slice.value])) + " \u00B7 " +
        QString::fromStdString(durationText(report->slices.duration(slice.slice))) + " \u00B7 " +
        QString::fromStdString(reportLabel(*report, m_shown->shown.identity(slice.report))));
    addSliceSection(*report, slice.slice);
    addContext(*report, slice.slice);
    addProjections(*report, slice.slice);
    addBatch();
    m_meaning = addSection(tr("Summary"));
    m_meaning->setHidden(true); // hidden until the file has been read
    m_arguments = addSection(tr("Arguments"));
    addRow(m_arguments, tr("reading the file \u2026"), {});
    addLinks(*report, slice.slice);
    m_memory->addToSlice(m_shown, slice, *m_theme);
    m_source = addSection(tr("Source"));
    addRow(m_source, tr("file"), QString::fromStdString(report->provenance.path.string()));
    m_tree->expandAll();
    fetch(report, slice.slice);
}

QTreeWidgetItem* DetailsPanel::addSection(const QString& title)
{
    auto* const section = new QTreeWidgetItem(m_tree, {title});
    QFont bold = m_tree->font();
    bold.setWeight(QFont::DemiBold);
    section->setFont(0, bold);
    section->setFirstColumnSpanned(true);
    section->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    return section;
}

QTreeWidgetItem* DetailsPanel::addRow(QTreeWidgetItem* section, const QString& name, const QString& value)
{
    auto* const row = new QTreeWidgetItem(section, {name, value});
    row->setForeground(0, m_theme->mutedText);
    row->setToolTip(1, value);
    return row;
}

void DetailsPanel::addSliceSection(const Report& report, SliceId slice)
{
    QTreeWidgetItem* const section = addSection(tr("Slice"));
    const ClockMap& map = m_shown->alignment.map(m_slice.report);
    const TraceTime start = map.alignedFromTrace(report.slices.start(slice));
    addRow(section, tr("start, aligned"), exactNs(start.ns));
    if (m_shown->alignment.utcAtZero_ns && map.isPlaced()) {
        const int64_t utc_ns = *m_shown->alignment.utcAtZero_ns + start.ns;
        addRow(section, tr("start, UTC"),
               QString::fromStdString(utcDateText(utc_ns) + " " + utcTimeText(utc_ns)));
    }
    addRow(section, tr("start, report clock"), exactNs(report.slices.start_ns[slice.value]));
    if (report.slices.isInstant(slice)) {
        addRow(section, tr("duration"), tr("none (instant)"));
    } else {
        const bool isOpen = (report.slices.flags[slice.value] & sliceFlag::kOpenEnd) != 0;
        const QString length = exactNs(report.slices.duration_ns[slice.value]);
        addRow(section, tr("duration"),
               isOpen ? tr("%1 (end not recorded: capture or thread ended, or records lost)").arg(length)
                      : length);
    }
    addRow(section, tr("kind"), QString::fromUtf8(rowKindName(report.slices.kind[slice.value])));
    const TrackId track = report.trackOf(slice);
    const uint32_t lane = m_shown->tree->laneOf({m_slice.report, track});
    QString location = locationText(report, track);
    if (location.isEmpty() && lane != kNoLane)
        location = QString::fromStdString(m_shown->tree->lane(lane).label);
    addRow(section, tr("lane"), location);
    if (const MemoryOp* const op = report.memoryOpOf(slice);
        op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns)) {
        addRow(section, tr("size"), QString::fromStdString(byteText(static_cast<int64_t>(op->size_bytes))));
    }
    if (const auto rate = throughputOf(report, slice))
        addRow(section, tr("throughput"),
               *rate < 1e9 ? tr("%1 MB/s").arg(*rate / 1e6, 0, 'f', 3)
                           : tr("%1 GB/s").arg(*rate / 1e9, 0, 'f', 3));
}

// Shows the launch latency, and the ranges in which the slice, or its launch, ran.
void DetailsPanel::addContext(const Report& report, SliceId slice)
{
    const SliceContext context = contextOf(report, slice);
    if (context.launch.isValid()) {
        const int64_t queued_ns = *context.sinceLaunchEnd_ns;
        const QString latency = QString::fromStdString(durationText(Duration{*context.sinceLaunch_ns}));
        const QString queued = QString::fromStdString(durationText(Duration{std::abs(queued_ns)}));
        addRow(m_tree->topLevelItem(0), tr("launch latency"),
               queued_ns < 0 ? tr("%1 after the start of the call, %2 before its end").arg(latency, queued)
                             : tr("%1 after the start of the call, %2 after its end").arg(latency, queued));
    }
    if (context.enclosing.empty()) return;
    QTreeWidgetItem* const section =
        addSection(context.launch.isValid() ? tr("Ranges around the launch") : tr("Ranges around the slice"));
    const size_t count = std::min(context.enclosing.size(), kMaxLinks);
    for (const SliceId range : std::span(context.enclosing).first(count)) {
        addLink(section, report, range, QString::fromUtf8(rowKindName(report.slices.kind[range.value])));
    }
    addMore(section, context.enclosing.size());
}

// Shows when the GPU work of a range ran, on each GPU that it used.
void DetailsPanel::addProjections(const Report& report, SliceId slice)
{
    const ReportLods& lods = m_shown->lods;
    if (!lods.has(m_slice.report) || lods[m_slice.report] == nullptr) return;
    QTreeWidgetItem* section = nullptr;
    for (const RangeProjection& projection : lods[m_slice.report]->projections()) {
        if (projection.thread() != report.track(report.trackOf(slice)).key.thread) continue;
        const auto span = projection.of(slice);
        if (!span) continue;
        if (section == nullptr) section = addSection(tr("Projection on the GPU"));
        const Duration since = span->range.begin - report.slices.start(slice);
        const QString text =
            tr("%1, starts %2 after the range, work of %n call(s)", nullptr, static_cast<int>(span->launches))
                .arg(QString::fromStdString(durationText(span->range.length())),
                     QString::fromStdString(durationText(since)));
        QTreeWidgetItem* const row =
            addRow(section, tr("GPU %1").arg(report.devices[projection.device().value].ordinal), text);
        row->setToolTip(1,
                        tr("From the first to the last GPU operation launched in this range on this device"));
    }
}

void DetailsPanel::addBatch()
{
    const auto batch = servedBatch(*m_shown, m_slice);
    if (!batch) return;
    QTreeWidgetItem* const section = addSection(tr("Batch"));
    for (const auto& [name, value] : servedText(*batch))
        addRow(section, QString::fromStdString(name), QString::fromStdString(value));
}

void DetailsPanel::addMore(QTreeWidgetItem* section, size_t count)
{
    if (count > kMaxLinks) addRow(section, tr("and"), tr("%1 more").arg(count - kMaxLinks));
}

void DetailsPanel::addLinks(const Report& report, SliceId slice)
{
    const auto effects = report.links.from(slice);
    if (effects.empty() && report.links.to(slice) == nullptr) return;
    QTreeWidgetItem* const section = addSection(tr("Linked"));
    for (size_t n = 0; n < kMaxLinks; ++n) {
        const Link* const link = report.links.to(slice, n);
        if (link == nullptr) break;
        addLink(section, report, link->cause,
                link->kind == LinkKind::launch ? tr("launched by") : tr("follows"));
    }
    for (size_t n = 0; n < std::min(effects.size(), kMaxLinks); ++n) {
        addLink(section, report, effects[n].effect,
                effects[n].kind == LinkKind::launch ? tr("launches") : tr("leads to"));
    }
    addMore(section, effects.size());
}

void DetailsPanel::addLink(QTreeWidgetItem* section, const Report& report, SliceId other,
                           const QString& relation)
{
    const Duration gap = report.slices.start(other) - report.slices.start(m_slice.slice);
    const QString text = QString::fromUtf8(report.shortNameOf(other)) + "   " +
                         QString::fromStdString((gap.ns < 0 ? "" : "+") + durationText(gap)) + "   " +
                         locationText(report, report.trackOf(other));
    QTreeWidgetItem* const row = addRow(section, relation, text);
    row->setData(0, kDetailSliceRole, other.value);
    row->setData(0, kDetailReportRole, m_slice.report.value);
    row->setForeground(1, m_theme->accent);
    row->setToolTip(1, tr("Go to %1").arg(QString::fromUtf8(report.nameOf(other))));
}

void DetailsPanel::fetch(std::shared_ptr<const Report> report, SliceId slice)
{
    m_job.start(
        [report = std::move(report), slice](const Progress&) { return readSliceDetails(*report, slice); });
}

void DetailsPanel::applyDetails(const Result<SliceDetails>& outcome)
{
    if (m_arguments == nullptr) return;
    qDeleteAll(m_arguments->takeChildren());
    if (!outcome) {
        addRow(m_arguments, tr("not read"), QString::fromStdString(outcome.error().message))
            ->setForeground(1, m_theme->bad);
        return;
    }
    const SliceArguments meaning = interpretArguments(outcome->arguments).meaning;
    m_meaning->setHidden(meaning.empty());
    for (const auto& [name, value] : meaning)
        addRow(m_meaning, QString::fromUtf8(name), QString::fromUtf8(value));
    m_meaning->setExpanded(true);
    for (const auto& [name, value] : outcome->arguments)
        addRow(m_arguments, QString::fromUtf8(name), QString::fromUtf8(value));
    if (outcome->arguments.empty()) addRow(m_arguments, tr("none in the file"), {});
    addRow(m_source, tr("location"), QString::fromUtf8(outcome->source));
}

QString DetailsPanel::text() const
{
    const QList<QTreeWidgetItem*> selected = m_tree->selectedItems();
    QString text = selected.isEmpty() ? m_title->text() + '\n' : QString();
    for (QTreeWidgetItemIterator at(m_tree); *at != nullptr; ++at) {
        if (!selected.isEmpty() && !(*at)->isSelected()) continue;
        text += (*at)->text(0) + ((*at)->parent() == nullptr ? QString() : '\t' + (*at)->text(1)) + '\n';
    }
    return text;
}

void DetailsPanel::copy()
{
    if (m_slice.isValid() || m_block.isValid()) QGuiApplication::clipboard()->setText(text());
}

} // namespace lockstep
