#include "capture/agent/log_tail.h"

#include <fstream>

namespace lockstep::agent {

std::string LogTail::next(bool isFinal)
{
    std::ifstream file(m_file, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(m_offset));
    std::string piece(kPiece, '\0');
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(file.gcount() > 0 ? static_cast<size_t>(file.gcount()) : 0);
    const size_t lastEnd = piece.rfind('\n');
    if (lastEnd != std::string::npos) {
        piece.resize(lastEnd + 1);
    } else if (piece.size() < kPiece && !isFinal) {
        piece.clear();
    }
    m_offset += piece.size();
    return piece;
}

void forEachLine(const std::string& piece, const std::function<void(std::string_view)>& onLine)
{
    for (size_t begin = 0; begin < piece.size();) {
        const size_t end = std::min(piece.find('\n', begin), piece.size());
        onLine(std::string_view(piece).substr(begin, end - begin));
        begin = end + 1;
    }
}

} // namespace lockstep::agent
