import type { Issue } from '@calls/foundation/schema/validator';
import { OutboundRefusal } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { backgroundUrls } from './request-issues.ts';
import { valuesAt } from './values-at.ts';

/** Checks URLs before they are used. */
export type UrlGuard = Pick<OutboundHttp, 'assertAllowedUrl'>;

type Schemes = NonNullable<Parameters<UrlGuard['assertAllowedUrl']>[1]>;
const HTTP: Schemes = ['http:', 'https:'];
const WEB_SOCKET: Schemes = ['ws:', 'wss:'];

const URLS: readonly (readonly [path: string, schemes: Schemes])[] = [
  ['dataConnection.websocketUrl', WEB_SOCKET],
  ['callbacks.*.url', HTTP],
  ['externalVoice.generic.url', HTTP],
];

/** Issues of URLs that the service must not call, in a request that is valid by its schema. */
export function urlIssues(guard: UrlGuard, request: unknown): Issue[] {
  const urls = URLS.flatMap(([pattern, schemes]) =>
    valuesAt(request, pattern).map((found) => ({ ...found, schemes })),
  );
  const clips = backgroundUrls(request).map((found) => ({ ...found, schemes: HTTP }));
  return [...urls, ...clips].flatMap(({ path, value, schemes }) => {
    const message = typeof value === 'string' ? urlRefusal(guard, value, schemes) : null;
    return message === null ? [] : [{ path, message }];
  });
}

/** Why requests to the URL are not allowed; null if they are. */
export function urlRefusal(guard: UrlGuard, url: string, schemes: Schemes = HTTP): string | null {
  try {
    guard.assertAllowedUrl(url, schemes);
    return null;
  } catch (thrown) {
    if (thrown instanceof OutboundRefusal) return `is not allowed: ${thrown.message}`;
    throw thrown;
  }
}
