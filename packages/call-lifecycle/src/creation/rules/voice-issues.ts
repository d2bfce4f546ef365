import { TTS_VENDORS } from '@calls/api-contract/vendors/tts-vendors';
import type { Issue } from '@calls/api-contract/validation/validator';
import { valueAt, valuesAt } from './values-at.ts';

export function voiceIssues(body: unknown): Issue[] {
  const isSet = (path: string): boolean => valueAt(body, path) !== undefined;
  const issues: Issue[] = [];
  if (isSet('voice') && isSet('externalVoice')) {
    issues.push({ path: 'externalVoice', message: 'must not be set together with voice' });
  }
  if (isSet('voiceOverrides')) {
    if (isSet('externalVoice')) {
      issues.push({ path: 'voiceOverrides', message: 'must not be set together with externalVoice' });
    } else if (!isSet('voice')) {
      issues.push({ path: 'voiceOverrides', message: 'must not be set without voice' });
    }
  }
  for (const { key, priceFields } of TTS_VENDORS) {
    for (const { path } of priceFields.flatMap((field) => valuesAt(body, `voiceOverrides.${key}.${field}`))) {
      issues.push({ path, message: 'must not be overridden, because it affects the price' });
    }
  }
  return issues;
}
