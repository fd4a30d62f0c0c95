// SPDX-License-Identifier: Apache-2.0
// Defines what counts as a secret: the names of variables and options with secret values, and secrets in
// running text (logs, command lines, URLs). The launch plan, records, agents, logs, and the capture library
// all use it; resources/help/privacy.md documents it. Header only and standard C++ only, because the capture
// library does not link core. Pure functions, any thread, linear time.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// Replacement for a secret that has no variable name.
inline constexpr std::string_view kSecretMask = "***";

// A secret within a text. `label` is an upper-case name of letters, digits and '_', such as API_KEY.
struct SecretSpan {
    size_t begin = 0;
    size_t size_bytes = 0;
    std::string label;
};

namespace secret_rule {

constexpr bool isAlphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

inline bool isNumeric(char c)
{
    return c >= '0' && c <= '9';
}

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

inline bool isQuote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

// The characters that occur in names of variables, options and settings, and in tokens. A table, because it
// is consulted for every byte of every log.
inline constexpr std::array<bool, 256> kWordChars = [] {
    std::array<bool, 256> parts{};
    for (size_t c = 0; c < parts.size(); ++c) {
        const char one = static_cast<char>(c);
        parts[c] = isAlphanumeric(one) || one == '_' || one == '-' || one == '.';
    }
    return parts;
}();

inline bool isWordChar(char c)
{
    return kWordChars[static_cast<unsigned char>(c)];
}

inline std::string upperCased(std::string_view text)
{
    std::string upper(text);
    for (char& c : upper) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return upper;
}

template<size_t N>
bool isInWordList(const std::array<std::string_view, N>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

template<size_t N>
bool hasPartOf(const std::array<std::string_view, N>& parts, std::string_view text)
{
    return std::any_of(parts.begin(), parts.end(),
                       [text](std::string_view part) { return text.find(part) != text.npos; });
}

inline std::string_view lastWord(std::string_view name)
{
    return name.substr(name.rfind('_') + 1); // npos + 1 = 0, so a name without '_' stays whole
}

inline std::string_view withoutLastWord(std::string_view name)
{
    const size_t at = name.rfind('_');
    return at == name.npos ? std::string_view() : name.substr(0, at);
}

inline bool isHarmless(std::string_view upper)
{
    constexpr std::array<std::string_view, 16> kNames{
        "PWD",       "OLDPWD",     "PUBLIC_KEY",  "PAD_TOKEN",         "EOS_TOKEN",   "BOS_TOKEN",
        "UNK_TOKEN", "SEP_TOKEN",  "CLS_TOKEN",   "MASK_TOKEN",        "IMAGE_TOKEN", "STOP_TOKEN",
        "PATH",      "AWS_REGION", "AWS_PROFILE", "AWS_DEFAULT_OUTPUT"};
    // A variable whose name has one of these suffixes does not contain the secret itself, but the location,
    // length or name of the secret.
    constexpr std::array<std::string_view, 12> kEnds{"FILE", "PATH",  "DIR",  "FOLDER", "LEN",    "LENGTH",
                                                     "SIZE", "COUNT", "TYPE", "NAME",   "COLUMN", "FIELD"};
    return isInWordList(kNames, upper) || isInWordList(kEnds, lastWord(upper)) ||
           upper == "AWS_DEFAULT_REGION" || upper.starts_with("AWS_ENDPOINT_URL") ||
           upper == "GOOGLE_APPLICATION_CREDENTIALS" || upper.ends_with("_PUBLIC_KEY");
}

constexpr std::array<std::string_view, 5> kSecretParts{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET",
                                                       "CREDENTIAL"};

} // namespace secret_rule

// Returns whether an environment variable with this name contains a secret, regardless of case: its last word
// is KEY, APIKEY, TOKEN, PAT or PWD; it contains PASSWORD, PASSWD, PASSPHRASE, SECRET or CREDENTIAL; it ends
// with KEY_ID or begins with AWS_. Exceptions: names that end with FILE, PATH, DIR, FOLDER, LEN, SIZE, COUNT,
// TYPE, NAME and the like, special tokens of tokenizers (PAD_TOKEN, EOS_TOKEN, ...), PUBLIC_KEY,
// GOOGLE_APPLICATION_CREDENTIALS (a path), and AWS's region, profile, output format and endpoints. '_'
// separates words, so TOKENIZERS_PARALLELISM and MAX_TOKENS are not secrets.
inline bool isSecretVariable(std::string_view name)
{
    using namespace secret_rule;
    constexpr std::array<std::string_view, 5> kLast{"KEY", "APIKEY", "TOKEN", "PAT", "PWD"};
    constexpr std::array<std::string_view, 14> kPassOwners{"DB",    "SQL",  "MYSQL", "PG",   "POSTGRES",
                                                           "REDIS", "USER", "SMTP",  "MAIL", "FTP",
                                                           "PROXY", "AUTH", "ROOT",  "ADMIN"};
    const std::string upper = upperCased(name);
    if (isHarmless(upper)) return false;
    const bool isPass =
        lastWord(upper) == "PASS" && isInWordList(kPassOwners, lastWord(withoutLastWord(upper)));
    return isInWordList(kLast, lastWord(upper)) || isPass || upper.ends_with("APIKEY") ||
           upper.ends_with("KEY_ID") || upper.starts_with("AWS_") || hasPartOf(kSecretParts, upper);
}

namespace secret_rule {

// "--wandb.api-key" -> "API_KEY".
inline std::string optionLabel(std::string_view option)
{
    option = option.substr(std::min(option.find_first_not_of("+~-"), option.size()));
    option = option.substr(option.rfind('.') + 1); // npos + 1 = 0, so a name without '.' stays whole
    std::string label = upperCased(option);
    std::replace(label.begin(), label.end(), '-', '_');
    return label;
}

// Returns true for words that label secrets but are also ordinary words in logs.
inline bool isWeak(std::string_view label)
{
    return label == "TOKEN" || label == "KEY" || label == "SECRET" || label == "SECRETS";
}

inline bool isUpperCase(std::string_view name)
{
    return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

} // namespace secret_rule

// Returns whether a program option, a setting or a field with this name contains a secret: "--api-key",
// "trainer.hf_token", "password". Stricter than isSecretVariable() for names in lower case, because settings
// such as data.prompt_key, max_token_len and tokenizer are not secrets.
inline bool isSecretOption(std::string_view option)
{
    using namespace secret_rule;
    constexpr std::array<std::string_view, 12> kParts{
        "API_KEY",  "APIKEY",       "ACCESS_KEY",  "ACCESSKEY",  "PRIVATE_KEY", "PRIVATEKEY",
        "AUTH_KEY", "ACCESS_TOKEN", "ACCESSTOKEN", "AUTH_TOKEN", "AUTHTOKEN",   "SECRET_KEY"};
    constexpr std::array<std::string_view, 42> kOwners{
        "HF",      "HUB",      "HUGGINGFACE", "FACE",      "API",        "BEARER",  "REFRESH",
        "SESSION", "ID",       "GITHUB",      "GH",        "GITLAB",     "GIT",     "SLACK",
        "BOT",     "WANDB",    "OPENAI",      "ANTHROPIC", "NGC",        "NVIDIA",  "USER",
        "LOGIN",   "READ",     "WRITE",       "ADMIN",     "VAULT",      "JWT",     "OAUTH",
        "CLIENT",  "REGISTRY", "DEPLOY",      "SAS",       "MODELSCOPE", "SWANLAB", "COMET",
        "NEPTUNE", "SECURITY", "STORAGE",     "ACCOUNT",   "MASTER",     "LICENSE", "ENCRYPTION"};
    const std::string label = optionLabel(option);
    if (label.empty() || isHarmless(label)) return false;
    const size_t nameAt = option.size() - label.size();
    if (isUpperCase(option.substr(nameAt))) return isSecretVariable(label);
    const bool isOwned = lastWord(label) == "TOKEN" || lastWord(label) == "KEY";
    return label == "TOKEN" || hasPartOf(kParts, label) || hasPartOf(kSecretParts, label) ||
           (isOwned && isInWordList(kOwners, lastWord(withoutLastWord(label))));
}

namespace secret_rule {

// Returns true for an empty value, a variable reference, a mask, or a word that means "no value".
inline bool isNoValue(std::string_view value)
{
    constexpr std::array<std::string_view, 7> kEmpty{"None", "none", "null", "NULL", "true", "false", "***"};
    if (value.empty() || value[0] == '<' || isInWordList(kEmpty, value)) return true;
    if (value[0] != '$') return false;
    std::string_view name = value.substr(1);
    if (name.size() > 2 && name.front() == '{' && name.back() == '}') name = name.substr(1, name.size() - 2);
    return !name.empty() && !isNumeric(name[0]) &&
           std::all_of(name.begin(), name.end(), [](char c) { return isAlphanumeric(c) || c == '_'; });
}

inline bool hasDigit(std::string_view text)
{
    return std::any_of(text.begin(), text.end(), isNumeric);
}

inline bool isRandom(std::string_view text)
{
    constexpr size_t kMin = 8, kLong = 24;
    const bool hasUpper = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    const bool hasLower = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    return text.size() >= kMin && (hasDigit(text) || (hasUpper && hasLower) || text.size() >= kLong);
}

// Returns the length in bytes of the token of a known service at the start of `word`, or 0. The prefixes are
// the ones that the services document.
inline size_t knownTokenSize(std::string_view word)
{
    struct Kind {
        std::string_view prefix;
        bool hasDashes; // the token may also contain '-' and '_'
    };
    constexpr std::array<Kind, 21> kKinds{
        {{"hf_", false},  {"ghp_", false},  {"gho_", false},       {"ghu_", false},  {"ghs_", false},
         {"ghr_", false}, {"sk-", true},    {"github_pat_", true}, {"glpat-", true}, {"xoxb-", true},
         {"xoxp-", true}, {"xoxa-", true},  {"xoxs-", true},       {"xoxr-", true},  {"npm_", false},
         {"pypi-", true}, {"nvapi-", true}, {"wandb_v1_", true},   {"AKIA", false},  {"ASIA", false},
         {"AIza", true}}};
    if (word.empty() || std::string_view("hgsxnpwAe").find(word[0]) == std::string_view::npos) return 0;
    for (const Kind& kind : kKinds) {
        if (!word.starts_with(kind.prefix)) continue;
        size_t end = kind.prefix.size();
        while (end < word.size() &&
               (isAlphanumeric(word[end]) || (kind.hasDashes && (word[end] == '-' || word[end] == '_'))))
            ++end;
        const bool isWhole = kind.hasDashes || end == word.size() || word[end] != '_';
        if (isWhole && isRandom(word.substr(kind.prefix.size(), end - kind.prefix.size()))) return end;
    }
    constexpr size_t kMinJwt = 40;
    const bool isJwt =
        word.starts_with("eyJ") && word.size() >= kMinJwt && std::count(word.begin(), word.end(), '.') == 2;
    return isJwt ? word.size() : 0;
}

// SecretFinder scans a text word by word. Each word is examined once.
class SecretFinder {
  public:
    explicit SecretFinder(std::string_view text) : m_text(text) {}

