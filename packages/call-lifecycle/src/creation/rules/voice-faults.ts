import { TTS_VENDORS } from '@calls/api-contract/vendors/tts-vendors';
import type { Fault } from '@calls/api-contract/validation/validator';
import { valueAt, valuesAt } from './values-at.ts';

export function voiceFaults(body: unknown): Fault[] {
  const isSet = (path: string): boolean => valueAt(body, path) !== undefined;
  const faults: Fault[] = [];
  if (isSet('voice') && isSet('externalVoice')) {
    faults.push({ path: 'externalVoice', message: 'must not be set together with voice' });
  }
  if (isSet('voiceOverrides')) {
    if (isSet('externalVoice')) {
      faults.push({ path: 'voiceOverrides', message: 'must not be set together with externalVoice' });
    } else if (!isSet('voice')) {
      faults.push({ path: 'voiceOverrides', message: 'must not be set without voice' });
    }
  }
  for (const { key, priceFields } of TTS_VENDORS) {
    for (const { path } of priceFields.flatMap((field) => valuesAt(body, `voiceOverrides.${key}.${field}`))) {
      faults.push({ path, message: 'must not be overridden, as it decides the price' });
    }
  }
  return faults;
}
