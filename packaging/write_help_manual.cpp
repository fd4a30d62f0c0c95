// SPDX-License-Identifier: Apache-2.0
// Writes a help page as a man page of section 7: write_help_manual PAGE.md PAGE.7. Supports the Markdown of
// the help pages: a title, sections, paragraphs, bulleted and numbered lists, tables, code, links and
// emphasis. Pictures are left out. Run by the build.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

// Returns "lockstep-open-reports" for "open_reports", and "lockstep-help" for the index.
std::string manualName(std::string page)
{
    for (char& c : page) {
        if (c == '_') c = '-';
    }
    return "lockstep-" + (page == "index" ? "help" : page);
}

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\'') {
            out += "\\(aq";
        } else if (c == '^') {
            out += "\\(ha";
        } else if (c == '~') {
            out += "\\(ti";
        } else {
            out += c;
        }
    }
    return out;
}

// Escapes the first character of a line that roff would read as a request.
std::string guarded(const std::string& line)
{
    return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

// [text](page.md#section) -> "text (lockstep-page(7))"; within the page itself the text alone.
std::string linkText(const std::string& text, const std::string& target)
{
    const size_t end = target.find(".md");
    if (end == std::string::npos) return escaped(text);
    return escaped(text) + " (\\fB" + escaped(manualName(target.substr(0, end))) + "\\fR(7))";
}

// Returns the text of a paragraph, with emphasis, code and links in roff.
std::string inlineText(const std::string& text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const auto closing = [&](const std::string& mark) { return text.find(mark, at + mark.size()); };
        if (text[at] == '`' && closing("`") != std::string::npos) {
            const size_t end = closing("`");
            out += "\\fB" + escaped(text.substr(at + 1, end - at - 1)) + "\\fR";
            at = end + 1;
        } else if (text.compare(at, 2, "**") == 0 && closing("**") != std::string::npos) {
            const size_t end = closing("**");
            out += "\\fB" + escaped(text.substr(at + 2, end - at - 2)) + "\\fR";
            at = end + 2;
        } else if (text[at] == '*' && closing("*") != std::string::npos) {
            const size_t end = closing("*");
            out += "\\fI" + escaped(text.substr(at + 1, end - at - 1)) + "\\fR";
            at = end + 1;
        } else if (const size_t middle = text.find("](", at); text[at] == '[' &&
                                                              middle != std::string::npos &&
                                                              text.find(')', middle) != std::string::npos) {
            const size_t end = text.find(')', middle);
            out += linkText(text.substr(at + 1, middle - at - 1), text.substr(middle + 2, end - middle - 2));
            at = end + 1;
        } else {
            out += escaped(text.substr(at, 1));
            ++at;
        }
    }
    return out;
}

// Returns the length of "12. " at the start of a line of a numbered list; 0 if there is none.
size_t numberLength(const std::string& line)
{
    const size_t end = line.find_first_not_of("0123456789");
    return end != 0 && end != std::string::npos && line.compare(end, 2, ". ") == 0 ? end + 2 : 0;
}

// Manual converts the lines of a page, in order.
class Manual {
  public:
    explicit Manual(std::ostream& out) : m_out(out) {}

    void add(const std::string& line)
    {
        const bool isFence = line.starts_with("```");
        if (isFence || (m_isFenced && !isFence)) return addFenced(line, isFence);
        const bool isCode = line.starts_with("    ");
        if (isCode != m_isIndented && !(m_isIndented && line.empty())) turnCode(isCode);
        if (isCode) {
            m_out << guarded(escaped(line.substr(4))) << '\n';
        } else if (line.starts_with("## ")) {
            flush();
            m_out << ".SH \"" << quoted(line.substr(3)) << "\"\n";
        } else if (line.starts_with("- ")) {
            flush();
            m_out << ".IP \\(bu 2\n";
            m_paragraph = line.substr(2);
        } else if (const size_t number = numberLength(line); number > 0) {
            flush();
            m_out << ".IP " << line.substr(0, number) << "4\n";
            m_paragraph = line.substr(number);
        } else if (line.starts_with("|")) {
            addTableRow(line);
        } else if (line.empty()) {
            const bool wasText = !m_paragraph.empty();
            flush();
            m_isNext = m_isNext || wasText;
        } else if (!line.starts_with("![")) {
            if (m_paragraph.empty() && m_isNext) m_out << ".PP\n";
            m_isNext = false;
            m_paragraph += (m_paragraph.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
        }
    }
    void flush()
    {
        if (!m_paragraph.empty()) m_out << guarded(inlineText(m_paragraph)) << '\n';
        m_paragraph.clear();
    }

  private:
    static std::string quoted(const std::string& text)
    {
        std::string out;
        for (const char c : escaped(text))
            out += c == '"' ? std::string("\\(dq") : std::string(1, c);
        return out;
    }
    void turnCode(bool isCode)
    {
        flush();
        m_out << (isCode ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
        m_isIndented = isCode;
        m_isNext = !isCode;
    }
    // Writes a row of a table with two columns as an item with a heading. Skips the line below the header.
    void addTableRow(const std::string& line)
    {
        flush();
        const size_t middle = line.find(" | "), end = line.rfind(" |");
        if (middle == std::string::npos || end <= middle) return;
        m_out << ".TP\n" << guarded(inlineText(line.substr(2, middle - 2))) << '\n';
        m_out << guarded(inlineText(line.substr(middle + 3, end - middle - 3))) << '\n';
        m_isNext = true;
    }
    void addFenced(const std::string& line, bool isFence)
    {
        if (isFence) {
            flush();
            m_isFenced = !m_isFenced;
            m_out << (m_isFenced ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n");
            m_isNext = !m_isFenced;
        } else {
            m_out << guarded(escaped(line)) << '\n';
        }
    }

    std::ostream& m_out;
    std::string m_paragraph;
    bool m_isIndented = false, m_isFenced = false;
    bool m_isNext = false; // the next text begins a paragraph
};

} // namespace

int main(int argc, char** argv)
{
    std::ifstream page(argc == 3 ? argv[1] : "");
    std::string title, line;
    if (!std::getline(page, title) || !title.starts_with("# ")) {
        std::fprintf(stderr, "write_help_manual PAGE.md PAGE.7: %s is not a help page\n",
                     argc > 1 ? argv[1] : "");
        return 1;
    }
    std::string name = argv[1];
    name = name.substr(name.find_last_of('/') + 1);
    name = manualName(name.substr(0, name.find(".md")));
    std::string upper = name;
    for (char& c : upper)
        c = c == '-' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::ostringstream text;
    text << ".TH " << escaped(upper) << " 7 \"\" Lockstep \"Lockstep Manual\"\n.SH NAME\n"
         << escaped(name) << " \\- " << escaped(title.substr(2)) << "\n.SH DESCRIPTION\n";
    Manual manual(text);
    while (std::getline(page, line))
        manual.add(line);
    manual.add({});
    manual.flush();
    text << ".SH SEE ALSO\n.BR lockstep (1),\n.BR lockstep\\-help (7)\n";
    std::ofstream out(argv[2]);
    out << text.str();
    out.close();
    return out ? 0 : 1;
}
