// SPDX-License-Identifier: Apache-2.0
// The list of the window's pages: a page is its class and one line here. UI thread.
#pragma once

#include "app/window_parts.h"

namespace lockstep {

// Makes all pages and adds them; panels were made before. The start of an empty window is in front, and
// behind it what there is to look at once something is open.
void addPages(PageStack& pages, const WindowParts& parts);

} // namespace lockstep
