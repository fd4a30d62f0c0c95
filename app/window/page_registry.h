// SPDX-License-Identifier: Apache-2.0
// The list of the window's pages. To add a page, write its class and add one line to the table. UI thread.
#pragma once

#include "app/window/window_parts.h"

namespace lockstep {

// Creates all pages and adds them to `pages`. Call after addPanels(). The start page is in front until a
// report is open, then the timeline page.
void addPages(PageStack& pages, const WindowParts& parts);

} // namespace lockstep
