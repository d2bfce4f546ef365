import type { ServerMessage } from '../messages.ts';
import { CallError } from '../call-error.ts';
import { VERSION } from '../version.ts';

/** Data messages that a page can enable. */
export type DataMessageType = ServerMessage['type'];

export interface ConnectionOptions {
  /** Name and version of the page; stored with the call. */
  clientVersion?: string | undefined;
  /** Data messages to receive in addition to those that `medium.webRtc.dataMessages` enables. */
  additionalMessages?: readonly DataMessageType[] | undefined;
}

const SUPERVISE_PATH = /\/supervise\/[^/]+$/u;

/** The URL of the signalling connection. Throws a CallError if `joinUrl` is not the join URL of a call. */
export function connectionUrl(
  joinUrl: string,
  { clientVersion, additionalMessages = [] }: ConnectionOptions = {},
): string {
  if (!URL.canParse(joinUrl)) throw new CallError('invalid_join_url', 'the join URL is not a valid URL');
  const url = new URL(joinUrl);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') {
    throw new CallError('invalid_join_url', 'the join URL must begin with wss: or ws:');
  }
  if (SUPERVISE_PATH.test(url.pathname)) {
    throw new CallError('invalid_join_url', 'this is the superviseUrl of a call: pass its joinUrl');
  }
  const versions = [clientVersion, `calls-client/${VERSION}`].filter((name) => name !== undefined);
  url.searchParams.set('clientVersion', versions.join(' '));
  url.searchParams.set('apiVersion', '1');
  url.searchParams.set('medium', 'webRtc');
  if (additionalMessages.length > 0) {
    url.searchParams.append('additionalMessages', additionalMessages.join());
  }
  return url.href;
}
