// SPDX-License-Identifier: Apache-2.0
// Plural forms of the English strings in the window: tr("%n report(s)", nullptr, n) reads "1 report" or "2
// reports". The forms are in resources/translations/lockstep_en.ts, which tests/check_texts.py compares with
// the code.
#pragma once

namespace lockstep {

// Installs the English translation. Call once, on the UI thread, after constructing QApplication and before
// constructing the first window. Returns false if the translation is not part of this program.
bool installPlurals();

} // namespace lockstep
