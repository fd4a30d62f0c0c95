// SPDX-License-Identifier: Apache-2.0
// SyntheticClocks is a synthetic run of several hosts whose clocks are wrong by known amounts, as a workspace
// of one report per rank. The true values are stored with it, so that tests can compute the error of an
// alignment.
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
    double largestOffset_ns = 20e6; // of the clock of a host, plus or minus, uniform
    double largestDrift = 20e-6;
    double skew_ns = 200e3;         // mean of each rank's random delay before a collective
    double leastTransfer_ns = 30e3; // of the true duration of collectives, log-uniform
    double greatestTransfer_ns = 3e6;
    double tail_ns = 4e3;   // mean of a rank's random delay after the last byte
    double headLoss = 0.02; // share of a rank's first collectives that its report may lack
    double wrongSignature = 0.01;
    double elidedRanks = 0.05; // share of reports whose rank list is shortened
    int listedRanks = 0;       // above 0: every report lists this many ranks of its group, without dots
    bool hasSequence = true;   // Seq of Kineto; else groups are named but not numbered
    bool hasGroups = true;     // else NCCL kernels without any arguments
    bool hasSteps = true;      // ProfilerStep#N annotations on the GPU
    bool isRegular = false;    // equal signatures at equal distances, which cannot be distinguished
    bool isAlike = false;      // equal signatures at distances that differ
    bool hasWallClock = true;
    int lateHost = -1; // host that is always late by lateBy_ns
    double lateBy_ns = 5e6;
    int steppedHost = -1; // host whose clock jumps in the middle of the run
    double step_ns = 0;
    int shiftedHost = -1; // host with stamps later by shift_ns than the error of its clock explains
    int64_t shift_ns = 0;
    Confidence hostConfidence = Confidence::stated;
    // Sends from a rank to the next or back, in addition to collectives: kernels with arguments, or bare
    // SendRecv.
    int pairsPerStep = 0;
    bool arePairsStated = true;
    bool isOneWay = false;     // only in one direction
    double pairTail_ns = 15e3; // mean of the random delay of a rank after the last byte of a pair
    double eagerPairs =
        0; // share of sends that fit into a buffer: the sender leaves before the receiver arrives
    std::string run = "run";
    std::string group = "0";
};

struct SyntheticClocks {
    SyntheticOptions options;
    Workspace workspace;           // report = host * ranksPerHost + local rank
    std::vector<double> offset_ns; // by host, at true time zero, the middle of the run
    std::vector<double> drift;     // by host
    std::vector<int64_t> headLoss; // by report: collectives missing at its head

    int hostOf(size_t report) const { return static_cast<int>(report) / options.ranksPerHost; }
    // Returns the timestamp of the report for a true time: ns since the middle of the run.
    TraceTime stampOf(size_t report, double true_ns) const;
    double halfLength_ns() const { return static_cast<double>(options.stepLength_ns) * options.steps / 2; }
};

// Deterministic for given options. Reports have timestamps from about 10 s on.
SyntheticClocks makeSyntheticClocks(const SyntheticOptions& options);
// Returns the reports of both in one workspace, those of the second after those of the first.
Workspace joined(const Workspace& first, const Workspace& second);

} // namespace lockstep::test
