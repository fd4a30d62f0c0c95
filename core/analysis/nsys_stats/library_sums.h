// SPDX-License-Identifier: Apache-2.0
// mpi_event_sum, cudnn_api_sum, cublas_api_sum: calls of a library grouped by name, as the reports of these
// names of nsys stats. What a library is are the tables of an export that its calls stand in.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis mpiEventSum();
Analysis cudnnApiSum();
Analysis cublasApiSum();

} // namespace lockstep
