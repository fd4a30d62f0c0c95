// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bash_arguments.h"

#include <QProcess>
#include <QProcessEnvironment>

#include "tests/support/patience.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

namespace {

std::vector<std::string> nulSeparated(const std::string& bytes)
{
    std::vector<std::string> words;
    for (size_t begin = 0; begin < bytes.size();) {
        const size_t end = std::min(bytes.find('\0', begin), bytes.size());
        words.push_back(bytes.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string fileText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

bool bashAccepts(std::string_view script)
{
    const TempDir folder;
    const auto path = folder.write("script", script);
    QProcess bash;
    bash.start("bash", {"-n", QString::fromStdString(path.string())});
    return bash.waitForFinished(kPatience_ms) && bash.exitStatus() == QProcess::NormalExit &&
           bash.exitCode() == 0;
}

std::optional<BashArguments> bashArguments(std::string_view script, const std::string& program,
                                           const std::vector<std::string>& variables)
{
    const TempDir folder;
    const std::string out = (folder.path() / "words").string();
    std::string printer =
        "#!/bin/bash\nprintf '%s\\0' \"" + program + "\" \"$@\" > '" + out + "'\n: > '" + out + ".env'\n";
    for (const std::string& name : variables)
        printer += "printf '%s\\0' \"" + name + "=$" + name + "\" >> '" + out + ".env'\n";
    const auto printerPath = folder.write("bin/" + program, printer);
    std::filesystem::permissions(printerPath, std::filesystem::perms::owner_all);
    const auto path = folder.write("script", script);
    QProcess bash;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QString::fromStdString((folder.path() / "bin").string()) + ":" +
                                   environment.value("PATH"));
    bash.setProcessEnvironment(environment);
    bash.setWorkingDirectory(QString::fromStdString(folder.path().string()));
    bash.start("bash", {QString::fromStdString(path.string())});
    if (!bash.waitForFinished(kPatience_ms) || bash.exitStatus() != QProcess::NormalExit ||
        bash.exitCode() != 0) {
        return std::nullopt;
    }
    return BashArguments{nulSeparated(fileText(out)), nulSeparated(fileText(out + ".env"))};
}

} // namespace lockstep::test
