// SPDX-License-Identifier: Apache-2.0
// pictureRequest() derives the content of an exported image from the command line. Also available in builds
// without a window.
#pragma once

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "core/scene/mark_list.h"

namespace lockstep {

// Returns the request for the image `what`, which must not be a step chart. If `baseline` is not null, the
// timeline is compared with it. Prints notices about slices without a match and about images that cannot show
// a comparison.
Result<PictureRequest> pictureRequest(const CommandLine& line, const std::string& what, PictureFormat format,
                                      const Scene& scene, const Scene* baseline, const MarkList& marks,
                                      Console& console, const Progress& progress);

} // namespace lockstep
