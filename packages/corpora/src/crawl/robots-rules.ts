import robotsParserModule from 'robots-parser';

/** How the crawler calls itself, to servers and in their robots.txt. */
export const CRAWLER_NAME = 'svc-crawler';

const MAX_DELAY_MS = 5000;

/** What a site asks of crawlers (RFC 9309). */
export interface RobotsRules {
  allows(url: string): boolean;
  /** Between requests; 0 where the site doesn't say. */
  readonly delayMs: number;
}

// The types of the module don't know that it is CommonJS.
const parse = robotsParserModule as unknown as typeof robotsParserModule.default;

export function robotsRules(robotsUrl: string, text: string): RobotsRules {
  const robots = parse(robotsUrl, text);
  const seconds = robots.getCrawlDelay(CRAWLER_NAME) ?? 0;
  return {
    allows: (url) => robots.isAllowed(url, CRAWLER_NAME) !== false,
    delayMs: Math.min(Math.max(0, seconds * 1000), MAX_DELAY_MS),
  };
}
