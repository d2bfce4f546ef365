import type { VoiceSelection } from '@calls/api-contract/call-spec';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { ExternalVoice, type VoiceOverrides } from '@calls/api-contract/rest/external-voice';
import { isJsonObject } from '@calls/foundation/json-object';
import { isUuid } from '@calls/foundation/schema/objects';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import { type VoiceProvider, isKeyedProvider } from '@calls/providers/tts/tts-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import type { CallEventRow } from '@calls/store/tables/call-events';
import { findStoredStage } from '@calls/store/tables/call-stages';
import { findDefaultVoice, findVoicesByIdOrName, type VoiceRow } from '@calls/store/tables/voices';
import { openProviderKey } from './provider-key.ts';
import { openVoiceSettings } from './stored-secrets.ts';

export interface ChosenVoice {
  /** Id in the catalog; null for an external voice. */
  voiceId: string | null;
  /** Includes the account's key if the provider needs one. */
  selection: VoiceSelection;
  /** Set if the request used an alias. */
  byAlias: VoiceAliasUse | null;
}

/** The alias in the request, and the name of the voice that is used for it. */
export interface VoiceAliasUse {
  named: string;
  voice: string;
}

export interface VoiceDeps {
  db: Database;
  /** Maps well-known voice names to the id or name of the catalog voice that is used if the catalog lacks them. */
  voiceAliases: ReadonlyMap<string, string>;
  secretBox: SecretBox;
}

const definition = compileValidator('voice', ExternalVoice);

/** The voice of a request, or the issue with it; undefined if the catalog is empty. */
export async function chooseVoice(
  deps: VoiceDeps,
  accountId: string,
  request: StartCallRequest,
): Promise<ChosenVoice | Issue | undefined> {
  const { voice: named, externalVoice, voiceOverrides, languageHint } = request;
  if (externalVoice) {
    const { provider, fields } = onlyMember(externalVoice);
    const path = `externalVoice.${provider}`;
    return withKey(deps, accountId, path, {
      voiceId: null,
      selection: { engine: provider, settings: fields },
      byAlias: null,
    });
  }
  if (named === undefined) {
    const voice = await findDefaultVoice(deps.db, languageHint ?? null);
    return voice && withKey(deps, accountId, 'voice', chosen(deps, voice, {}));
  }
  const { found, byAlias } = await findNamed(deps, accountId, named);
  const [voice, second] = found;
  if (!voice) return { path: 'voice', message: 'must be the id or the name of a voice in the catalogue' };
  if (second) return { path: 'voice', message: 'must be an id, because several voices have this name' };
  if (!voiceOverrides) return withKey(deps, accountId, 'voice', { ...chosen(deps, voice, {}), byAlias });
  const { provider, fields } = onlyMember(voiceOverrides);
  if (provider === voice.provider)
    return withKey(deps, accountId, 'voice', { ...chosen(deps, voice, fields), byAlias });
  const actual = voice.provider === null ? 'has no provider' : `has the provider ${voice.provider}`;
  return {
    path: `voiceOverrides.${provider}`,
    message: `must be of the voice's provider; this voice ${actual}`,
  };
}

function chosen({ secretBox }: VoiceDeps, voice: VoiceRow, overrides: object): ChosenVoice {
  const own = openVoiceSettings(secretBox, voice);
  const settings = overlaid(own, overrides);
  return { voiceId: voice.voice_id, selection: { engine: voice.engine, settings }, byAlias: null };
}

/** Merges `overrides` into `own` recursively; lists are replaced as a whole. */
export function overlaid(own: object, overrides: object): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...own };
  for (const [name, value] of Object.entries(overrides) as [string, unknown][]) {
    const known = fields[name];
    fields[name] = isJsonObject(known) && isJsonObject(value) ? overlaid(known, value) : value;
  }
  return fields;
}

async function withKey(
  { db, secretBox }: Pick<VoiceDeps, 'db' | 'secretBox'>,
  accountId: string,
  path: string,
  voice: ChosenVoice,
): Promise<ChosenVoice | Issue> {
  const { engine, settings } = voice.selection;
  const isDefined = engine in ExternalVoice.properties;
  const [unusable] = isDefined ? definition.issues({ [engine]: settings }) : [];
  if (unusable) return voice.voiceId === null ? inExternalVoice(unusable) : inCatalogueVoice(unusable);
  if (!isKeyedProvider(engine)) return voice;
  const apiKey = await openProviderKey(db, secretBox, accountId, engine);
  if (apiKey === null) return { path, message: `needs a key for ${engine}, and the account has none` };
  return { ...voice, selection: { engine, settings: { ...settings, apiKey } } };
}

function inExternalVoice({ path, message }: Issue): Issue {
  return { path: `externalVoice.${path}`, message };
}

/** An earlier release stored the definition, or the overrides make it invalid. */
function inCatalogueVoice({ path, message }: Issue): Issue {
  return { path: 'voice', message: `has an unusable definition: ${path} ${message}` };
}

type VoiceNote = Pick<CallEventRow, 'severity' | 'type' | 'text' | 'extras'>;

/** The call event about the use of an alias; null if none was used. */
export function voiceAliasNote(used: VoiceAliasUse | null): VoiceNote | null {
  if (!used) return null;
  const text = `No voice is called ${used.named}; ${used.voice} speaks instead.`;
  return { severity: 'info', type: 'voice_alias_used', text, extras: { ...used } };
}

/** The same for the voice of a new stage. */
export async function stageVoiceNote(
  deps: Pick<VoiceDeps, 'db' | 'voiceAliases'>,
  stage: { accountId: string; callId: string; stageId: string },
): Promise<VoiceNote | null> {
  const { overrides } = (await findStoredStage(deps.db, stage.callId, stage.stageId)) ?? {};
  if (overrides?.voice === undefined) return null;
  const { byAlias } = await findNamed(deps, stage.accountId, overrides.voice);
  return voiceAliasNote(byAlias);
}

/** Voices with this name have precedence over an alias. */
async function findNamed(
  { db, voiceAliases }: Pick<VoiceDeps, 'db' | 'voiceAliases'>,
  accountId: string,
  named: string,
): Promise<{ found: VoiceRow[]; byAlias: VoiceAliasUse | null }> {
  const alias = voiceAliases.get(named);
  const [found, aliased] = await Promise.all([
    findVoices(db, accountId, named),
    alias === undefined ? [] : findVoices(db, accountId, alias),
  ]);
  if (found.length > 0 || alias === undefined) return { found, byAlias: null };
  const standIns = aliased.filter((voice) => voice.account_id === null);
  const [voice] = standIns;
  return { found: standIns, byAlias: voice ? { named, voice: voice.name } : null };
}

/** An id has precedence over a name. */
async function findVoices(db: Database, accountId: string, named: string): Promise<VoiceRow[]> {
  const byId = isUuid(named) ? await findVoicesByIdOrName(db, accountId, { voiceId: named }) : [];
  return byId.length > 0 ? byId : findVoicesByIdOrName(db, accountId, { name: named });
}

/** The provider of a valid definition, and its fields. */
export function onlyMember(voice: ExternalVoice | VoiceOverrides): {
  provider: VoiceProvider;
  fields: Record<string, unknown>;
} {
  const [entry] = Object.entries(voice) as [VoiceProvider, Record<string, unknown>][];
  if (!entry) throw new Error('a valid ExternalVoice has exactly one key');
  return { provider: entry[0], fields: entry[1] };
}
