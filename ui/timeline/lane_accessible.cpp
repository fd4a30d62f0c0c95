// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_accessible.h"

#include <algorithm>

#include <QCoreApplication>
#include <QPointer>

#include "core/base/text.h"
#include "core/search/event_facts.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString spoken(const char* text, int n = -1)
{
    return QCoreApplication::translate("lockstep::TimelineAccessible", text, nullptr, n);
}

QString grouped(uint64_t number)
{
    return QString::fromStdString(groupedText(static_cast<int64_t>(number)));
}

// PartAccessible is the base of lanes and slices. The canvas that contains them may be destroyed first.
class PartAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
  public:
    explicit PartAccessible(const LanesAccessible& lanes)
        : m_canvas(&lanes.canvas()), m_owner(QAccessible::uniqueId(const_cast<LanesAccessible*>(&lanes)))
    {
    }

    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return lanes()->window(); }
    void setText(QAccessible::Text, const QString&) override {}
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                    : nullptr;
    }
    QStringList actionNames() const override { return {pressAction()}; }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

  protected:
    bool isThere() const { return m_canvas != nullptr && lanes() != nullptr; }
    LanesAccessible* lanes() const
    {
        return static_cast<LanesAccessible*>(QAccessible::accessibleInterface(m_owner));
    }
    const DisplayList& list() const { return m_canvas->displayList(); }

  private:
    QPointer<TimelineCanvas> m_canvas;
    QAccessible::Id m_owner;
};

class SliceAccessible : public PartAccessible {
  public:
    SliceAccessible(const LanesAccessible& lanes, SliceRef slice) : PartAccessible(lanes), m_slice(slice) {}

    SliceRef slice() const { return m_slice; }
    bool isValid() const override { return isThere() && scene().holds(m_slice); }
    QAccessibleInterface* parent() const override
    {
        const std::string lane = lanes()->laneKeyOf(m_slice);
        return lane.empty() ? static_cast<QAccessibleInterface*>(lanes()) : lanes()->laneOf(lane);
    }
    int childCount() const override { return 0; }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QString text(QAccessible::Text kind) const override;
    QRect rect() const override;
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = state.selectable = true;
        state.selected = isValid() && lanes()->view().viewState().slice() == m_slice;
        state.focused = state.selected && lanes()->view().hasFocus();
        state.offscreen = !isValid() || lanes()->laneKeyOf(m_slice).empty();
        return state;
    }
    void doAction(const QString& name) override
    {
        if (name == pressAction() && isValid()) lanes()->view().selector().select(m_slice, true);
    }

  private:
    const Scene& scene() const { return lanes()->view().scene(); }
    QString facts() const;

    SliceRef m_slice;
};

QString SliceAccessible::facts() const
{
    const EventFacts facts = eventFacts(scene(), m_slice);
    const Report& report = scene().shown.report(m_slice.report);
    const Track& track = report.track(report.trackOf(m_slice.slice));
    const uint64_t at = m_slice.slice.value - track.firstSlice.value + uint64_t{1};
    const QString start = QString::fromStdString(durationText({facts.start.ns}));
    QStringList words{
        facts.isInstant ? spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible", "at %1")).arg(start)
                        : spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible", "starts at %1, lasts %2"))
                              .arg(start, QString::fromStdString(durationText(facts.duration)))};
    words << spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible", "number %1 of %2 in %3"))
                 .arg(grouped(at), grouped(track.sliceCount), QString::fromStdString(facts.lane));
    if (facts.rank)
        words << spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible", "rank %1")).arg(*facts.rank);
    if (facts.isOpenEnd)
        words << spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible", "end not recorded"));
    return words.join(", ");
}

