import { patternOf } from '@calls/api-contract/rest/test-scenario';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

/**
 * Whether `value` contains `wanted`: objects may have more keys, lists have as many items, texts `/…/` are patterns, and all
 * else is equal.
 */
export async function jsonMatches(
  value: unknown,
  wanted: unknown,
  checks: UntrustedChecks,
): Promise<boolean> {
  if (typeof wanted === 'string') {
    const pattern = patternOf(wanted);
    if (pattern === null) return value === wanted;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return (await checks.firstMatch([pattern], text)) === 0;
  }
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(wanted))
    return false;
  const entries = Object.entries(wanted as Record<string, unknown>);
  if (Array.isArray(wanted) && entries.length !== Object.keys(value).length) return false;
  const inside = value as Record<string, unknown>;
  for (const [key, item] of entries)
    if (!Object.hasOwn(inside, key) || !(await jsonMatches(inside[key], item, checks))) return false;
  return true;
}
