// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

struct Library {
    std::vector<LaunchRecipe> recipes;
    std::vector<std::string> problems;
};

std::optional<fs::path>& chosenFolder()
{
    static std::optional<fs::path> folder;
    return folder;
}

fs::path userRecipeFolder()
{
    if (chosenFolder()) return *chosenFolder();
    const char* config = std::getenv("XDG_CONFIG_HOME");
    if (config != nullptr && *config == '/') return fs::path(config) / "lockstep/recipes";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? fs::path(home) / ".config/lockstep/recipes" : fs::path();
}

std::vector<fs::path> userRecipeFiles()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(userRecipeFolder(), error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() == ".yaml") files.push_back(at->path());
    }
    std::ranges::sort(files);
    return files;
}

// Reads at most one byte more than a recipe may have, so that a huge file costs nothing. Returns nullopt for
// what is no regular file, such as a pipe, which would never end, and for a file that cannot be read.
std::optional<std::string> limitedText(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text(kYamlMaxBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
    return text;
}

void addRecipe(Library& library, std::string_view text, const std::string& file, bool isOfUser)
{
    Result<LaunchRecipe> recipe = readRecipe(text, file);
    if (!recipe) {
        library.problems.push_back(recipe.error().message);
        return;
    }
    // C++ describes these frameworks, and would silently be used instead of the recipe.
    if (isOfUser && std::ranges::find(kOwnFrameworks, recipe->name) != kOwnFrameworks.end()) {
        library.problems.push_back(file + ": the framework " + recipe->name +
                                   " cannot be replaced; use another name");
        return;
    }
    const bool isKnown =
        std::ranges::find(library.recipes, recipe->name, &LaunchRecipe::name) != library.recipes.end();
    if (isKnown && isOfUser)
        library.problems.push_back(file + ": another recipe has the name " + recipe->name);
    if (isKnown) return;
    if (isOfUser) recipe->text = text;
    library.recipes.push_back(std::move(*recipe));
}

const Library& library()
{
    static const Library kLibrary = [] {
        Library made;
        for (const RecipeText& one : recipeTexts(&made.problems))
            addRecipe(made, one.text, one.file, one.isOfUser);
        return made;
    }();
    return kLibrary;
}

} // namespace

void useRecipeFolder(const fs::path& folder)
{
    chosenFolder() = folder;
}

std::vector<RecipeText> recipeTexts(std::vector<std::string>* problems)
{
    std::vector<RecipeText> texts;
    for (const fs::path& path : userRecipeFiles()) {
        if (std::optional<std::string> text = limitedText(path); text) {
            texts.push_back({path.string(), *std::move(text), true});
        } else if (problems != nullptr) {
            problems->push_back(path.string() + ": cannot be read");
        }
    }
    for (const auto& [name, text] : builtInRecipes())
        texts.push_back({std::string(name), std::string(text), false});
    return texts;
}

std::span<const LaunchRecipe> launchRecipes()
{
    return library().recipes;
}

const std::vector<std::string>& recipeProblems()
{
    return library().problems;
}

const LaunchRecipe* findLaunchRecipe(std::string_view name)
{
    const auto found = std::ranges::find(library().recipes, name, &LaunchRecipe::name);
    return found == library().recipes.end() ? nullptr : &*found;
}

} // namespace lockstep
