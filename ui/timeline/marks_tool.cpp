// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/marks_tool.h"

#include <chrono>

#include "core/base/text.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/hover_tool.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/note_editor.h"
#include "ui/timeline/selection_tool.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

int64_t utcNow_ns()
{
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

bool isSamePosition(const Mark& a, const Mark& b)
{
    return a.kind == b.kind && a.begin == b.begin && a.end == b.end && a.name == b.name;
}

} // namespace

MarksTool::MarksTool(TimelineContext& context, NavigationTool& navigation, SelectionTool& selection,
                     const HoverTool& hover)
    : m_context(context), m_state(context.state), m_navigation(navigation), m_selection(selection),
      m_hover(hover), m_noteEditor(new NoteEditor(&context.owner))
{
    connect(m_noteEditor, &NoteEditor::closed, this,
            [this] { m_context.owner.setFocus(Qt::OtherFocusReason); });
    on(CommandId::setMark, [this] { toggle(); });
    on(CommandId::writeNote, [this] { writeNote(); });
}

// An open editor would otherwise save its note when the timeline hides its child widgets.
MarksTool::~MarksTool()
{
    delete m_noteEditor;
}

void MarksTool::setStore(MarkStore& store)
{
    m_store = &store;
    m_context.marksBar->setStore(&store);
    connect(&store, &MarkStore::changed, this, [this] {
        m_context.marksBar->refresh();
        m_context.canvas->update();
    });
    connect(m_context.marksBar, &MarksBar::clicked, this, &MarksTool::choose);
}

void MarksTool::choose(const std::vector<int64_t>& numbers)
{
    if (numbers.size() == 1) return emit markChosen(numbers.front());
    // Several markers are at the same position, so zoom in until they are apart.
    std::optional<TimeRange> all;
    for (const int64_t number : numbers) {
        const auto& aligned = m_store->placed(number).aligned;
        if (!aligned) continue;
        all = all ? TimeRange{std::min(all->begin, aligned->begin), std::max(all->end, aligned->end)}
                  : *aligned;
    }
    if (!all) return;
    const Duration margin{all->length().ns / 10 + 5};
    m_navigation.zoomTo({all->begin - margin, all->end + margin});
}

// Returns a marker for the selection, otherwise for the time under the cursor, otherwise for the middle of
// the view.
Mark MarksTool::markHere() const
{
    const Scene& scene = m_state.scene();
    const Selection& selection = m_context.view.selection();
    const auto shown = [&scene](ReportKey key) {
        return key.isValid() && scene.open.has(key) ? key : ReportKey();
    };
    if (selection.range)
        return markOfRange(scene, *selection.range, shown(selection.began), shown(selection.ended),
                           utcNow_ns());
    if (scene.holds(selection.slice)) return markOfSlice(scene, selection.slice, utcNow_ns());
    if (m_state.cursor) {
        Mark mark = markOfTime(scene, *m_state.cursor, shown(m_hover.report()), utcNow_ns());
        if (mark.begin.report != nullptr && m_hover.hit().lane < m_state.tree().size())
            mark.lane = m_state.tree().pathOf(m_hover.hit().lane);
        return mark;
    }
    const TimeRange visible = m_context.view.visible();
    return markOfTime(scene, visible.begin + Duration{visible.length().ns / 2}, {}, utcNow_ns());
}

bool MarksTool::canMark()
{
    if (m_state.scene().shown.isEmpty()) return false;
    if (m_store == nullptr && m_context.half)
        m_context.notices.post(tr("Markers can only be set in the other pane; this pane's reports are not in "
                                  "the workspace."));
    return m_store != nullptr;
}

void MarksTool::toggle()
{
    if (!canMark()) return;
    const Mark mark = markHere();
    for (const Mark& other : m_store->marks().all()) {
        if (!isSamePosition(mark, other)) continue;
        if (other.isNote())
            return m_context.notices.post(
                tr("Note %1 is already here. Press Delete in the Markers panel to remove it.")
                    .arg(other.number));
        const int64_t number = other.number;
        m_store->remove({number});
        return m_context.notices.post(tr("Marker %1 removed").arg(number));
    }
    const auto number = m_store->add(mark);
    if (!number) return m_context.notices.post(QString::fromStdString(number.error().message));
    m_context.notices.post(tr("Marker %1 added (%2 removes it, %3 adds a note)")
                               .arg(QString::number(*number),
                                    keyInText(m_context.keys.shown(CommandId::setMark)),
                                    keyInText(m_context.keys.shown(CommandId::writeNote))));
}

