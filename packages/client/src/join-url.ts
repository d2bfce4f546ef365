import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { CallError } from './call-error.ts';
import { VERSION } from './version.ts';

export interface ConnectionOptions {
  /** What the page is, and its version: stored with the call. */
  clientVersion?: string | undefined;
  /** Messages that the page wants besides those that `medium.webRtc.dataMessages` switches on: `debug`, `call_event`, … */
  additionalMessages?: readonly ServerMessage['type'][] | undefined;
}

/** What is connected to. Throws a CallError. */
export function connectionUrl(
  joinUrl: string,
  { clientVersion, additionalMessages = [] }: ConnectionOptions = {},
): string {
  if (!URL.canParse(joinUrl)) throw new CallError('invalid_join_url', 'the join URL is not a URL');
  const url = new URL(joinUrl);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') {
    throw new CallError('invalid_join_url', 'a join URL begins with wss: or ws:');
  }
  const versions = [clientVersion, `calls-client/${VERSION}`].filter((name) => name !== undefined);
  url.searchParams.set('clientVersion', versions.join(' '));
  url.searchParams.set('apiVersion', '1');
  if (additionalMessages.length > 0) url.searchParams.append('additionalMessages', additionalMessages.join());
  return url.href;
}
