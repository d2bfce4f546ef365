#pragma once

#include "absl/types/optional.h"
