// SPDX-License-Identifier: Apache-2.0
// The list of all analyses, in the order of the help text. Each line names the group of an analysis and the
// function that returns it, which is declared below and defined in the file of the analysis. The lines of a
// group are consecutive.
#pragma once

#include "core/analysis/analysis.h"

#define LOCKSTEP_ANALYSES(X)                                                                                 \
    X("Reports", inventoryAnalysis)                                                                          \
    X("Reports", alignmentAnalysis)                                                                          \
    X("Training", stragglersAnalysis)                                                                        \
    X("Training", collectivesAnalysis)                                                                       \
    X("Training", temporalBreakdownAnalysis)                                                                 \
    X("Training", idleBreakdownAnalysis)                                                                     \
    X("Training", kernelBreakdownAnalysis)                                                                   \
    X("Training", commCompOverlapAnalysis)                                                                   \
    X("Training", queueLengthAnalysis)                                                                       \
    X("Training", launchStatsAnalysis)                                                                       \
    X("Training", memoryBandwidthAnalysis)                                                                   \
    X("Training", operatorStatsAnalysis)                                                                     \
    X("Training", bottlenecksAnalysis)                                                                       \
    X("Training", findingsAnalysis)                                                                          \
    X("Training", stepBreakdownAnalysis)                                                                     \
    X("Training", roleBreakdownAnalysis)                                                                     \
    X("Training", stepStatisticsAnalysis)                                                                    \
    X("Training", criticalPathAnalysis)                                                                      \
    X("Samples", rolloutTailAnalysis)                                                                        \
    X("Samples", asyncBalanceAnalysis)                                                                       \
    X("Samples", servingAnalysis)                                                                            \
    X("nsys stats", cudaGpuKernSum)                                                                          \
    X("nsys stats", cudaGpuKernGbSum)                                                                        \
    X("nsys stats", cudaGpuMemTimeSum)                                                                       \
    X("nsys stats", cudaGpuMemSizeSum)                                                                       \
    X("nsys stats", cudaGpuSum)                                                                              \
    X("nsys stats", cudaApiSum)                                                                              \
    X("nsys stats", cudaApiGpuSum)                                                                           \
    X("nsys stats", cudaGpuTrace)                                                                            \
    X("nsys stats", cudaApiTrace)                                                                            \
    X("nsys stats", cudaKernExecSum)                                                                         \
    X("nsys stats", cudaKernExecTrace)                                                                       \
    X("nsys stats", nvtxSum)                                                                                 \
    X("nsys stats", nvtxPushPopSum)                                                                          \
    X("nsys stats", nvtxStartEndSum)                                                                         \
    X("nsys stats", nvtxPushPopTrace)                                                                        \
    X("nsys stats", nvtxKernSum)                                                                             \
    X("nsys stats", nvtxGpuProjSum)                                                                          \
    X("nsys stats", nvtxGpuProjTrace)                                                                        \
    X("nsys stats", osrtSum)                                                                                 \
    X("nsys stats", cudnnApiSum)                                                                             \
    X("nsys stats", cublasApiSum)                                                                            \
    X("nsys stats", mpiEventSum)                                                                             \
    X("nsys stats", umSum)                                                                                   \
    X("nsys rules", cudaApiSyncAnalysis)                                                                     \
    X("nsys rules", cudaMemcpyAsyncAnalysis)                                                                 \
    X("nsys rules", cudaMemcpySyncAnalysis)                                                                  \
    X("nsys rules", cudaMemsetSyncAnalysis)                                                                  \
    X("nsys rules", gpuGapsAnalysis)                                                                         \
    X("nsys rules", gpuTimeUtilAnalysis)                                                                     \
    X("nsys recipes", cudaGpuTimeUtilMap)                                                                    \
    X("nsys recipes", ncclGpuTimeUtilMap)                                                                    \
    X("nsys recipes", ncclGpuOverlapTrace)                                                                   \
    X("nsys recipes", ncclSum)                                                                               \
    X("nsys recipes", cudaGpuKernPace)                                                                       \
    X("nsys recipes", nvtxPace)                                                                              \
    X("nsys recipes", cudaGpuKernHist)                                                                       \
    X("nsys recipes", gpuMetricUtilMap)                                                                      \
    X("nsys recipes", networkSum)                                                                            \
    X("nsys recipes", diffAnalysis)                                                                          \
    X("Memory", memorySummaryAnalysis)                                                                       \
    X("Memory", memoryTimelineAnalysis)                                                                      \
    X("Memory", memoryPeakAnalysis)                                                                          \
    X("Memory", memoryLeaksAnalysis)                                                                         \
    X("Memory", memoryDiffAnalysis)                                                                          \
    X(kWorkspaceTables, notesAnalysis)

namespace lockstep {

#define LOCKSTEP_DECLARATION(group, function) Analysis function();
LOCKSTEP_ANALYSES(LOCKSTEP_DECLARATION)
#undef LOCKSTEP_DECLARATION

} // namespace lockstep
