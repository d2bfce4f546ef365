import { DURATION_PATTERN, durationToMs, RESERVED_METADATA_PREFIX, type Fault } from '@calls/api-contract';

const HOUR_MS = 3_600_000;

/** Largest values of the durations in a request; none may be negative. */
const DURATION_LIMITS_MS: readonly (readonly [path: string, maxMs: number])[] = [
  ['joinTimeout', HOUR_MS],
  ['maxDuration', 24 * HOUR_MS],
  ['vadSettings.turnEndpointDelay', 60_000],
  ['vadSettings.minimumTurnDuration', 60_000],
  ['vadSettings.minimumInterruptionDuration', 60_000],
  ['firstSpeakerSettings.agent.delay', HOUR_MS],
  ['firstSpeakerSettings.user.fallback.delay', HOUR_MS],
  ['medium.serverWebSocket.mediaIdleTimeout', 24 * HOUR_MS],
];

/**
 * What a request breaks of the rules beyond its schema, as far as the request alone tells. Takes anything: what the schema
 * has to say about, it leaves alone.
 */
export function requestFaults(request: unknown): Fault[] {
  return [...durationFaults(request), ...metadataFaults(request)];
}

function durationFaults(body: unknown): Fault[] {
  return DURATION_LIMITS_MS.flatMap(([path, maxMs]) => {
    const value = valueAt(body, path);
    // What isn't a duration at all is the schema's to say.
    if (typeof value !== 'string' || !new RegExp(DURATION_PATTERN).test(value)) return [];
    const ms = durationToMs(value);
    if (value.startsWith('-')) return [{ path, message: 'must not be negative' }];
    return ms > maxMs ? [{ path, message: `must be at most ${maxMs / 1000}s` }] : [];
  });
}

function metadataFaults(body: unknown): Fault[] {
  const metadata = valueAt(body, 'metadata');
  if (typeof metadata !== 'object' || metadata === null) return [];
  return Object.keys(metadata)
    .filter((key) => key.startsWith(RESERVED_METADATA_PREFIX))
    .map((key) => ({
      path: `metadata.${key}`,
      message: `must not start with "${RESERVED_METADATA_PREFIX}", which is reserved`,
    }));
}

function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
