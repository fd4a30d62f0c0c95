// SPDX-License-Identifier: Apache-2.0
// TimelineView: markers and notes, going to places, and measuring between two points in time.
#include <chrono>

#include "core/base/text.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/note_editor.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr int kSnapPixels = 6; // snap distance in pixels at scale 1

int64_t utcNow_ns()
{
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

bool isSamePlace(const Mark& a, const Mark& b)
{
    return a.kind == b.kind && a.begin == b.begin && a.end == b.end && a.name == b.name;
}

} // namespace

void TimelineView::showMarks(MarkStore& store)
{
    m_store = &store;
    m_marksBar->setStore(&store);
    connect(&store, &MarkStore::changed, this, [this] {
        m_marksBar->refresh();
        m_canvas->update();
    });
    connect(m_marksBar, &MarksBar::clicked, this, [this](const std::vector<int64_t>& numbers) {
        const bool isOne = numbers.size() == 1;
        if (isOne) return emit markChosen(numbers.front());
        // Several markers are at the same position, so zoom in until they are apart.
        std::optional<TimeRange> all;
        for (const int64_t number : numbers) {
            const auto& aligned = m_store->placed(number).aligned;
            if (!aligned) continue;
            all = all ? TimeRange{std::min(all->begin, aligned->begin), std::max(all->end, aligned->end)}
                      : *aligned;
        }
        if (all)
            zoomTo({all->begin - Duration{all->length().ns / 10 + 5},
                    all->end + Duration{all->length().ns / 10 + 5}});
    });
    connect(m_noteEditor, &NoteEditor::closed, this, [this] { setFocus(Qt::OtherFocusReason); });
}

ReportKey TimelineView::hoveredReport() const
{
    if (m_hoverHit.part == Hit::Part::nothing || m_hoverHit.isInHeader()) return {};
    if (m_hoverHit.slice.isValid()) return m_hoverHit.slice.report;
    if (m_hoverHit.track.report.isValid()) return m_hoverHit.track.report;
    const bool isThere = m_hoverHit.lane < m_state.tree().size();
    return isThere ? m_state.tree().lane(m_hoverHit.lane).report : ReportKey();
}

// Returns a marker for the selection, otherwise for the time under the cursor, otherwise for the middle of
// the view.
Mark TimelineView::markHere() const
{
    const Scene& scene = m_state.scene();
    const Selection& selection = m_view.selection();
    const auto shown = [&scene](ReportKey key) {
        return key.isValid() && scene.open.has(key) ? key : ReportKey();
    };
    if (selection.range)
        return markOfRange(scene, *selection.range, shown(selection.began), shown(selection.ended),
                           utcNow_ns());
    if (scene.holds(selection.slice)) return markOfSlice(scene, selection.slice, utcNow_ns());
    if (m_state.cursor) {
        Mark mark = markOfTime(scene, *m_state.cursor, shown(hoveredReport()), utcNow_ns());
        if (mark.begin.report != nullptr && m_hoverHit.lane < m_state.tree().size())
            mark.lane = m_state.tree().pathOf(m_hoverHit.lane);
        return mark;
    }
    return markOfTime(scene, m_view.visible().begin + Duration{m_view.visible().length().ns / 2}, {},
                      utcNow_ns());
}

// Returns false and shows a message in a pane whose reports are not in the window's workspace.
bool TimelineView::canMark()
{
    if (m_store == nullptr && m_half)
        m_notices.post(tr("Markers can only be set in the other pane; this pane's reports are not in the "
                          "workspace."));
    return m_store != nullptr;
}

void TimelineView::toggleMark()
{
    if (m_state.scene().shown.isEmpty() || !canMark()) return;
    const Mark mark = markHere();
    for (const Mark& other : m_store->marks().all()) {
        if (!isSamePlace(mark, other)) continue;
        if (other.isNote())
            return m_notices.post(
                tr("Note %1 is already here. Press Delete in the Markers panel to remove it.")
                    .arg(other.number));
        const int64_t number = other.number;
        m_store->remove({number});
        return m_notices.post(tr("Marker %1 removed").arg(number));
    }
    const auto number = m_store->add(mark);
    m_notices.post(number ? tr("Marker %1 added (M removes it, Shift+M adds a note)").arg(*number)
                          : QString::fromStdString(number.error().message));
}

void TimelineView::writeNote()
{
    if (m_state.scene().shown.isEmpty() || !canMark()) return;
    const Mark mark = markHere();
    int64_t known = 0; // number of the existing marker whose text is edited; 0 for none
    QString text;
    for (const Mark& other : m_store->marks().all()) {
        if (!isSamePlace(mark, other)) continue;
        known = other.number;
        text = QString::fromStdString(other.text);
    }
    const TraceTime at = mark.begin.aligned;
    constexpr int kShares = 1'000;
    const double share = goalWindow().scale(kShares).pixelOf(at) / double(kShares);
    const double left = m_state.px(m_state.headerWidth) / devicePixelRatioF();
    const double x = left + std::clamp(share, 0.0, 1.0) * (m_canvas->width() - left);
    m_card->hide();
    m_noteEditor->open(m_canvas->pos() + QPoint(static_cast<int>(x), 4), text,
                       [this, mark, known](const QString& words) { saveNote(mark, known, words); });
}

