import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { Metrics } from '@calls/telemetry/metrics';
import type { Duplex } from 'node:stream';

/** WebSocket close codes for rejected joins (docs/reference/joining.md). */
export const CLOSE_CODES = {
  bad_token: 4401,
  unknown_call: 4404,
  already_joined: 4409,
  other_medium: 4422,
  no_capacity: 4503,
  /** Too many connections to one call. */
  too_many_joins: 4503,
  too_many_supervisors: 4503,
} as const;

export type JoinRejection = keyof typeof CLOSE_CODES;

/**
 * `person`: the stream of the person of a warm transfer. `forwarded`: forwarded to the worker that runs the
 * call.
 */
export type JoinOutcome = JoinRejection | 'joined' | 'supervised' | 'person' | 'forwarded';

/** Receives the outcome of each join attempt; `by` is the medium of an attempt that succeeded. */
export type OnJoin = (outcome: JoinOutcome, by?: MediumSpec['kind'] | 'whip') => void;

/** Counts join attempts of clients. */
export function countJoins(metrics: Metrics): OnJoin {
  const joins = metrics.counter({
    name: 'joins_total',
    help: 'Clients that opened a join URL; `forwarded`: to the worker that runs the call; `by`: medium of joined clients',
    labels: ['outcome', 'by'],
    zero: [{ outcome: 'no_capacity', by: 'none' }],
  });
  return (outcome, by) => joins.inc({ outcome, by: by ?? 'none' });
}

/** Rejects an upgrade request; releases the connection as soon as the response is sent. */
export function refuseUpgrade(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => stream.destroy());
}
