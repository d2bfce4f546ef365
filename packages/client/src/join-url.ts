import { CallError } from './call-error.ts';
import { VERSION } from './version.ts';

/** What is connected to; `clientVersion`: what the page calls itself. Throws a CallError. */
export function connectionUrl(joinUrl: string, clientVersion: string | undefined): string {
  if (!URL.canParse(joinUrl)) throw new CallError('invalid_join_url', 'the join URL is not a URL');
  const url = new URL(joinUrl);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') {
    throw new CallError('invalid_join_url', 'a join URL begins with wss: or ws:');
  }
  const versions = [clientVersion, `calls-client/${VERSION}`].filter((name) => name !== undefined);
  url.searchParams.set('clientVersion', versions.join(' '));
  url.searchParams.set('apiVersion', '1');
  return url.href;
}
