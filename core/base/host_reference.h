// SPDX-License-Identifier: Apache-2.0
// References in session texts whose values only the host of a command knows: ~, $HOME, $USER, $PWD, $SLURM_X
// and $RAY_X, or ${NAME}. The pasted plan leaves a reference to the shell (see bashQuoted()). The agent
// replaces it when it starts a command, so a program gets the same arguments from both. $$ is a literal
// dollar. All other text is literal: ~user, other variables, $(command). Pure functions except
// resolvedHere(). Thread: any.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct HostReference {
    size_t begin = 0;
    size_t size_bytes = 0;
    std::string_view name; // "HOME" for ~; "$" for $$. Refers to the text or to a constant.
};

// Returns true for HOME, USER, PWD, and names that begin with SLURM_ or RAY_.
bool isHostVariable(std::string_view name);

// Returns the references in a text, in order. ~ is a reference only at the beginning, or after the first '='
// and an optional quote (--output=~/x), and only if '/' or the end of the text or quote follows.
std::vector<HostReference> hostReferences(std::string_view text);

// Returns the value of a variable on the host, or nullopt.
using HostValue = std::function<std::optional<std::string>(std::string_view name)>;
// Returns the text with its references replaced. A reference without a value is kept as written.
std::string resolvedText(std::string_view text, const HostValue& valueOf);
// Returns a session text that stands for a literal text: resolvedText() returns the argument. A ~ cannot be
// written literally where it is a reference.
std::string literalText(std::string_view text);

// Returns true if a path does not depend on the working folder, or resolves to an absolute path.
bool isAbsoluteOrHomePath(std::string_view path);

// Returns the text with its references replaced by the values of this process. workingFolder: value of $PWD;
// "" = the current folder.
std::string resolvedHere(std::string_view text, const std::string& workingFolder = {});

} // namespace lockstep