    std::vector<SecretSpan> find()
    {
        while (m_at < m_text.size()) {
            if (!isWordChar(m_text[m_at])) {
                ++m_at;
                continue;
            }
            size_t end = m_at;
            while (end < m_text.size() && isWordChar(m_text[end]))
                ++end;
            takeWord(m_at, end);
        }
        return std::move(m_found);
    }

  private:
    char at(size_t position) const { return position < m_text.size() ? m_text[position] : '\0'; }

    size_t afterBlanks(size_t position) const
    {
        while (at(position) == ' ' || at(position) == '\t')
            ++position;
        return position;
    }

    // Handles the word [begin, end) and everything that belongs to it. Afterwards m_at is past that part.
    void takeWord(size_t begin, size_t end)
    {
        m_at = end;
        const std::string_view word = m_text.substr(begin, end - begin);
        if (const size_t size = knownTokenSize(word); size > 0) return add(begin, begin + size, "TOKEN");
        if (m_text.substr(end).starts_with("://")) return takeUrl(end + 3);
        if (word.size() < 3 || word.size() > 100) return;
        size_t next = end;
        if (isQuote(at(next))) ++next;
        next = afterBlanks(next);
        const bool hasSeparator =
            at(next) == '=' || (at(next) == ':' && at(next + 1) != '/' && at(next + 1) != ':');
        const std::string upper = word.size() == 13 || word.size() == 6 ? upperCased(word) : std::string();
        if (upper == "AUTHORIZATION") return takeAuthorization(hasSeparator ? next + 1 : next);
        if (upper == "BEARER" && next > end) return takeBearer(next);
        const bool isOption = word[0] == '-' && next > end && !isQuote(at(end));
        if ((!hasSeparator && !isOption) || !isSecretOption(word)) return;
        if (!hasSeparator && (at(next) == '-' || at(next) == '\n' || at(next) == '\r')) return;
        takeValue(word, hasSeparator, next);
    }

