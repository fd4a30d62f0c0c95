// Help > Save log: asks for a file and writes the program's notes into it. UI thread.
#pragma once

#include <functional>

#include "core/session/session_config.h"

class QWidget;

namespace lockstep {

class NoticeBar;
class Settings;

// secrets is asked when the file is written; notice tells how that went and must outlive parent.
void askToSaveLog(QWidget* parent, Settings& settings, NoticeBar& notice, std::function<TextPairs()> secrets);

} // namespace lockstep
