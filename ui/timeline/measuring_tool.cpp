// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/measuring_tool.h"

#include "ui/timeline/hover_card.h"
#include "ui/timeline/marks_tool.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/tape.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"

namespace lockstep {

namespace {

constexpr int kSnapPixels = 6; // snap distance in pixels at scale 1

} // namespace

MeasuringTool::MeasuringTool(TimelineContext& context, NavigationTool& navigation, MarksTool& marks)
    : m_context(context), m_state(context.state), m_navigation(navigation), m_marks(marks)
{
    on(CommandId::measure, [this] { setOn(!m_state.tape.isOn); });
    on(CommandId::previousSlice, [this] { return moveEnd(false); });
    on(CommandId::nextSlice, [this] { return moveEnd(true); });
    on(CommandId::setMark, [this] { return save(); });
    on(CommandId::cancel, [this] {
        if (!m_state.tape.isOn) return false;
        setOn(false);
        return true;
    });
}

void MeasuringTool::setOn(bool isOn)
{
    m_state.tape = {};
    m_state.tape.isOn = isOn;
    m_context.card->hide();
    m_context.canvas->update();
    m_context.notices.post(isOn ? m_state.tape.text(m_state.scene()) : tr("Measurement cleared"));
}

// Sets the next end of the tape.
bool MeasuringTool::click(const Hit& hit)
{
    Tape& tape = m_state.tape;
    if (!tape.isOn || !m_state.cursor || hit.isInHeader()) return false;
    TrackRef track = hit.track;
    if (!track.report.isValid() && hit.part != Hit::Part::nothing && hit.lane < m_state.tree().size())
        track.report = m_state.tree().lane(hit.lane).report;
    const int width = std::max(1, m_context.canvas->deviceSize().width - m_state.px(m_state.headerWidth));
    const Duration reach = m_navigation.targetWindow().scale(width).durationOf(m_state.px(kSnapPixels));
    const EdgePoint end = snapped(m_state.scene(), track, *m_state.cursor, reach);
    if (!tape.first || tape.second) {
        tape.first = end;
        tape.second.reset();
    } else {
        tape.second = end;
    }
    m_context.canvas->update();
    m_context.notices.post(tape.text(m_state.scene()));
    return true;
}

bool MeasuringTool::moveEnd(bool isForward)
{
    Tape& tape = m_state.tape;
    if (!tape.isOn) return false;
    if (!tape.first) return true;
    EdgePoint& end = tape.second ? *tape.second : *tape.first;
    end = nextEdge(m_state.scene(), end, isForward);
    m_navigation.showPosition({end.aligned, end.aligned});
    m_context.canvas->update();
    m_context.notices.post(tape.text(m_state.scene()));
    return true;
}

bool MeasuringTool::save()
{
    const Tape tape = m_state.tape;
    if (!tape.first || !tape.second) return false;
    const bool isForward = tape.first->aligned <= tape.second->aligned;
    const EdgePoint& begin = isForward ? *tape.first : *tape.second;
    const EdgePoint& end = isForward ? *tape.second : *tape.first;
    if (!m_marks.hasStore()) return true;
    setOn(false);
    m_marks.addMeasurement(begin, end, tape.text(m_state.scene()));
    return true;
}

void MeasuringTool::paint(QPainter& painter)
{
    const PixelSize size = m_context.canvas->deviceSize();
    paintTape(painter, QRect(0, 0, size.width, size.height), m_state, m_state.tape);
}

} // namespace lockstep
