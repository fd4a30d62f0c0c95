// SPDX-License-Identifier: Apache-2.0
#include "core/remote/http_call.h"

#include <algorithm>
#include <chrono>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kReadyLine = "lockstep-curl-ready\n";
constexpr qint64 kMaxAnswer_bytes = 16 << 20;
constexpr int kConnect_s = 10;
// Exit statuses of curl (man curl, "EXIT CODES"), and of a shell that does not find it.
constexpr int kCurlConnect = 7, kCurlPartial = 18, kCurlTimeout = 28, kCurlNothing = 52, kCurlMissing = 127;

int64_t steady_ns()
{
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Returns a value of a curl configuration file, in quotes.
std::string curlQuoted(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n' || c == '\r') continue; // cannot occur in a valid key or address
        quoted += c;
    }
    return quoted + "\"";
}

std::string curlConfig(const HttpOrder& order)
{
    std::string text = "silent\nshow-error\ngloboff\nnoproxy = \"*\"\nproto = \"=http,https\"\n";
    text += "connect-timeout = " + std::to_string(std::min(kConnect_s, order.limit_s)) + "\n";
    text += "max-time = " + std::to_string(order.limit_s) + "\n";
    text += "request = " + order.request.method + "\n";
    if (!order.key.empty()) text += "header = " + curlQuoted("Authorization: Bearer " + order.key) + "\n";
    if (!order.request.body.empty()) {
        text += "header = \"Content-Type: application/json\"\n";
        text += "data = " + curlQuoted(order.request.body) + "\n";
    } else if (order.request.method == "POST") {
        text += "header = \"Content-Length: 0\"\n";
    }
    text += "write-out = \"\\n%{http_code} %{time_pretransfer} %{time_total}\"\n";
    return text + "url = " + curlQuoted(order.url + order.request.path) + "\n";
}

// Returns curl's own explanation, without "curl: (7) ".
std::string curlDetail(const std::string& errorText)
{
    const size_t at = errorText.rfind("curl: (");
    if (at == errorText.npos) return {};
    const size_t begin = errorText.find(") ", at);
    if (begin == errorText.npos) return {};
    return printable(errorText.substr(begin + 2, errorText.find('\n', begin) - begin - 2));
}

// Returns the numbers in a text that consists of numbers and single spaces; otherwise an empty list.
std::vector<double> numbersIn(std::string_view text)
{
    std::vector<double> numbers;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        const auto number = parseDouble(text.substr(begin, end - begin));
        if (!number) return {};
        numbers.push_back(*number);
        begin = end + 1;
    }
    return numbers;
}

} // namespace

HttpCall::HttpCall(std::shared_ptr<const Remote> remote, HttpOrder order, bool isHeld, QObject* parent)
    : QObject(parent), m_order(std::move(order)), m_host(remote->name())
{
    CallLimits limits;
    limits.what = "curl";
    limits.idleLimit_s = 0; // a server may take minutes to write its traces
    limits.total_s = m_order.limit_s + 60;
    limits.max_bytes = kMaxAnswer_bytes;
    m_call = remote->streamCall("echo lockstep-curl-ready; exec curl -q --config -", this, limits);
    connect(m_call, &RemoteCall::outputArrived, this, &HttpCall::receive);
    connect(m_call, &RemoteCall::finished, this, &HttpCall::finish);
    if (!isHeld) release();
}

void HttpCall::release()
{
    if (m_isReleased) return;
    m_isReleased = true;
    m_released_ns = steady_ns();
    m_call->write(QByteArray::fromStdString(curlConfig(m_order)));
    m_call->closeInput();
}

void HttpCall::receive(const QByteArray& bytes)
{
    m_output += bytes;
    if (m_isReady || !m_output.startsWith(QByteArray(kReadyLine.data(), kReadyLine.size()))) return;
    m_isReady = true;
    m_output.remove(0, kReadyLine.size());
    emit ready();
}

void HttpCall::finish(const CallResult& call)
{
    HttpResult result;
    const std::string output = m_output.toStdString();
    const size_t line = output.rfind('\n');
    const std::string_view last = line == output.npos ? "" : std::string_view(output).substr(line + 1);
    const std::vector<double> numbers = numbersIn(last);
    const int status = numbers.size() == 3 ? static_cast<int>(numbers[0]) : 0;
    const double before_s = numbers.size() == 3 ? numbers[1] : 0;
    const double after_s = numbers.size() == 3 ? std::max(0.0, numbers[2] - before_s) : 0;
    result.notBefore_ns = m_released_ns + static_cast<int64_t>(before_s * 1e9);
    result.notAfter_ns = std::max(result.notBefore_ns, steady_ns() - static_cast<int64_t>(after_s * 1e9));
    result.wasSent = m_isReleased && call.code != kCurlConnect && call.code != kCurlMissing && before_s > 0;
    result.isRefused = call.code == kCurlConnect;
    const std::string where = m_order.url + ": ";
    const std::string detail = curlDetail(call.errorText);
    const auto fail = [&](const std::string& text) {
        result.error = Error{ErrorKind::remote, where + text, HelpTopic::servers};
    };
    if (call.isCanceled) {
        result.error = Error{ErrorKind::canceled, where + "canceled"};
    } else if (call.isOk() && status > 0) {
        result.answer = {status, output.substr(0, line)};
    } else if (call.code == kCurlMissing) {
        fail("curl was not found on " + m_host + "; install it there");
    } else if (call.code == kCurlPartial) {
        fail("the answer was cut off after " + byteText(static_cast<int64_t>(line)) +
             "; the server may have ended");
    } else if (call.code == kCurlNothing) {
        fail("the server closed the connection without an answer; it may have ended");
    } else if (call.code == kCurlTimeout) {
        fail("no answer within " + std::to_string(m_order.limit_s) + " s" +
             (detail.empty() ? "" : " (" + detail + ")"));
    } else if (!detail.empty()) {
        fail("no answer: " + detail);
    } else {
        result.error = call.error.message.empty()
                           ? Error{ErrorKind::remote, where + "curl printed no result", HelpTopic::servers}
                           : call.error;
    }
    emit finished(result);
}

} // namespace lockstep