    // Handles the value after "name=", "name: " or "--name ".
    void takeValue(std::string_view name, bool hasSeparator, size_t position)
    {
        const bool isColon = hasSeparator && at(position) == ':';
        if (hasSeparator) ++position;
        if (at(position) == '>') ++position; // the operator =>
        const size_t begin = afterBlanks(position);
        if (isColon && begin == position && !isQuote(at(begin)) && !isAlphanumeric(at(begin))) return;
        const auto [first, last] = valueAt(begin, hasSeparator ? ",;&)]}<>" : "");
        const std::string_view value = m_text.substr(first, last - first);
        const std::string label = optionLabel(name);
        // "token: 5" is a count, and "key=5" a key of a map: neither is a secret.
        if (isWeak(label) && hasSeparator && !(isRandom(value) || (!isColon && !isAllDigits(value)))) return;
        if (isNoValue(value)) return;
        add(first, last, label);
        m_at = last;
    }

    static bool isAllDigits(std::string_view value)
    {
        return std::all_of(value.begin(), value.end(), isNumeric);
    }

    // Returns the value that starts at `begin`. A quoted value ends at the closing quote, any other value at
    // a blank, a quote or one of `ends`.
    std::pair<size_t, size_t> valueAt(size_t begin, std::string_view ends) const
    {
        if (isQuote(at(begin))) {
            const char quote = at(begin);
            size_t end = ++begin;
            while (end < m_text.size() && m_text[end] != quote && m_text[end] != '\n')
                end += m_text[end] == '\\' && end + 1 < m_text.size() ? 2 : 1;
            return {begin, end};
        }
        if (m_text.substr(begin).starts_with("${")) ends = "";
        size_t end = begin;
        while (end < m_text.size() && !isBlank(m_text[end]) && !isQuote(m_text[end]) &&
               ends.find(m_text[end]) == ends.npos)
            ++end;
        return {begin, end};
    }

