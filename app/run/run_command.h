// SPDX-License-Identifier: Apache-2.0
// `lockstep --run`, `--attach` and `--stop`: launches a session, resumes watching a run, or stops it; then
// collects the reports and writes the workspace. Needs no display. Ctrl-C stops watching; the run continues
// on its hosts.
#pragma once

#include "app/cli/cli.h"
#include "core/base/workers.h"

namespace lockstep {

// Runs the command; line.task is run, attach or stop. Returns kComplete if every host ended successfully and
// every expected or found report is verified and in the workspace, kPart if something is missing (standard
// error and the collection status list what is missing, with reasons), kNothing if no workspace could be
// written, kInterrupted if watching was stopped.
int runHeadless(int argc, char** argv, const CommandLine& line, const Workers& workers);

class DemoRun;

// Runs the demo. The demo's run is launched and watched like any other run, and its reports are collected
// into demo.workspace(). The output consists of human-readable lines. Ctrl-C stops the demo's run. Returns
// the same exit statuses.
int runDemo(int argc, char** argv, const CommandLine& line, const Workers& workers, const DemoRun& demo);

} // namespace lockstep
