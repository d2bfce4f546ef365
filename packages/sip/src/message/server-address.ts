import type { SipHeaders } from './headers.ts';
import { readSipUri, writeSipUri, type SipUri } from './uri.ts';

/** A server as operators write it: a host with an optional port and parameters, with or without the scheme. Null if malformed. */
export function readServer(text: string): SipUri | null {
  const uri = readSipUri(/^sips?:/iu.test(text) ? text : `sip:${text}`);
  return uri?.user === null ? uri : null;
}

/** The first hop of requests through an outbound proxy, a loose route (RFC 3261, 8.1.2). Null if malformed. */
export function routeThrough(proxy: string): { nextHop: string; headers: SipHeaders } | null {
  const server = readServer(proxy);
  if (!server) return null;
  const nextHop = writeSipUri({ ...server, parameters: new Map([...server.parameters, ['lr', null]]) });
  return { nextHop, headers: [['Route', `<${nextHop}>`]] };
}
