import { delay } from '@calls/foundation/clock';
import { DEFAULT_SIP_LIMITS, type SipEndpoint, type SipEndpointOptions } from '../endpoint-options.ts';
import { openMessageTransport } from '../transport/open-message-transport.ts';
import { EndpointCore } from './endpoint-core.ts';

/** Time limit for the peers' responses to BYE and CANCEL when closing. */
const CLOSE_LIMIT_MS = 2000;

/** Rejects with the system error (`EADDRINUSE`, `EACCES`, …) if the port cannot be opened for UDP, TCP or TLS. */
export async function openSipEndpoint(options: SipEndpointOptions): Promise<SipEndpoint> {
  const { clock } = options;
  const limits = { ...DEFAULT_SIP_LIMITS, ...options.limits };
  const messages = await openMessageTransport({
    ...options,
    limits,
    onBytes: (bytes, from) => core.onBytes(bytes, from),
    isInUse: (peer) => core.isInUse(peer),
    onClosed: (peer) => core.onClosed(peer),
  });
  const core = new EndpointCore({
    ...options,
    limits,
    port: messages.port,
    tlsPort: messages.tlsPort,
    messages,
  });
  const close = async (): Promise<void> => {
    const over = new AbortController();
    await Promise.race([core.hangUpAll(), delay(clock, CLOSE_LIMIT_MS, over.signal).catch(() => undefined)]);
    over.abort();
    core.close();
    await messages[Symbol.asyncDispose]();
  };
  let closed: Promise<void> | undefined;
  return {
    port: messages.port,
    tlsPort: messages.tlsPort,
    invite: (invite) => core.invite(invite),
    resume: (snapshot, credentials) => core.resume(snapshot, credentials),
    register: (options) => core.register(options),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}
