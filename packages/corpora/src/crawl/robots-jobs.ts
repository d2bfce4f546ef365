import { CompiledCache } from '@calls/untrusted-work/jobs/compiled-cache';
import { robotsRules, type RobotsRules } from './robots-rules.ts';

const MAX_CACHED_CHARACTERS = 2 * 1024 * 1024;

const cache = new CompiledCache<RobotsRules>(MAX_CACHED_CHARACTERS, (source) => {
  const end = source.indexOf('\n');
  return robotsRules(source.slice(0, end), source.slice(end + 1));
});

export interface RobotsFile {
  /** Where it was read. */
  url: string;
  text: string;
}

/** The job that reads a site's robots.txt, and what it says of a page. */
export const robotsJobs = {
  robots({ file, pageUrl }: { file: RobotsFile; pageUrl: string }): { isAllowed: boolean; delayMs: number } {
    const rules = cache.get(`${file.url}\n${file.text}`);
    return { isAllowed: rules.allows(pageUrl), delayMs: rules.delayMs };
  },
};
