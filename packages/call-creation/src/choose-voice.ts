import {
  isUuid,
  type ExternalVoice,
  type Fault,
  type StartCallRequest,
  type VoiceProvider,
  type VoiceSelection,
} from '@calls/api-contract';
import {
  findDefaultVoice,
  findVoicesByIdOrName,
  hasProviderKey,
  type Database,
  type VoiceRow,
} from '@calls/store';

export interface ChosenVoice {
  /** Of the catalogue; null for an external voice. */
  voiceId: string | null;
  selection: VoiceSelection;
}

/** The voice that a request asks for, or what is wrong with it; undefined where the catalogue has none at all. */
export async function chooseVoice(
  db: Database,
  accountId: string,
  request: StartCallRequest,
): Promise<ChosenVoice | Fault | undefined> {
  const { voice: named, externalVoice, voiceOverrides, languageHint } = request;
  if (externalVoice) return chooseExternalVoice(db, accountId, externalVoice);
  if (named === undefined) {
    const voice = await findDefaultVoice(db, languageHint ?? null);
    return voice && chosen(voice, {});
  }
  const found = await findVoices(db, accountId, named);
  const [voice, second] = found;
  if (!voice) return { path: 'voice', message: 'must be the id or the name of a voice in the catalogue' };
  if (second) return { path: 'voice', message: 'must be an id, as several voices have this name' };
  if (!voiceOverrides) return chosen(voice, {});
  const { provider, fields } = onlyMember(voiceOverrides);
  if (provider === voice.provider) return chosen(voice, fields);
  const whose = voice.provider === null ? 'has none to override' : `is one of ${voice.provider}`;
  return {
    path: `voiceOverrides.${provider}`,
    message: `must be of the voice's provider; this voice ${whose}`,
  };
}

function chosen(voice: VoiceRow, overrides: object): ChosenVoice {
  return {
    voiceId: voice.voice_id,
    selection: { engine: voice.engine, settings: { ...voice.engine_settings, ...overrides } },
  };
}

/** An id wins over a name. */
async function findVoices(db: Database, accountId: string, named: string): Promise<VoiceRow[]> {
  const byId = isUuid(named) ? await findVoicesByIdOrName(db, accountId, { voiceId: named }) : [];
  return byId.length > 0 ? byId : findVoicesByIdOrName(db, accountId, { name: named });
}

function onlyMember(voice: ExternalVoice): { provider: VoiceProvider; fields: Record<string, unknown> } {
  const [entry] = Object.entries(voice) as [VoiceProvider, Record<string, unknown>][];
  if (!entry) throw new Error('a valid ExternalVoice has exactly one key');
  return { provider: entry[0], fields: entry[1] };
}

async function chooseExternalVoice(
  db: Database,
  accountId: string,
  voice: ExternalVoice,
): Promise<ChosenVoice | Fault> {
  const { provider, fields } = onlyMember(voice);
  if (provider !== 'generic' && !(await hasProviderKey(db, { accountId, provider }))) {
    return {
      path: `externalVoice.${provider}`,
      message: `needs a key for ${provider}, and the account has none`,
    };
  }
  return { voiceId: null, selection: { engine: provider, settings: fields } };
}
