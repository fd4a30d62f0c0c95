// SPDX-License-Identifier: Apache-2.0
// FakeServers runs fake_servers.py: HTTP servers that behave like vLLM, SGLang and their routers. Ends with
// the object.
#pragma once

#include <string>
#include <vector>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include "tests/support/patience.h"
#include "tests/support/places.h"

namespace lockstep::test {

class FakeServers {
  public:
    explicit FakeServers(const QJsonArray& configs)
    {
        const auto script = sourceFolder() / "tests/support/fake_servers.py";
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start("python3", {QString::fromStdString(script.string()),
                                    QJsonDocument(configs).toJson(QJsonDocument::Compact)});
        waitUntil([this] { return m_process.canReadLine() || m_process.state() == QProcess::NotRunning; });
        const auto ports = QJsonDocument::fromJson(m_process.readLine()).array();
        for (const auto& port : ports)
            m_urls.push_back("http://127.0.0.1:" + std::to_string(port.toInt()));
    }
    FakeServers(const FakeServers&) = delete;
    FakeServers& operator=(const FakeServers&) = delete;
    ~FakeServers()
    {
        m_process.closeWriteChannel();
        if (!m_process.waitForFinished(10'000)) m_process.kill();
        m_process.waitForFinished(kPatience_ms);
    }

    const std::vector<std::string>& urls() const { return m_urls; }
    QString url(size_t index) const { return QString::fromStdString(m_urls.at(index)); }
    QString allUrls() const
    {
        QStringList urls;
        for (const std::string& url : m_urls)
            urls << QString::fromStdString(url);
        return urls.join(',');
    }
    // Returns the requests that a server received: method, path, body and time ("at", in s).
    QJsonArray log(size_t index) const
    {
        QProcess curl;
        curl.start("curl", {"-s", url(index) + "/log"});
        curl.waitForFinished(kPatience_ms);
        return QJsonDocument::fromJson(curl.readAllStandardOutput()).array();
    }
    // Returns the number of requests for a path, and the first of them.
    QJsonArray requests(size_t index, const QString& path) const
    {
        QJsonArray found;
        const QJsonArray all = log(index);
        for (const auto& one : all) {
            if (one.toObject()["path"] == path) found << one;
        }
        return found;
    }

  private:
    QProcess m_process;
    std::vector<std::string> m_urls;
};

} // namespace lockstep::test
