// SPDX-License-Identifier: Apache-2.0
#include "app/window/scene_maker.h"

#include <utility>

#include <QCoreApplication>

namespace lockstep {

SceneMaker::SceneMaker(const Workers& workers, Align align, Step step, QObject* parent)
    : QObject(parent),
      m_alignReports(align
                         ? std::move(align)
                         : qOverload<const Workspace&, const AlignOptions&, const Progress&>(&alignReports)),
      m_step(step ? std::move(step) : Step(&nextScene)),
      m_next([this](const Result<ScenePtr>& outcome) { applyScene(outcome); }, workers),
      m_align([this](Result<Alignment> outcome) { applyAlignment(std::move(outcome)); }, workers)
{
    m_alignPause.setSingleShot(true);
    connect(&m_alignPause, &QTimer::timeout, this, &SceneMaker::align);
}

void SceneMaker::change(SceneChange change)
{
    m_change.add(std::move(change));
    make();
}

void SceneMaker::add(SceneChange change)
{
    m_change.add(std::move(change));
    m_waitsForMake = true;
}

// Starts the next scene, unless a scene is in progress. Changes made during a scene are deferred to the
// following one.
void SceneMaker::make()
{
    m_waitsForMake = false;
    if (m_next.isRunning() || m_change.isEmpty()) return;
    m_movesClocks = m_change.changesReports();
    if (m_order && !m_change.opened.empty()) m_change.order = m_order();
    m_begun.start();
    m_making = std::make_shared<const SceneChange>(std::exchange(m_change, {}));
    m_hasFailed = false;
    emit begun();
    m_next.start([step = m_step, last = m_scene, change = m_making](const Progress& progress) {
        return step(last, *change, progress);
    });
}

void SceneMaker::applyScene(const Result<ScenePtr>& outcome)
{
    const std::shared_ptr<const SceneChange> taken = std::exchange(m_making, nullptr);
    if (!outcome) {
        SceneChange change = *taken;
        change.add(std::exchange(m_change, {}));
        m_change = std::move(change);
        m_hasFailed = true;
        return reportFailure(outcome.error());
    }
    m_scene = *outcome;
    m_isOutOfDate |= m_movesClocks;
    m_lastBegun = m_begun;
    emit made();
    // Handled after the update requests of widgets, which Qt posts with LowEventPriority.
    QCoreApplication::postEvent(this, new QEvent(QEvent::User), Qt::LowEventPriority - 1);
    if (!m_waitsForMake) make();
    align();
}

bool SceneMaker::event(QEvent* event)
{
    if (event->type() != QEvent::User) return QObject::event(event);
    m_cost_ms = static_cast<int>(m_lastBegun.elapsed());
    return true;
}

void SceneMaker::reportFailure(const Error& error)
{
    if (error.kind != ErrorKind::canceled) emit failed(QString::fromStdString(error.message), error.help);
}

void SceneMaker::setMoreComing(bool isMoreComing)
{
    if (std::exchange(m_isMoreComing, isMoreComing) && !isMoreComing) m_alignPause.stop();
    align();
}

void SceneMaker::alignAnew()
{
    m_isOutOfDate = true;
    m_alignPause.stop();
    m_align.cancel(); // a running alignment uses outdated options
    align();
}

// Starts an alignment if needed. Changes during an alignment trigger another alignment afterwards.
void SceneMaker::align()
{
    if (!m_isOutOfDate || m_align.isRunning() || m_alignPause.isActive()) return;
    m_isOutOfDate = false;
    m_alignBegun.start();
    m_align.start([align = m_alignReports, reports = m_scene->open, options = m_options](
                      const Progress& progress) { return align(reports, options, progress); });
}

void SceneMaker::applyAlignment(Result<Alignment> outcome)
{
    constexpr int kTimesCost = 3;
    if (m_isMoreComing) m_alignPause.start(kTimesCost * static_cast<int>(m_alignBegun.elapsed()));
    if (outcome) {
        SceneChange aligning;
        aligning.alignment = *std::move(outcome);
        change(std::move(aligning));
    } else {
        reportFailure(outcome.error());
    }
    align();
}

bool SceneMaker::isBusy() const
{
    return (!m_change.isEmpty() && !m_hasFailed) || m_next.isRunning() || m_isOutOfDate ||
           m_align.isRunning();
}

} // namespace lockstep