void TimelineView::saveNote(Mark mark, int64_t known, const QString& words)
{
    bool isCut = false;
    const std::string text = markText(words.trimmed().toStdString(), &isCut);
    if (m_store->marks().find(known) == nullptr) known = 0; // removed in the meantime
    if (text.empty() && known == 0) return m_notices.post(tr("Empty note discarded"));
    mark.text = text;
    const Status done = [&]() -> Status {
        if (known != 0) return m_store->setText(known, text);
        LOCKSTEP_TRY(m_store->add(std::move(mark)));
        return {};
    }();
    if (!done) return m_notices.post(QString::fromStdString(done.error().message));
    if (isCut) m_notices.post(tr("Note truncated to 64 KiB, the limit"));
}

// A line at the place shows where it is: if everything is in view already, nothing else changes.
void TimelineView::flash(TraceTime at)
{
    constexpr int kFlash_ms = 1'500;
    m_state.flash = at;
    m_flashEnd.start(kFlash_ms, this);
    m_canvas->update();
}

void TimelineView::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != m_flashEnd.timerId()) return QWidget::timerEvent(event);
    m_flashEnd.stop();
    m_state.flash.reset();
    m_canvas->update();
}

void TimelineView::showPlace(TimeRange aligned, bool isZoomedTo)
{
    const TimeRange visible = m_view.visible();
    flash(aligned.begin + Duration{aligned.length().ns / 2});
    openGapsOf(aligned);
    if (isZoomedTo) {
        const Duration margin{(aligned.isEmpty() ? visible.length().ns / 40 : aligned.length().ns / 10) + 1};
        return zoomTo({aligned.begin - margin, aligned.end + margin});
    }
    const bool isInSight = aligned.begin >= visible.begin && aligned.end <= visible.end;
    const bool isTold = aligned.isEmpty() || aligned.length().ns > visible.length().ns / 50;
    if (isInSight && isTold) return;
    if (aligned.length().ns > visible.length().ns || (isInSight && !isTold)) {
        const Duration margin{aligned.length().ns / 10 + 1};
        return zoomTo({aligned.begin - margin, aligned.end + margin});
    }
    const TraceTime middle = aligned.begin + Duration{aligned.length().ns / 2};
    ViewWindow window = goalWindow();
    window.centreOn(middle);
    zoomTo(window.visible());
}

void TimelineView::goToMark(int64_t number)
{
    const Mark* const mark = m_store == nullptr ? nullptr : m_store->marks().find(number);
    if (mark == nullptr) return;
    const PlacedMark placed = m_store->placed(number);
    const QString why = m_store->explain(number);
    if (!placed.aligned) return m_notices.post(tr("Can't go to the marker: %1").arg(why));
    const Mark at = *mark; // slots of the selection signals may change the list
    if (placed.slice.isValid() && m_state.scene().holds(placed.slice)) {
        select(placed.slice, true);
    } else if (at.kind == MarkKind::range || at.kind == MarkKind::area) {
        m_view.setRange(placed.aligned, at.begin.report ? placed.report : ReportKey(),
                        at.end.report && at.end.report == at.begin.report ? placed.report : ReportKey());
    }
    showPlace(*placed.aligned);
    m_notices.post(why.isEmpty() ? QString::fromStdString(markName(at))
                                 : QString::fromStdString(markName(at)) + ": " + why);
}

void TimelineView::setMeasuring(bool measures)
{
    m_state.tape = {};
    m_state.tape.isOn = measures;
    m_card->hide();
    m_canvas->update();
    m_notices.post(measures ? m_state.tape.text(m_state.scene()) : tr("Measurement cleared"));
}

// Sets the next end of the tape where the lanes were clicked, snapped to a nearby edge.
void TimelineView::setTapeEnd(const Hit& hit, TraceTime at)
{
    TrackRef track = hit.track;
    if (!track.report.isValid() && hit.part != Hit::Part::nothing && hit.lane < m_state.tree().size())
        track.report = m_state.tree().lane(hit.lane).report;
    const int width = std::max(1, m_canvas->deviceSize().width - m_state.px(m_state.headerWidth));
    const Duration reach = goalWindow().scale(width).durationOf(m_state.px(kSnapPixels));
    const EdgePoint end = snapped(m_state.scene(), track, at, reach);
    Tape& tape = m_state.tape;
    if (!tape.first || tape.second) {
        tape.first = end;
        tape.second.reset();
    } else {
        tape.second = end;
    }
    m_canvas->update();
    m_notices.post(tape.text(m_state.scene()));
}

void TimelineView::moveTapeEnd(bool isForward)
{
    Tape& tape = m_state.tape;
    if (!tape.first) return;
    std::optional<EdgePoint>& end = tape.second ? tape.second : tape.first;
    *end = nextEdge(m_state.scene(), *end, isForward);
    showPlace({end->aligned, end->aligned});
    m_canvas->update();
    m_notices.post(tape.text(m_state.scene()));
}

// Saves the measurement as a note.
void TimelineView::saveTape()
{
    const Tape& tape = m_state.tape;
    if (m_store == nullptr || !tape.first || !tape.second) return;
    const bool isForward = tape.first->aligned <= tape.second->aligned;
    const EdgePoint& begin = isForward ? *tape.first : *tape.second;
    const EdgePoint& end = isForward ? *tape.second : *tape.first;
    Mark mark = markOfRange(m_state.scene(), {begin.aligned, end.aligned}, begin.track.report,
                            end.track.report, utcNow_ns());
    mark.text = tape.text(m_state.scene()).toStdString();
    const auto number = m_store->add(std::move(mark));
    setMeasuring(false);
    m_notices.post(number ? tr("Measurement saved as note %1").arg(*number)
                          : QString::fromStdString(number.error().message));
}

} // namespace lockstep
