import { AsyncResource } from 'node:async_hooks';
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];

/**
 * Concurrent look-ups of a name share one. `dns.lookup` runs two at a time in a process, and a name whose server does
 * not respond takes 10 s: one look-up for each request would delay those of all other providers.
 */
export function createSharedLookup(
  lookup: LookupFunction = (hostname, options, callback) => dns.lookup(hostname, options, callback),
): LookupFunction {
  const waiting = new Map<string, Callback[]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options]);
    // It runs in the trace of its own request.
    const own: Callback = AsyncResource.bind(callback);
    const others = waiting.get(key);
    if (others) {
      others.push(own);
      return;
    }
    const callbacks = [own];
    waiting.set(key, callbacks);
    lookup(hostname, options, (...result) => {
      waiting.delete(key);
      for (const each of callbacks) each(...result);
    });
  };
}

/** The look-up of all connections to providers. */
export const sharedLookup = createSharedLookup();
