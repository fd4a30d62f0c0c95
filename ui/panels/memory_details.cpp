// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/memory_details.h"

#include <QTreeWidget>

#include "core/base/text.h"
#include "ui/models/report_entry.h"

namespace lockstep {

namespace {

constexpr size_t kMaxStackRows = 200;

QString bytesOf(int64_t size_bytes)
{
    return QString::fromStdString(byteText(size_bytes));
}

} // namespace

MemoryDetails::MemoryDetails(QTreeWidget& tree, QObject* parent)
    : QObject(parent), m_tree(tree),
      m_memory([this](const Result<std::vector<MemoryAtStart>>& outcome) { takeMemory(outcome); }),
      m_kernels([this](const Result<std::vector<KernelsOfLife>>& outcome) { applyKernels(outcome); })
{
}

void MemoryDetails::clear()
{
    m_scene = std::make_shared<const Scene>(); // release closed reports
    m_memory.cancel();
    m_kernels.cancel();
    m_section = nullptr;
    m_life.reset();
}

QTreeWidgetItem* MemoryDetails::addSection(const QString& title)
{
    auto* const section = new QTreeWidgetItem(&m_tree, {title});
    QFont bold = m_tree.font();
    bold.setWeight(QFont::DemiBold);
    section->setFont(0, bold);
    section->setFirstColumnSpanned(true);
    section->setExpanded(true);
    return section;
}

QTreeWidgetItem* MemoryDetails::addRow(QTreeWidgetItem* section, const QString& name, const QString& value)
{
    auto* const row = new QTreeWidgetItem(section, {name, value});
    row->setForeground(0, m_theme->mutedText);
    row->setToolTip(1, value);
    return row;
}

void MemoryDetails::addLink(QTreeWidgetItem* section, const QString& name, SliceRef slice)
{
    if (!m_scene->holds(slice)) return;
    const Report& report = m_scene->shown.report(slice.report);
    QTreeWidgetItem* const row = addRow(section, name, QString::fromUtf8(report.shortNameOf(slice.slice)));
    row->setData(0, kDetailSliceRole, slice.slice.value);
    row->setData(0, kDetailReportRole, slice.report.value);
    row->setForeground(1, m_theme->accent);
    row->setToolTip(1, tr("Go to %1").arg(QString::fromUtf8(report.nameOf(slice.slice))));
}

void MemoryDetails::addToSlice(const ScenePtr& scene, SliceRef slice, const Theme& theme)
{
    m_theme = &theme;
    m_scene = scene;
    const TrackRef track{slice.report, scene->shown.report(slice.report).trackOf(slice.slice)};
    if (gpuMemoryOf(*scene, track).empty()) return;
    m_section = addSection(tr("Memory at start"));
    addRow(m_section, tr("reading the history \u2026"), {});
    m_memory.start([scene, slice](const Progress&) -> Result<std::vector<MemoryAtStart>> {
        return memoryAtStart(*scene, slice);
    });
}

void MemoryDetails::takeMemory(const Result<std::vector<MemoryAtStart>>& outcome)
{
    if (m_section == nullptr) return;
    qDeleteAll(m_section->takeChildren());
    if (!outcome) {
        addRow(m_section, tr("unknown"), QString::fromStdString(outcome.error().message));
        return;
    }
    for (const MemoryAtStart& at : *outcome) {
        if (outcome->size() > 1) addRow(m_section, tr("lane"), QString::fromStdString(at.of));
        if (!at.uncertainty.empty())
            addRow(m_section, at.isKnown ? tr("uncertain") : tr("unknown"),
                   QString::fromStdString(at.uncertainty));
        if (!at.isKnown) continue;
        addRow(m_section, tr("active"), bytesOf(at.levels.active));
        for (const MemoryAtStart::Part& part : at.parts) {
            addRow(
                m_section, "  " + bytesOf(part.size_bytes),
                tr("%1   in %n block(s)", nullptr, static_cast<int>(std::min<uint64_t>(part.blocks, INT_MAX)))
                    .arg(QString::fromStdString(part.stack)));
        }
        addRow(m_section, tr("reserved"), bytesOf(at.levels.reserved));
        addRow(m_section, tr("free in pool"), bytesOf(at.levels.unused()));
    }
}

void MemoryDetails::addBlock(const ScenePtr& scene, const BlockRef& block, const Theme& theme)
{
    m_theme = &theme;
    m_scene = scene;
    const auto place = memoryPlaceOf(*scene, block);
    if (!place) return;
    QTreeWidgetItem* const facts = addSection(tr("Block"));
    for (const MemoryFact& fact : blockFacts(*place, block.life))
        addRow(facts, QString::fromStdString(fact.name), QString::fromStdString(fact.value));
    QTreeWidgetItem* const stack = addSection(tr("Allocation stack, innermost frame first"));
    for (const std::string& line :
         stackLines(*place, place->device().blocks.stack[block.life.value], kMaxStackRows, true))
        addRow(stack, {}, QString::fromStdString(line));
    m_section = addSection(tr("Kernels during lifetime"));
    m_life = lifeOf(*place, block.life);
    if (!m_life) {
        addRow(m_section, tr("unknown"), tr("the snapshot has no timestamps"));
        return;
    }
    addRow(m_section, tr("counting \u2026"), {});
    m_kernels.start(
        [scene, block](const Progress& progress) { return kernelsDuring(*scene, block, progress); });
}

void MemoryDetails::applyKernels(const Result<std::vector<KernelsOfLife>>& outcome)
{
    if (m_section == nullptr) return;
    qDeleteAll(m_section->takeChildren());
    if (!outcome) {
        addRow(m_section, tr("unknown"), QString::fromStdString(outcome.error().message));
        return;
    }
    if (outcome->empty()) addRow(m_section, tr("none"), tr("in the open reports"));
    for (const KernelsOfLife& of : *outcome) {
        const Report& report = m_scene->shown.report(of.report);
        addRow(m_section, tr("report"),
               QString::fromStdString(reportLabel(report, m_scene->shown.identity(of.report))));
        addRow(m_section, tr("count"), QString::fromStdString(groupedText(static_cast<int64_t>(of.count))));
        const double part =
            m_life ? 100.0 * static_cast<double>(of.busy.ns) / static_cast<double>(m_life->length().ns) : 0;
        addRow(m_section, tr("busy"),
               tr("%1, %2 % of the lifetime")
                   .arg(QString::fromStdString(durationText(of.busy)))
                   .arg(part, 0, 'f', 1));
        addLink(m_section, tr("first"), of.first);
        addLink(m_section, tr("last"), of.last);
    }
}

QString blockTitle(const MemoryPlace& place, BlockLifeId life)
{
    const auto size = static_cast<int64_t>(place.device().blocks.size_bytes[life.value]);
    return MemoryDetails::tr("%1 block").arg(bytesOf(size));
}

} // namespace lockstep
