// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/cupti_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "capture/inject/descriptors.h"

namespace lockstep::capture {

namespace {

constexpr std::array<const char*, 4> kNames{"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                            "libcupti.so"};

// Returns the folders ".../site-packages/nvidia" of memory-mapped libraries.
std::vector<std::string> packageFolders()
{
    const std::string maps = readFile("/proc/self/maps", 8u << 20);
    std::vector<std::string> folders;
    for (const std::string_view sign : {"/site-packages/", "/dist-packages/"}) {
        for (size_t at = 0; (at = maps.find(sign, at)) != std::string::npos; at += sign.size()) {
            const size_t begin = maps.find('/', maps.rfind('\n', at) + 1);
            std::string folder = maps.substr(begin, at + sign.size() - begin) + "nvidia";
            if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
        }
    }
    return folders;
}

// The loader would block forever on a FIFO. The loader itself resolves a name without a folder.
bool canBeLoaded(const std::string& path)
{
    if (path.find('/') == std::string::npos) return true;
    const int file = openHigh(path.c_str(), O_RDONLY);
    if (file < 0) return true; // dlopen() reports the error
    const auto found = fileIdentity(file);
    close(file);
    return found && found->isRegular;
}

std::vector<std::string> toolkitFolders()
{
    std::vector<std::string> folders;
    for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
            folders.emplace_back(value);
    }
    folders.emplace_back("/usr/local/cuda");
    return folders;
}

std::vector<std::string> candidates()
{
    std::vector<std::string> paths(kNames.begin(), kNames.end());
    const auto addAll = [&](const std::string& folder) {
        for (const char* const name : kNames)
            paths.push_back(folder + "/" + name);
    };
    for (const std::string& folder : packageFolders()) {
        for (const char* const part : {"/cu13/lib", "/cuda_cupti/lib"})
            addAll(folder + part);
    }
    for (const std::string& folder : toolkitFolders()) {
        for (const char* const part : {"/extras/CUPTI/lib64", "/lib64", "/lib", "/targets/x86_64-linux/lib"})
            addAll(folder + part);
    }
    return paths;
}

} // namespace

bool CuptiLibrary::open(const std::string& candidate, bool onlyIfLoaded)
{
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | (onlyIfLoaded ? RTLD_NOLOAD : 0));
    if (handle == nullptr) return false;
    bool isWhole = true;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        return function != nullptr;
    };
#define LOCKSTEP_CUPTI_FIND(name) isWhole = find(name, #name) && isWhole;
    LOCKSTEP_CUPTI_FUNCTIONS(LOCKSTEP_CUPTI_FIND)
#undef LOCKSTEP_CUPTI_FIND
    find(cuptiSetThreadIdType, "cuptiSetThreadIdType");
    find(cuptiActivityRegisterTimestampCallback, "cuptiActivityRegisterTimestampCallback");
    find(cuptiActivityEnableDriverApi, "cuptiActivityEnableDriverApi");
    find(cuptiSubscribe_v2, "cuptiSubscribe_v2");
    isWhole = isWhole && cuptiGetVersion(&version) == CUPTI_SUCCESS && version >= kOldest;
    Dl_info info = {};
    if (isWhole && dladdr(reinterpret_cast<void*>(cuptiGetVersion), &info) != 0 && info.dli_fname != nullptr)
        path = info.dli_fname;
    if (!isWhole) {
        dlclose(handle);
        handle = nullptr;
    }
    return isWhole;
}

bool CuptiLibrary::load(const std::string& given, std::string& tried)
{
    if (!given.empty()) {
        if (!canBeLoaded(given)) {
            tried = given + ": not a regular file";
            return false;
        }
        if (open(given, false)) return true;
        const char* const error = dlerror();
        tried = given + ": " + (error != nullptr ? error : "not a CUPTI version that Lockstep supports");
        return false;
    }
    for (const char* const name : kNames) {
        if (open(name, true)) return true;
    }
    for (const std::string& candidate : candidates()) {
        if (open(candidate, false)) return true;
    }
    tried =
        "libcupti was not found in the process, by the loader, in the toolkit or in Python packages; set its path in "
        "LOCKSTEP_CAPTURE_CUPTI";
    return false;
}

} // namespace lockstep::capture
