import { BACKGROUND_CLIP_NAMES } from '@calls/api-contract/rest/call-setting-values';
import type { Issue } from '@calls/api-contract/validation/validator';
import { valuesAt, type ValueAt } from './values-at.ts';

const PATH = 'backgroundAudio.audioClip';
const NAMES: readonly string[] = BACKGROUND_CLIP_NAMES;
const HTTP_URL = /^https?:\/\/\S+$/iu;

export function backgroundIssues(body: unknown): Issue[] {
  const message = `must be the URL of a WAV file, or one of ${NAMES.join(', ')}`;
  return valuesAt(body, PATH)
    .filter(({ value: clip }) => typeof clip === 'string' && clip !== '' && !isName(clip) && !isUrl(clip))
    .map(({ path }) => ({ path, message }));
}

/** URLs of clips that are not part of the service. */
export function backgroundUrls(body: unknown): ValueAt[] {
  return valuesAt(body, PATH).filter(({ value }) => typeof value === 'string' && isUrl(value));
}

const isName = (clip: string): boolean => NAMES.includes(clip);
const isUrl = (clip: string): boolean => HTTP_URL.test(clip);
