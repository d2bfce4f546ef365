import { DURATION_PATTERN, durationToMs } from '@calls/api-contract/duration';
import type { Issue } from '@calls/api-contract/validation/validator';
import { valuesAt } from './values-at.ts';

const HOUR_MS = 3_600_000;
const DURATION = new RegExp(DURATION_PATTERN);

/** Largest values of the durations in a request; none may be negative. */
const DURATION_LIMITS_MS: readonly (readonly [path: string, maxMs: number])[] = [
  ['joinTimeout', HOUR_MS],
  ['maxDuration', 24 * HOUR_MS],
  ['vadSettings.turnEndpointDelay', 60_000],
  ['vadSettings.minimumTurnDuration', 60_000],
  ['vadSettings.minimumInterruptionDuration', 60_000],
  ['firstSpeakerSettings.agent.delay', HOUR_MS],
  ['firstSpeakerSettings.user.fallback.delay', HOUR_MS],
  ['inactivityMessages.*.duration', HOUR_MS],
  ['medium.serverWebSocket.mediaIdleTimeout', 24 * HOUR_MS],
];

export function durationIssues(body: unknown): Issue[] {
  return DURATION_LIMITS_MS.flatMap(([pattern, maxMs]) =>
    valuesAt(body, pattern).flatMap(({ path, value }) => {
      // What isn't a duration at all is the schema's to say.
      if (typeof value !== 'string' || !DURATION.test(value)) return [];
      if (value.startsWith('-')) return [{ path, message: 'must not be negative' }];
      return durationToMs(value) > maxMs ? [{ path, message: `must be at most ${maxMs / 1000}s` }] : [];
    }),
  );
}
