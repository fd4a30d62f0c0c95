// SPDX-License-Identifier: Apache-2.0
// ScriptedRemote is a host that answers from files of one folder instead of an agent: events.jsonl is
// followed as it grows, list.jsonl, probe.json and clock are printed, every fetched file has the bytes of
// content, and a fault file has the error for reaching the host. Requests are recorded in asked.txt.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "core/remote/remote.h"

namespace lockstep::test {

class ScriptedRemote : public Remote {
  public:
    ScriptedRemote(std::string name, std::filesystem::path folder)
        : m_name(std::move(name)), m_folder(std::move(folder))
    {
        std::filesystem::create_directories(m_folder);
        for (const char* file : {"events.jsonl", "list.jsonl", "asked.txt"})
            std::ofstream(m_folder / file, std::ios::app);
    }

    const std::filesystem::path& folder() const { return m_folder; }
    // Adds an event; its seq is assigned here.
    void tell(const std::string& kind, int64_t time_ns, const std::string& fields)
    {
        std::ofstream(m_folder / "events.jsonl", std::ios::app)
            << "{\"seq\":" << ++m_seq << ",\"t_ns\":" << time_ns << ",\"kind\":\"" << kind << "\""
            << (fields.empty() ? "" : ",") << fields << "}\n";
    }
    void fail(const std::string& words) const { std::ofstream(m_folder / "fault") << words; }
    std::string asked() const
    {
        std::ostringstream text;
        text << std::ifstream(m_folder / "asked.txt").rdbuf();
        return text.str();
    }

    std::string name() const override { return m_name; }
    std::vector<std::string> localCommand(std::string_view shellText) const override
    {
        static constexpr const char* kScript =
            "cd \"$1\" || exit 1; if [ -f fault ]; then cat fault >&2; exit 255; fi\n"
            "echo lockstep-speaks-from-here\n"
            "case \"$2\" in\n"
            "*'echo have'*) echo have ;;\n"
            "*' run --plan '*) cat > plan.json ;;\n"
            "*' attach '*) exec tail -n +1 -f events.jsonl ;;\n"
            "*' list --run '*) cat list.jsonl ;;\n"
            "*' probe'*) cat probe.json ;;\n"
            "*' stop '*) echo stop >> asked.txt ;;\n"
            "*'; tail -c +'*) cat content ;;\n"
            "*) exit 1 ;;\n"
            "esac\n";
        return {"sh", "-c", kScript, "sh", m_folder.string(), std::string(shellText)};
    }
    LinkFailure linkFailure(int code, std::string_view) const override
    {
        return code == 255 ? LinkFailure::hostKey : LinkFailure::none;
    }
    std::string linkFailureText(LinkFailure, std::string_view errorText) const override
    {
        return std::string(errorText);
    }

  private:
    std::string m_name;
    std::filesystem::path m_folder;
    uint64_t m_seq = 0;
};

} // namespace lockstep::test
