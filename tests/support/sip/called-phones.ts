import { systemClock as clock, withTimeout } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import type { IncomingInvite } from '@calls/sip/calls';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';

const HOST = '127.0.0.1';
const RING_LIMIT_MS = 30_000;

/** Phones that wait for SIP calls of agents. */
export interface CalledPhones extends AsyncDisposable {
  /**
   * Gives `place` the address of a new phone, and resolves to the INVITE and the result of `place`. Rejects if the
   * phone is not called within 30 s.
   */
  called<T>(place: (to: string) => Promise<T>): Promise<{ invite: IncomingInvite; placed: T }>;
}

export async function openCalledPhones(): Promise<CalledPhones> {
  const waiting = new Map<string, (invite: IncomingInvite) => void>();
  const endpoint = await openSipEndpoint({
    ...{ host: HOST, port: 0, address: HOST, names: createNameResolver(), clock, log: silentLogger },
    onInvite: (invite) => waiting.get(userOf(invite.requestUri))?.(invite),
    onMessage: () => undefined,
  });
  let phones = 0;
  return {
    async called(place) {
      phones += 1;
      const user = `phone-${phones}`;
      const { promise, resolve } = Promise.withResolvers<IncomingInvite>();
      waiting.set(user, resolve);
      try {
        const placed = await place(`sip:${user}@${HOST}:${endpoint.port}`);
        return { invite: await withTimeout(clock, promise, RING_LIMIT_MS, `the call to ${user}`), placed };
      } finally {
        waiting.delete(user);
      }
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

function userOf(uri: string): string {
  return /sip:(?<user>[^@]+)@/u.exec(uri)?.groups?.['user'] ?? '';
}
