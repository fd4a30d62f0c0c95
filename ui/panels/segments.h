// SPDX-License-Identifier: Apache-2.0
// Segments: buttons side by side of which one is chosen, as bars of panels have them. UI thread.
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

// At the line's end, ids from 0, the first chosen. tooltips: one each.
QButtonGroup* addSegments(QHBoxLayout& line, QWidget* parent, const QStringList& labels,
                          const QStringList& tooltips);

// Visible, Selected and Whole: the window's choice of what tables are made of, whichever panel it is made in.
void addScopeSegments(QHBoxLayout& line, QWidget* parent, ViewState& view, const QStringList& tooltips);

// How to count more than the scope's time range, to follow the reason for an empty table; empty where that
// range is the whole run.
QString rangeAdvice(const ViewState& view, const Scope& scope, const Scene& scene);

} // namespace lockstep
