// SPDX-License-Identifier: Apache-2.0
// HoverText reads the arguments of the slice under the cursor for its tooltip card. Reads off the UI thread;
// a request for a newer slice replaces the request for an older one. UI thread.
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

    // Sets the scene (never null) and forgets the slice.
    void setScene(const ScenePtr& scene);
    // Sets the slice under the cursor; invalid for none.
    void setSlice(SliceRef slice);

  signals:
    void found(SliceRef slice, const QString& text);

  private:
    void fetch();
    void take(const Result<SliceDetails>& outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    SliceRef m_slice;
    QTimer m_rest; // delay after the slice changed
    LatestJob<SliceDetails> m_job;
};

} // namespace lockstep
