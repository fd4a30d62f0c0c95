// SPDX-License-Identifier: Apache-2.0
#include "app/window/go_to_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>

#include "app/window/command_actions.h"
#include "app/window/workspace_controller.h"
#include "core/timeline/time_text.h"
#include "ui/models/mark_store.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/prompt_line.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

GoToController::GoToController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts),
      m_line(new PromptLine(&timeline, {tr("Go to a time, step, marker or link"), tr("Go to"),
                                        tr("1.204 s   +38 ms   12:04:31.204   2026-11-20T12:04:31Z   @r3 "
                                           "123456789   step 3   marker 2   50%\nEnter goes to the place. "
                                           "Shift+Enter also zooms in.")})),
      m_job([this](const Result<ResolvedPlace>& place) { take(place); })
{
    m_line->setObjectName("goTo");
    connect(parts.actions.at(CommandId::goToTime), &QAction::triggered, m_line, &PromptLine::open);
    connect(m_line, &PromptLine::closed, &timeline, qOverload<>(&QWidget::setFocus));
    connect(m_line, &PromptLine::edited, this, [this](const QString& text) {
        m_goesWhenResolved = false;
        m_isFromLine = true;
        if (!text.trimmed().isEmpty()) resolve(text);
    });
    connect(m_line, &PromptLine::entered, this, [this](const QString& text, bool isShifted) {
        if (text.trimmed().isEmpty()) return m_line->close();
        m_goesWhenResolved = true;
        m_zoomsIn = isShifted;
        if (!m_job.isRunning() && m_resolved) take(Result<ResolvedPlace>(*m_resolved));
    });
    connect(parts.actions.at(CommandId::copyLink), &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(link());
        m_parts.notices.post(
            tr("Link copied. To open it elsewhere, choose Edit > Go to copied link or use --goto."));
    });
    connect(parts.actions.at(CommandId::pasteLink), &QAction::triggered, this, [this] {
        const QString text = QGuiApplication::clipboard()->text();
        if (isLink(text.left(kMaxLinkText).toStdString())) return goTo(text);
        m_parts.notices.post(tr("The clipboard contains no link to a view"));
    });
}

QString GoToController::link() const
{
    const PlaceLink place =
        placeLinkOf(*m_parts.reports.scene(), m_parts.view.visible(), m_parts.view.slice(),
                    m_parts.view.range(), m_timeline.lanes().filter().toStdString());
    return QString::fromStdString(shortLinkText(place));
}

void GoToController::goTo(const QString& text)
{
    m_goesWhenResolved = true;
    m_zoomsIn = m_isFromLine = false;
    resolve(text);
}

void GoToController::showPosition(TraceTime aligned)
{
    m_timeline.navigation().showPosition({aligned, aligned});
}

void GoToController::resolve(const QString& text)
{
    m_resolved.reset();
    std::optional<TraceTime> from;
    if (const auto range = m_parts.view.range()) from = range->begin;
    // Copy the markers only if the text refers to a marker, because there may be many.
    const auto query = parseTimeText(text.toStdString());
    const bool needsMarks = query && query->from == TimeQuery::From::mark;
    m_job.start([text = text.toStdString(), scene = m_parts.reports.scene(), visible = m_parts.view.visible(),
                 from, marks = needsMarks ? m_parts.marks.marks() : MarkList()](const Progress&) {
        return resolvePlace(text, *scene, visible, from, &marks);
    });
}

void GoToController::take(const Result<ResolvedPlace>& place)
{
    m_resolved = place;
    const QString message = QString::fromStdString(place ? place->description : place.error().message);
    if (m_isFromLine) m_line->setHint(message, !place);
    if (!std::exchange(m_goesWhenResolved, false)) return;
    if (place) return show(ResolvedPlace(*place));
    if (!m_isFromLine)
        m_parts.notice.showNotice(NoticeBar::Tone::warn, tr("Go to: %1").arg(message), {},
                                  place.error().help);
}

void GoToController::show(const ResolvedPlace& place)
{
    m_line->close();
    if (!place.link) {
        m_timeline.navigation().showPosition(place.aligned, m_zoomsIn);
        return;
    }
    m_parts.strip.filterLanes(QString::fromStdString(place.link->laneFilter));
    if (place.linked.slice.isValid()) m_timeline.selector().select(place.linked.slice, true);
    if (place.linked.range) m_parts.view.setRange(place.linked.range);
    m_timeline.navigation().zoomTo(place.linked.visible);
    if (!place.linked.missing.empty())
        m_parts.notice.showNotice(
            NoticeBar::Tone::warn,
            tr("Parts of the link were not found: %1").arg(QString::fromStdString(place.description)));
}

} // namespace lockstep
