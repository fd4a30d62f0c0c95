// The start of the window. Everything before it runs without Qt's GUI.
#pragma once

#include <filesystem>
#include <vector>

namespace lockstep {

// Opens the window with these inputs and runs until it is closed; returns the process' exit status.
int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& inputs);

} // namespace lockstep
