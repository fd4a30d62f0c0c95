// SPDX-License-Identifier: Apache-2.0
#include "ui/window/notices.h"
