// SPDX-License-Identifier: Apache-2.0
// SyntheticClocks: a made run of several hosts whose clocks are wrong by known amounts, as a workspace of one
// report per rank. The truth is kept beside it, so that tests can say how far an alignment is off.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep::test {

struct SyntheticOptions {
    uint64_t seed = 1;
    int hosts = 4;
    int ranksPerHost = 2;
    int steps = 20;
    int collectivesPerStep = 30;
    int64_t stepLength_ns = 5'000'000'000;
    double largestOffset_ns = 20e6; // of a host's clock, either way, uniform
    double largestDrift = 20e-6;
    double skew_ns = 200e3;         // mean of each rank's random delay before a collective
    double leastTransfer_ns = 30e3; // of the collectives' true duration, log-uniform
    double greatestTransfer_ns = 3e6;
    double tail_ns = 4e3;   // mean of a rank's random delay after the last byte
    double headLoss = 0.02; // share of a rank's first collectives that its report may lack
    double wrongSignature = 0.01;
    double elidedRanks = 0.05; // share of reports whose rank list is shortened
    int listedRanks = 0;       // above 0: every report lists so many of its group's ranks, without dots
    bool hasSequence = true;   // Kineto's Seq; else groups are named but not numbered
    bool hasGroups = true;     // else NCCL kernels without any arguments
    bool hasSteps = true;      // ProfilerStep#N annotations on the GPU
    bool isRegular = false;    // equal signatures at equal distances: nothing tells one from the next
    bool isAlike = false;      // equal signatures at distances that differ
    bool hasWallClock = true;
    int lateHost = -1; // always late by lateBy_ns
    double lateBy_ns = 5e6;
    int steppedHost = -1; // its clock jumps in the middle of the run
    double step_ns = 0;
    int shiftedHost = -1; // its stamps are later by shift_ns than its clock's error makes them
    int64_t shift_ns = 0;
    Confidence hostConfidence = Confidence::stated;
    // Sends from a rank to the next or back, beside the collectives: kernels that state them, or bare
    // SendRecv.
    int pairsPerStep = 0;
    bool arePairsStated = true;
    bool isOneWay = false;     // never back
    double pairTail_ns = 15e3; // mean of a rank's random delay after the last byte of a pair
    double eagerPairs = 0; // share of sends that fit a buffer: the sender leaves before the receiver comes
    std::string run = "run";
    std::string group = "0";
};

struct SyntheticClocks {
    SyntheticOptions options;
    Workspace workspace;           // report = host * ranksPerHost + local rank
    std::vector<double> offset_ns; // by host, at true time zero, the run's middle
    std::vector<double> drift;     // by host
    std::vector<int64_t> headLoss; // by report: collectives missing at its head

    int hostOf(size_t report) const { return static_cast<int>(report) / options.ranksPerHost; }
    // The report's stamp of a true time: ns since the run's middle.
    TraceTime stampOf(size_t report, double true_ns) const;
    double halfLength_ns() const { return static_cast<double>(options.stepLength_ns) * options.steps / 2; }
};

// Deterministic in the options. Reports have stamps from about 10 s on.
SyntheticClocks makeSyntheticClocks(const SyntheticOptions& options);
// The reports of both in one workspace, the second's after the first's.
Workspace joined(const Workspace& first, const Workspace& second);

} // namespace lockstep::test