    static constexpr size_t kLongestUser_bytes = 512; // keeps the run time linear in the length of the text

    // Handles scheme://user:PASSWORD@host. The authority ends at '/', '?' or '#', and the user information
    // ends at the last '@' of the authority.
    void takeUrl(size_t begin)
    {
        size_t end = begin;
        while (end < m_text.size() && !isBlank(m_text[end]) && !isQuote(m_text[end]) &&
               std::string_view("/?#<>,;").find(m_text[end]) == std::string_view::npos)
            ++end;
        m_at = begin;
        size_t atSign = m_text.substr(begin, end - begin).rfind('@');
        const size_t port = m_text.substr(begin, end - begin).find(':');
        if (atSign == std::string_view::npos && port != std::string_view::npos &&
            !isAllDigits(m_text.substr(begin + port + 1, end - begin - port - 1))) {
            // The part after ':' is not a port number, so the password itself contains '/', '?' or '#'.
            const std::string_view authority = m_text.substr(begin, kLongestUser_bytes);
            atSign = authority.substr(0, authority.find_first_of(" \t\r\n\"'`")).rfind('@');
        }
        if (atSign == std::string_view::npos) return;
        const std::string_view user = m_text.substr(begin, atSign);
        const size_t colon = user.find(':');
        if (colon != user.npos) {
            if (!isNoValue(user.substr(colon + 1))) add(begin + colon + 1, begin + atSign, "URL_PASSWORD");
        } else if (const size_t size = knownTokenSize(user); size > 0) {
            add(begin, begin + size, "TOKEN");
        }
        m_at = begin + atSign;
    }

