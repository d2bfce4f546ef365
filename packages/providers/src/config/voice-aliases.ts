import type { EnvReader } from '@calls/foundation/env-reader';
import { compileValidator } from '@calls/foundation/schema/validator';
import { text } from '@calls/foundation/variable';
import { Type } from 'typebox';
import { VoiceName } from './catalogue-voice.ts';

/** Maps names that clients use elsewhere to ids or names of catalogue voices. */
export type VoiceAliases = ReadonlyMap<string, string>;

const FEMALE_US = 'English (US), female (espeak)';
const MALE_US = 'English (US), male (espeak)';
/** Also used for Australian voices, which the embedded engine lacks. */
const MALE_UK = 'English (UK), male (espeak)';

/** Well-known public names, mapped to voices of the embedded engine, which every installation has. */
const DEFAULTS: Readonly<Record<string, string>> = {
  Mark: MALE_US,
  Jessica: FEMALE_US,
  Sarah: FEMALE_US,
  Shaun: MALE_US,
  'Aaron-English': MALE_US,
  'Emily-English': FEMALE_US,
  'Steve-English-Australian': MALE_UK,
  'Tanya-English': FEMALE_US,
};

const aliases = compileValidator(
  'VOICE_ALIASES',
  Type.Record(Type.String(), Type.Union([VoiceName, Type.Null()])),
);

const VARIABLE = text({
  unset: 'see below',
  meaning: 'JSON object that maps voice names to catalogue voices.',
});

/** The defaults with the changes of `VOICE_ALIASES`: a JSON object of names to voices; null removes a default. */
export function readVoiceAliases(env: EnvReader): VoiceAliases {
  const changes = changesIn(env);
  if (!changes)
    env.addIssue('VOICE_ALIASES must be a JSON object of voice names to voice names or ids, or null');
  const all = Object.entries({ ...DEFAULTS, ...changes });
  return new Map(all.flatMap(([name, voice]) => (voice === null ? [] : [[name, voice] as const])));
}

/** Null if they are invalid. */
function changesIn(env: EnvReader): Record<string, string | null> | null {
  try {
    return aliases.parse(JSON.parse(env.value('VOICE_ALIASES', VARIABLE) ?? '{}'));
  } catch {
    return null;
  }
}
