import type { MimeTypeFilter } from '@calls/api-contract/rest/corpus';
import { BoundedCache } from '@calls/foundation/bounded-cache';
import robotsParserModule from 'robots-parser';
import { documentMimeType } from '../mime-types.ts';

/** Whether the filter includes documents of this type. Without types, it includes all. */
export function isRelevant(mimeType: string, filter: MimeTypeFilter | undefined): boolean {
  const names = (types: string[] | undefined): boolean =>
    (types ?? []).some((type) => (documentMimeType(type) ?? type.toLowerCase()) === mimeType);
  if (names(filter?.exclude?.mimeTypes)) return false;
  const included = filter?.include?.mimeTypes ?? [];
  return included.length === 0 || names(included);
}

const MAX_URL_CHARS = 2048;

/** The canonical form of a page's address, used to compare pages; null for addresses that crawls do not visit. */
export function pageUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url.href.length <= MAX_URL_CHARS ? url.href : null;
}

/** The crawler's user agent and its name in robots.txt. */
export const CRAWLER_NAME = 'svc-crawler';

/** Directives whose value follows after a colon. */
const WITH_VALUE = /^(?:max-[a-z-]+|unavailable_after)$/u;

/** An `X-Robots-Tag` header. Directives after the name of a crawler and a colon are for that crawler only. */
export function robotsTag(header: string): { noIndex: boolean; noFollow: boolean } {
  const ours = new Set<string>();
  let crawler = CRAWLER_NAME;
  for (const part of header.toLowerCase().split(',')) {
    const [, name = '', rest = ''] = /^\s*([a-z][\w-]*)\s*:(.*)$/u.exec(part) ?? [];
    if (WITH_VALUE.test(name)) continue;
    if (name !== '') crawler = name;
    if (crawler === CRAWLER_NAME) ours.add((name === '' ? part : rest).trim());
  }
  return {
    noIndex: ours.has('noindex') || ours.has('none'),
    noFollow: ours.has('nofollow') || ours.has('none'),
  };
}

const MAX_DELAY_MS = 5000;

/** Rules of a site's robots.txt (RFC 9309). */
interface RobotsRules {
  allows(url: string): boolean;
  /** Delay between requests; 0 if not specified. */
  readonly delayMs: number;
}

// The module's types do not declare that it is CommonJS.
const parse = robotsParserModule as unknown as typeof robotsParserModule.default;

export function robotsRules(robotsUrl: string, text: string): RobotsRules {
  const robots = parse(robotsUrl, text);
  const seconds = robots.getCrawlDelay(CRAWLER_NAME) ?? 0;
  return {
    allows: (url) => robots.isAllowed(url, CRAWLER_NAME) !== false,
    delayMs: Math.min(Math.max(0, seconds * 1000), MAX_DELAY_MS),
  };
}

const MAX_CACHED_CHARACTERS = 2 * 1024 * 1024;

const cache = new BoundedCache<RobotsRules>(MAX_CACHED_CHARACTERS);

export interface RobotsFile {
  /** URL from which it was loaded. */
  url: string;
  text: string;
}

/** The job that evaluates a site's robots.txt for a page. */
export const robotsJobs = {
  robots({ file, pageUrl }: { file: RobotsFile; pageUrl: string }): { isAllowed: boolean; delayMs: number } {
    const key = `${file.url}\n${file.text}`;
    const rules = cache.getOrMake(key, key.length, () => robotsRules(file.url, file.text));
    return { isAllowed: rules.allows(pageUrl), delayMs: rules.delayMs };
  },
};
