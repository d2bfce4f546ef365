import type { Issue } from '@calls/foundation/schema/validator';
import { valueAt } from './values-at.ts';

/** Headers that the SIP stack sets or interprets, in lower case. One letter is a compact form of them. */
const OWNED = new Set([
  ...[
    'accept',
    'accept-encoding',
    'alert-info',
    'allow',
    'allow-events',
    'authorization',
    'call-id',
    'contact',
  ],
  ...[
    'cseq',
    'event',
    'expires',
    'from',
    'max-forwards',
    'min-expires',
    'min-se',
    'path',
    'proxy-authenticate',
  ],
  ...[
    'proxy-authorization',
    'proxy-require',
    'rack',
    'record-route',
    'refer-to',
    'replaces',
    'require',
    'route',
  ],
  ...[
    'rseq',
    'service-route',
    'session-expires',
    'supported',
    'to',
    'unsupported',
    'via',
    'www-authenticate',
  ],
]);
const NAME = /^[\w.!%*+`'~-]{2,64}$/u;
/** Any text without control characters. */
const VALUE = /^[^\p{Cc}]*$/u;
const MAX_BYTES = 4096;

/** Issues of the headers of an outgoing call by SIP, in a request that is valid by its schema. */
export function sipHeaderIssues(request: unknown): Issue[] {
  const path = 'medium.sip.outgoing.headers';
  const headers = valueAt(request, path);
  if (typeof headers !== 'object' || headers === null) return [];
  const entries = Object.entries(headers);
  const issues = entries.flatMap(([name, value]) => {
    const message = headerIssue(name, value);
    return message === null ? [] : [{ path: `${path}.${name}`, message }];
  });
  if (Buffer.byteLength(entries.flat().join('')) > MAX_BYTES)
    issues.push({ path, message: `must have at most ${MAX_BYTES} bytes in all names and values` });
  return issues;
}

function headerIssue(name: string, value: unknown): string | null {
  const lower = name.toLowerCase();
  if (!NAME.test(name)) return 'must have a header name of 2 to 64 letters, digits and hyphens';
  if (OWNED.has(lower) || lower.startsWith('content-')) return 'must not be a header that the service sets';
  if (typeof value === 'string' && !VALUE.test(value))
    return 'must not contain line breaks or control characters';
  return null;
}
