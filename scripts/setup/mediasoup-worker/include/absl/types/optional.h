// Abseil's names for what the standard library has had since C++17: all that the worker uses of Abseil.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

namespace absl
{
	using std::make_unique;
	using std::nullopt;
	using std::optional;
	using std::string_view;
} // namespace absl
