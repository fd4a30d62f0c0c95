// SPDX-License-Identifier: Apache-2.0
// Segments: buttons side by side of which one is chosen, as bars of panels have them. UI thread.
#pragma once

#include <QStringList>

class QButtonGroup;
class QHBoxLayout;
class QWidget;

namespace lockstep {

class ViewState;

// At the line's end, ids from 0, the first chosen. tooltips: one each.
QButtonGroup* addSegments(QHBoxLayout& line, QWidget* parent, const QStringList& labels,
                          const QStringList& tooltips);

// Visible, Selected and Whole: the window's choice of what tables are made of, whichever panel it is made in.
void addScopeSegments(QHBoxLayout& line, QWidget* parent, ViewState& view, const QStringList& tooltips);

} // namespace lockstep
