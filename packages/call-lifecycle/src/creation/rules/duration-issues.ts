import { DURATION_PATTERN, durationToMs } from '@calls/api-contract/duration';
import { mapMarked } from '@calls/api-contract/marks';
import { MAX_DURATION_MARK } from '@calls/api-contract/rest/annotations';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Issue } from '@calls/api-contract/validation/validator';

const DURATION = new RegExp(DURATION_PATTERN);

/** Durations that are negative or above the limits that the schema marks. Texts that are no durations are left to the schema. */
export function durationIssues(body: unknown): Issue[] {
  const issues: Issue[] = [];
  mapMarked(StartCallRequest, MAX_DURATION_MARK, body, (text, path, maxMs) => {
    if (!DURATION.test(text)) return text;
    if (text.startsWith('-')) issues.push({ path, message: 'must not be negative' });
    else if (durationToMs(text) > Number(maxMs)) {
      issues.push({ path, message: `must be at most ${Number(maxMs) / 1000}s` });
    }
    return text;
  });
  return issues;
}