void MarksTool::writeNote()
{
    if (!canMark()) return;
    const Mark mark = markHere();
    int64_t existing = 0; // number of the existing marker whose text is edited; 0 for none
    QString text;
    for (const Mark& other : m_store->marks().all()) {
        if (!isSamePosition(mark, other)) continue;
        existing = other.number;
        text = QString::fromStdString(other.text);
    }
    constexpr int kShares = 1'000;
    const double share =
        m_navigation.targetWindow().scale(kShares).pixelOf(mark.begin.aligned) / double(kShares);
    const TimelineCanvas& canvas = *m_context.canvas;
    const double left = m_state.px(m_state.headerWidth) / canvas.devicePixelRatioF();
    const double x = left + std::clamp(share, 0.0, 1.0) * (canvas.width() - left);
    m_context.card->hide();
    m_noteEditor->open(canvas.pos() + QPoint(static_cast<int>(x), 4), text,
                       [this, mark, existing](const QString& note) { saveNote(mark, existing, note); });
}

void MarksTool::saveNote(Mark mark, int64_t existing, const QString& note)
{
    Notices& notices = m_context.notices;
    bool isCut = false;
    const std::string text = markText(note.trimmed().toStdString(), &isCut);
    if (m_store->marks().find(existing) == nullptr) existing = 0; // removed in the meantime
    if (text.empty() && existing == 0) return notices.post(tr("Empty note discarded"));
    mark.text = text;
    const Status done = [&]() -> Status {
        if (existing != 0) return m_store->setText(existing, text);
        LOCKSTEP_TRY(m_store->add(std::move(mark)));
        return {};
    }();
    if (!done) return notices.post(QString::fromStdString(done.error().message));
    if (isCut) notices.post(tr("Note truncated to 64 KiB, the limit"));
}

void MarksTool::goTo(int64_t number)
{
    const Mark* const mark = m_store == nullptr ? nullptr : m_store->marks().find(number);
    if (mark == nullptr) return;
    const PlacedMark placed = m_store->placed(number);
    const QString why = m_store->explain(number);
    if (!placed.aligned) return m_context.notices.post(tr("Can't go to the marker: %1").arg(why));
    const Mark at = *mark; // slots of the selection signals may change the list
    if (placed.slice.isValid() && m_state.scene().holds(placed.slice)) {
        m_selection.select(placed.slice, true);
    } else if (at.kind == MarkKind::range || at.kind == MarkKind::area) {
        m_context.view.setRange(placed.aligned, at.begin.report ? placed.report : ReportKey(),
                                at.end.report && at.end.report == at.begin.report ? placed.report
                                                                                  : ReportKey());
    }
    m_navigation.showPosition(*placed.aligned);
    const QString name = QString::fromStdString(markName(at));
    m_context.notices.post(why.isEmpty() ? name : name + ": " + why);
}

void MarksTool::addMeasurement(const EdgePoint& begin, const EdgePoint& end, const QString& note)
{
    Mark mark = markOfRange(m_state.scene(), {begin.aligned, end.aligned}, begin.track.report,
                            end.track.report, utcNow_ns());
    mark.text = note.toStdString();
    const auto number = m_store->add(std::move(mark));
    m_context.notices.post(number ? tr("Measurement saved as note %1").arg(*number)
                                  : QString::fromStdString(number.error().message));
}

// Paints lines over the lanes where markers begin and end.
void MarksTool::paint(QPainter& painter)
{
    const PixelSize size = m_context.canvas->deviceSize();
    paintMarkLines(painter, QRect(0, 0, size.width, size.height), m_state, m_context.marksBar->markLayout());
}

} // namespace lockstep
