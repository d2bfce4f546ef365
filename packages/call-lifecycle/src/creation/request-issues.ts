import type { Issue } from '@calls/api-contract/validation/validator';
import { backgroundIssues } from './rules/background-issues.ts';
import { durationIssues } from './rules/duration-issues.ts';
import { firstSpeakerIssues } from './rules/first-speaker-issues.ts';
import { initialMessageIssues } from './rules/initial-message-issues.ts';
import { languageIssues } from './rules/language-issues.ts';
import { metadataIssues } from './rules/metadata-issues.ts';
import { outputMediumIssues } from './rules/output-medium-issues.ts';
import { sipIssues } from './rules/sip-issues.ts';
import { voiceIssues } from './rules/voice-issues.ts';

const RULES = [
  durationIssues,
  metadataIssues,
  voiceIssues,
  firstSpeakerIssues,
  initialMessageIssues,
  outputMediumIssues,
  languageIssues,
  backgroundIssues,
  sipIssues,
];

/**
 * Issues that the schema does not find, as far as they depend on the request alone. Accepts any value; schema violations are not
 * reported.
 */
export function requestIssues(request: unknown): Issue[] {
  return RULES.flatMap((issuesOf) => issuesOf(request));
}
