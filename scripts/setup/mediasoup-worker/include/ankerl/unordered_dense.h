// What the worker uses of unordered_dense, on the standard library's containers.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace ankerl::unordered_dense
{
	template<typename T>
	using hash = std::hash<T>;

	template<typename Key, typename T, typename Hash = hash<Key>>
	using map = std::unordered_map<Key, T, Hash>;

	template<typename Key, typename Hash = hash<Key>>
	using set = std::unordered_set<Key, Hash>;
} // namespace ankerl::unordered_dense