    // Handles "Authorization: SCHEME CREDENTIALS"; any part may be quoted.
    void takeAuthorization(size_t position)
    {
        position = afterBlanks(position);
        const bool isQuoted = isQuote(at(position));
        if (isQuoted) ++position;
        size_t end = position;
        while (isAlphanumeric(at(end)))
            ++end;
        const size_t credentials = afterBlanks(end);
        const bool hasScheme = end > position && credentials > end && credentials < m_text.size() &&
                               !isBlank(at(credentials)) && !isQuote(at(credentials));
        const size_t begin = hasScheme ? credentials : position;
        const auto [first, last] = valueAt(begin, ",;");
        if (isNoValue(m_text.substr(first, last - first))) return;
        add(first, last, "AUTHORIZATION");
        m_at = last;
    }

    void takeBearer(size_t position)
    {
        const auto [first, last] = valueAt(position, ",;)");
        const std::string_view value = m_text.substr(first, last - first);
        if (!isRandom(value) || !hasDigit(value) || isNoValue(value)) return;
        add(first, last, "AUTHORIZATION");
        m_at = last;
    }

    void add(size_t begin, size_t end, std::string label)
    {
        if (end > begin) m_found.push_back({begin, end - begin, std::move(label)});
        m_at = std::max(m_at, end);
    }

    std::string_view m_text;
    size_t m_at = 0;
    std::vector<SecretSpan> m_found;
};

} // namespace secret_rule

// Returns the secrets in a text, in text order and without overlap: tokens of known services (hf_, ghp_, sk-,
// ...), passwords in URLs, "Authorization: Bearer X", and values of isSecretOption() names after '=', ':' or
// a blank ("--api-key X"). References such as $NAME are not secrets.
inline std::vector<SecretSpan> findSecrets(std::string_view text)
{
    return secret_rule::SecretFinder(text).find();
}

// Returns the secrets in each argument of a command line. A secret value extends to the end of its argument.
// After an option (--password X), the entire next argument is the value.
inline std::vector<std::vector<SecretSpan>> findSecretsInArguments(std::span<const std::string> words)
{
    using namespace secret_rule;
    std::vector<std::vector<SecretSpan>> found(words.size());
    std::string expected; // label of an option whose value is the next argument
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const std::string label = std::exchange(expected, {});
        if (!label.empty() && !word.starts_with("--")) {
            if (!isNoValue(word)) found[i].push_back({0, word.size(), label});
            continue;
        }
        size_t end = 0;
        while (end < word.size() && (isWordChar(word[end]) || word[end] == '+' || word[end] == '~'))
            ++end;
        const std::string_view name = word.substr(0, end);
        const bool isSecretName = end > 0 && isSecretOption(name);
        if (isSecretName && end < word.size() && word[end] == '=') {
            if (!isNoValue(word.substr(end + 1)))
                found[i].push_back({end + 1, word.size() - end - 1, optionLabel(name)});
            continue;
        }
        if (isSecretName && end == word.size() && word[0] == '-') expected = optionLabel(name);
        if (upperCased(word) == "BEARER") expected = "AUTHORIZATION";
        found[i] = findSecrets(word);
    }
    return found;
}

// Returns the text with each secret replaced by kSecretMask.
inline std::string maskSecrets(std::string_view text)
{
    std::string masked;
    size_t from = 0;
    for (const SecretSpan& secret : findSecrets(text)) {
        masked += text.substr(from, secret.begin - from);
        masked += kSecretMask;
        from = secret.begin + secret.size_bytes;
    }
    return masked += text.substr(from);
}

// Returns the words with each secret replaced by kSecretMask.
inline std::vector<std::string> maskSecretArguments(std::vector<std::string> words)
{
    const auto found = findSecretsInArguments(words);
    for (size_t i = 0; i < words.size(); ++i) {
        for (auto secret = found[i].rbegin(); secret != found[i].rend(); ++secret)
            words[i].replace(secret->begin, secret->size_bytes, kSecretMask);
    }
    return words;
}

} // namespace lockstep
