import type { Logger } from '@calls/foundation/logger';
import { connect } from 'nats';
import type { Bus } from './bus.ts';
import { asBusError } from './bus-error.ts';
import { parseBusAddress } from './bus-address.ts';
import { NatsBus } from './nats-bus.ts';

const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 1000;
/** For the whole handshake. A server that is down refuses at once; this leaves time for a busy machine. */
const CONNECT_LIMIT_MS = 15_000;
/** A call may carry a megabyte of request and what it inherits. */
const WANTED_PAYLOAD_BYTES = 4 * 1024 * 1024;

/**
 * Connects and creates what is missing on the server; rejects where the server isn't reached at once. Later on it reconnects
 * by itself for as long as it takes.
 */
export async function connectBus(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const connection = await connect({
    ...parseBusAddress(options.url),
    name: options.name,
    timeout: CONNECT_LIMIT_MS,
    maxReconnectAttempts: -1,
    // A server that hangs is noticed within 3 to 9 s.
    pingInterval: 3000,
    maxPingOut: 2,
    noAsyncTraces: true,
    // Spread, so that a restarted server isn't met by all clients at once.
    reconnectDelayHandler: () =>
      MIN_RECONNECT_DELAY_MS + Math.random() * (MAX_RECONNECT_DELAY_MS - MIN_RECONNECT_DELAY_MS),
  }).catch((thrown: unknown) => {
    throw asBusError(`connect to ${new URL(options.url.split(',', 1)[0] ?? '').host}`, thrown);
  });
  const maxPayloadBytes = connection.info?.max_payload ?? Infinity;
  if (maxPayloadBytes < WANTED_PAYLOAD_BYTES) {
    options.log.warn(
      { maxPayloadBytes, wanted: WANTED_PAYLOAD_BYTES },
      'NATS max_payload is too small for the largest calls',
    );
  }
  const bus = new NatsBus(connection, options.log);
  try {
    await bus.ensure();
    return bus;
  } catch (thrown) {
    await bus[Symbol.asyncDispose]();
    throw asBusError('set-up of streams', thrown);
  }
}
