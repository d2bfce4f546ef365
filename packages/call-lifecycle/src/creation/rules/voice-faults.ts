import type { VoiceProvider } from '@calls/api-contract/rest/external-voice';
import type { Fault } from '@calls/api-contract/validation/validator';
import { valueAt, valuesAt } from './values-at.ts';

/** Fields that say which voice speaks, with what model and at what service: they decide what speech costs. */
const PRICE_AFFECTING: Readonly<Record<VoiceProvider, readonly string[]>> = {
  provider1: ['voiceId', 'model'],
  provider2: ['voiceId', 'model'],
  provider3: ['voiceId', 'model'],
  provider4: ['voiceId'],
  provider5: ['voiceId', 'modelId'],
  provider6: ['voiceId', 'model'],
  provider7: ['userId', 'voiceId', 'model', 'quality'],
  generic: ['url', 'headers', 'body'],
};

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
  for (const [provider, fields] of Object.entries(PRICE_AFFECTING)) {
    for (const { path } of fields.flatMap((field) => valuesAt(body, `voiceOverrides.${provider}.${field}`))) {
      faults.push({ path, message: 'must not be overridden, as it decides the price' });
    }
  }
  return faults;
}
