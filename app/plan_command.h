// SPDX-License-Identifier: Apache-2.0
// `lockstep --plan`: the launch plan, the forecast and the findings of a saved session, as text. Changes
// nothing anywhere.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>

namespace lockstep {

// 0 the plan was printed and nothing stands against it; 3 it was printed and preflight found errors (they are
// in the output); 1 there is no plan, the reason is on err. hostFacts is a file of `lockstep-agent probe`
// objects; isStrict makes errors of keys that nothing reads.
int planCommand(const std::filesystem::path& session, const std::optional<std::filesystem::path>& hostFacts,
                bool isStrict, std::ostream& out, std::ostream& err);

} // namespace lockstep
