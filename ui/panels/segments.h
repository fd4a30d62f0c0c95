// SPDX-License-Identifier: Apache-2.0
// Segments are adjacent buttons of which exactly one is checked. They are used in panel bars. UI thread.
#pragma once

#include <QString>
#include <QStringList>

class QButtonGroup;
class QHBoxLayout;
class QWidget;

namespace lockstep {

class ViewState;
struct Scene;
struct Scope;

// Adds the buttons to the end of the line. Button IDs are zero-based, and the first button is checked.
// tooltips: one per label.
QButtonGroup* addSegments(QHBoxLayout& line, QWidget* parent, const QStringList& labels,
                          const QStringList& tooltips);

// Adds the buttons Visible, Selected and Whole. They select the time range that tables cover. All panels of
// the window share this range.
void addScopeSegments(QHBoxLayout& line, QWidget* parent, ViewState& view, const QStringList& tooltips);

// Returns advice on how to cover a longer time range, to be appended to the message that explains an empty
// table; the advice starts with a space. Returns an empty string if the range is already the whole run.
QString rangeAdvice(const ViewState& view, const Scope& scope, const Scene& scene);

} // namespace lockstep