QString SliceAccessible::text(QAccessible::Text kind) const
{
    if (!isValid()) return {};
    if (kind == QAccessible::Name) {
        const std::string_view name = scene().shown.report(m_slice.report).nameOf(m_slice.slice);
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    return kind == QAccessible::Description || kind == QAccessible::Value ? facts() : QString();
}

QRect SliceAccessible::rect() const
{
    if (!isValid()) return {};
    for (const DisplayRow& row : list().rows) {
        // A phase lane also shows ranges, but each range belongs to its own lane.
        if (row.track.report != m_slice.report || !row.track.track.isValid()) continue;
        for (const SliceBox& box : row.boxes) {
            if (box.slice == m_slice.slice)
                return lanes()->onScreen(
                    {list().headerWidth + box.begin, row.y, box.end - box.begin, row.height});
        }
    }
    for (const DisplayMark& mark : list().marks) {
        if (mark.slice == m_slice) return lanes()->onScreen({mark.x, mark.y, mark.width, mark.height});
    }
    return {};
}

class LaneAccessible : public PartAccessible {
  public:
    LaneAccessible(const LanesAccessible& lanes, std::string key)
        : PartAccessible(lanes), m_key(std::move(key))
    {
    }

    const std::string& key() const { return m_key; }
    bool isValid() const override { return isThere() && lane() != kNoLane; }
    QAccessibleInterface* parent() const override { return lanes(); }
    int childCount() const override
    {
        return isValid() ? static_cast<int>(lanes()->slicesOf(m_key).size()) : 0;
    }
    QAccessibleInterface* child(int index) const override
    {
        const std::vector<SliceRef> slices = isValid() ? lanes()->slicesOf(m_key) : std::vector<SliceRef>();
        const bool isOne = index >= 0 && static_cast<size_t>(index) < slices.size();
        return isOne ? lanes()->sliceOf(slices[static_cast<size_t>(index)]) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        const auto* const one = dynamic_cast<const SliceAccessible*>(child);
        if (one == nullptr || !isValid()) return -1;
        const std::vector<SliceRef> slices = lanes()->slicesOf(m_key);
        const auto found = std::ranges::find(slices, one->slice());
        return found == slices.end() ? -1 : static_cast<int>(found - slices.begin());
    }
    QAccessibleInterface* childAt(int x, int y) const override
    {
        if (!isValid()) return nullptr;
        for (const SliceRef slice : lanes()->slicesOf(m_key)) {
            QAccessibleInterface* const one = lanes()->sliceOf(slice);
            if (one->rect().contains(x, y)) return one;
        }
        return nullptr;
    }
    QAccessible::Role role() const override { return QAccessible::TreeItem; }
    QString text(QAccessible::Text kind) const override;
    QRect rect() const override
    {
        const DisplayLane* const shown = isValid() ? onList() : nullptr;
        return shown == nullptr ? QRect()
                                : lanes()->onScreen({0, shown->y, list().size.width, shown->height});
    }
    QAccessible::State state() const override;
    void doAction(const QString& name) override
    {
        if (name == pressAction() && isValid())
            lanes()->view().lanes().showLane(QString::fromStdString(m_key));
    }

  private:
    uint32_t lane() const { return lanes()->view().state().tree().find(m_key); }
    const DisplayLane* onList() const
    {
        const auto found = std::ranges::find(list().lanes, lane(), &DisplayLane::lane);
        return found == list().lanes.end() ? nullptr : &*found;
    }

    std::string m_key;
};

QString LaneAccessible::text(QAccessible::Text kind) const
{
    if (!isValid()) return {};
    const LaneTree& tree = lanes()->view().state().tree();
    if (kind == QAccessible::Name) return QString::fromStdString(tree.pathOf(lane()));
    if (kind == QAccessible::Value) return QString::fromStdString(tree.lane(lane()).value);
    if (kind != QAccessible::Description) return {};
    uint64_t narrow = 0;
    for (const DisplayRow& row : list().rows) {
        if (row.lane != lane()) continue;
        for (const DenseColumn& column : row.columns)
            narrow += column.count;
    }
    QStringList words;
    if (const Lane& of = tree.lane(lane()); !of.value.empty()) words << QString::fromStdString(of.value);
    const int listed = childCount();
    words << (static_cast<size_t>(listed) < LanesAccessible::kMaxSlicesPerLane
                  ? spoken(QT_TRANSLATE_N_NOOP("lockstep::TimelineAccessible",
                                               "%n slice(s) wide enough to be listed"),
                           listed)
                  : spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible",
                                             "only the first %1 slices are listed; zoom in for others"))
                        .arg(listed));
    if (narrow > 0)
        words << spoken(QT_TRANSLATE_NOOP("lockstep::TimelineAccessible",
                                          "others are narrower; zoom in or step through them"));
    return words.join(", ");
}

QAccessible::State LaneAccessible::state() const
{
    QAccessible::State state;
    const DisplayLane* const shown = isValid() ? onList() : nullptr;
    state.focusable = state.selectable = true;
    state.offscreen = shown == nullptr;
    if (shown == nullptr) return state;
    state.expandable = shown->hasTriangle;
    state.expanded = shown->hasTriangle && !shown->isCollapsed;
    state.collapsed = shown->hasTriangle && shown->isCollapsed;
    state.selected = lanes()->view().state().focusedLane == lane();
    state.focused =
        state.selected && lanes()->view().hasFocus() && !lanes()->view().viewState().slice().isValid();
    return state;
}

} // namespace

LanesAccessible::LanesAccessible(TimelineCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::Tree) {}

LanesAccessible::~LanesAccessible()
{
    for (const auto& [key, id] : m_lanes)
        QAccessible::deleteAccessibleInterface(id);
    for (const auto& [slice, id] : m_slices)
        QAccessible::deleteAccessibleInterface(id);
}

TimelineCanvas& LanesAccessible::canvas() const
{
    return *static_cast<TimelineCanvas*>(object());
}

