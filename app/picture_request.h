// SPDX-License-Identifier: Apache-2.0
// What a picture of an export shows: made from the command line before anything is drawn, in builds without a
// window as well.
#pragma once

#include "app/console.h"
#include "app/export_command.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// baseline: null, or what a picture of the timeline is held against; what has no partner in it is told, as is
// a picture that cannot be compared. what: a picture of the loaded scene, no step chart.
Result<PictureRequest> pictureRequest(const CommandLine& line, const std::string& what, PictureFormat format,
                                      const Scene& scene, const Scene* baseline, const MarkList& marks,
                                      Console& console, const Progress& progress);

} // namespace lockstep
