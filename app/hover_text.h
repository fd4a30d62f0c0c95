// SPDX-License-Identifier: Apache-2.0
// HoverText: looks up what a file holds of the slice that the cursor rests on, for the card over it. Off the
// UI thread; the newest slice counts. UI thread.
#pragma once

#include <QTimer>

#include "core/readers/reader.h"
#include "core/scene/scene.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class HoverText : public QObject {
    Q_OBJECT

  public:
    explicit HoverText(QObject* parent = nullptr);

    // Never null. Forgets the slice.
    void setScene(const ScenePtr& scene);
    // Invalid: the cursor is on none.
    void setSlice(SliceRef slice);

  signals:
    void found(SliceRef slice, const QString& text);

  private:
    void fetch();
    void take(const Result<SliceDetails>& outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    SliceRef m_slice;
    QTimer m_rest; // since the slice last changed
    LatestJob<SliceDetails> m_job;
};

} // namespace lockstep