TimelineView& LanesAccessible::view() const
{
    return *static_cast<TimelineView*>(canvas().parentWidget());
}

int LanesAccessible::childCount() const
{
    return static_cast<int>(canvas().displayList().lanes.size());
}

QAccessibleInterface* LanesAccessible::child(int index) const
{
    const DisplayList& list = canvas().displayList();
    if (index < 0 || static_cast<size_t>(index) >= list.lanes.size()) return nullptr;
    return laneOf(list.tree->lane(list.lanes[static_cast<size_t>(index)].lane).key);
}

int LanesAccessible::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* const one = dynamic_cast<const LaneAccessible*>(child);
    if (one == nullptr) return -1;
    const DisplayList& list = canvas().displayList();
    const auto is = [&](const DisplayLane& lane) { return list.tree->lane(lane.lane).key == one->key(); };
    const auto found = std::ranges::find_if(list.lanes, is);
    return found == list.lanes.end() ? -1 : static_cast<int>(found - list.lanes.begin());
}

QAccessibleInterface* LanesAccessible::childAt(int x, int y) const
{
    for (int i = childCount(); i-- > 0;) { // search backward, because pinned lanes cover the others
        if (child(i)->rect().contains(x, y)) return child(i);
    }
    return nullptr;
}

QAccessibleInterface* LanesAccessible::focusChild() const
{
    if (!view().hasFocus()) return nullptr;
    if (view().viewState().slice().isValid()) return sliceOf(view().viewState().slice());
    const uint32_t lane = view().state().focusedLane;
    return lane < view().state().tree().size() ? laneOf(view().state().tree().lane(lane).key) : nullptr;
}

QString LanesAccessible::text(QAccessible::Text kind) const
{
    if (kind == QAccessible::Description)
        return spoken(QT_TRANSLATE_N_NOOP("lockstep::TimelineAccessible", "%n lane(s) on screen, %1 to %2"),
                      childCount())
            .arg(QString::fromStdString(durationText({view().viewState().visible().begin.ns})),
                 QString::fromStdString(durationText({view().viewState().visible().end.ns})));
    return QAccessibleWidget::text(kind);
}

QAccessibleInterface* LanesAccessible::laneOf(const std::string& key) const
{
    const auto [entry, isNew] = m_lanes.try_emplace(key, 0);
    if (isNew) entry->second = QAccessible::registerAccessibleInterface(new LaneAccessible(*this, key));
    return QAccessible::accessibleInterface(entry->second);
}

QAccessibleInterface* LanesAccessible::sliceOf(SliceRef slice) const
{
    if (m_slices.size() >= kMaxSliceObjects) {
        for (const auto& [entry, id] : m_slices)
            QAccessible::deleteAccessibleInterface(id);
        m_slices.clear();
    }
    const auto [entry, isNew] =
        m_slices.try_emplace({uint64_t{slice.report.value}, uint64_t{slice.slice.value}}, 0);
    if (isNew) entry->second = QAccessible::registerAccessibleInterface(new SliceAccessible(*this, slice));
    return QAccessible::accessibleInterface(entry->second);
}

std::string LanesAccessible::laneKeyOf(SliceRef slice) const
{
    const DisplayList& list = canvas().displayList();
    const Report& report = view().scene().shown.report(slice.report);
    const uint32_t lane = list.tree->laneOf({slice.report, report.trackOf(slice.slice)});
    const bool isShown = std::ranges::find(list.lanes, lane, &DisplayLane::lane) != list.lanes.end();
    return lane != kNoLane && isShown ? list.tree->lane(lane).key : std::string();
}

std::vector<SliceRef> LanesAccessible::slicesOf(const std::string& lane) const
{
    std::vector<SliceRef> slices;
    const DisplayList& list = canvas().displayList();
    for (const DisplayRow& row : list.rows) {
        if (list.tree->lane(row.lane).key != lane || !row.track.track.isValid()) continue;
        for (const SliceBox& box : row.boxes) {
            if (box.slice.isValid() && slices.size() < kMaxSlicesPerLane)
                slices.push_back({row.track.report, box.slice});
        }
    }
    const SliceRef inFocus = view().viewState().slice();
    if (inFocus.isValid() && laneKeyOf(inFocus) == lane && !std::ranges::count(slices, inFocus))
        slices.push_back(inFocus);
    return slices;
}

QRect LanesAccessible::onScreen(const QRect& device) const
{
    const double scale = canvas().devicePixelRatioF();
    const QRectF logical(device.x() / scale, device.y() / scale, device.width() / scale,
                         device.height() / scale);
    const QRect all = logical.toAlignedRect() & canvas().rect();
    return {canvas().mapToGlobal(all.topLeft()), all.size()};
}

} // namespace lockstep
