import type { Issue } from '@calls/api-contract/validation/validator';
import { valueAt } from './values-at.ts';

/** The member of firstSpeakerSettings for each value; the unspecified value agrees with both. */
const NAMED: Readonly<Record<string, string>> = { FIRST_SPEAKER_AGENT: 'agent', FIRST_SPEAKER_USER: 'user' };

export function firstSpeakerIssues(body: unknown): Issue[] {
  const firstSpeaker = valueAt(body, 'firstSpeaker');
  const settings = valueAt(body, 'firstSpeakerSettings');
  if (typeof firstSpeaker !== 'string' || typeof settings !== 'object' || settings === null) return [];
  const named = NAMED[firstSpeaker];
  const [chosen] = Object.keys(settings);
  if (named === undefined || chosen === undefined || named === chosen) return [];
  return [{ path: 'firstSpeaker', message: 'must agree with firstSpeakerSettings, or be left out' }];
}
