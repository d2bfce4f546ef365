import type { BodyOf } from '@calls/api-contract/operations/operation';
import type { createVoice } from '@calls/api-contract/operations/voices.operations';
import { VoiceSample } from '@calls/api-contract/rest/voice';
import { openProviderKey } from '@calls/call-lifecycle/creation/provider-key';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { compileValidator } from '@calls/foundation/schema/validator';
import { CLONING_TTS_VENDORS, type CloningProvider } from '@calls/providers/tts/tts-vendors';
import type { CloneVoice } from '@calls/providers/tts/voice-cloning';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { Type } from 'typebox';
import { HttpProblem, invalidRequest, limited, unavailable } from '../problems/problem.ts';
import type { Upload } from '../uploads/multipart.ts';
import { audioTypeOf } from './sample-audio.ts';
import { languageTagIssues } from './voice-rules.ts';

/** Text fields of the form. */
export const SAMPLE_FIELDS = ['name', 'description', 'language', 'provider'] as const;
const DEFAULT_LANGUAGE = 'en';
const RETRY_AFTER_MS = 5000;
/** Maximum number of concurrent requests. Each holds its recording in memory. */
const MAX_AT_ONCE = 8;

const form = compileValidator('request body', Type.Omit(VoiceSample, ['file']));

interface Deps {
  db: Database;
  secretBox: SecretBox;
  cloneVoice: CloneVoice;
}

/** Clones voices at providers, one at a time per account. */
export class VoiceClones {
  readonly #deps: Deps;
  /** Accounts with a running request. */
  readonly #running = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Creates a voice at the provider from a recording and returns it as a voice to add. Errors of the provider are thrown
   * as the HttpProblem `voice_error`.
   */
  async create(accountId: string, upload: Upload): Promise<BodyOf<typeof createVoice>> {
    const { sample, chosen } = readSample(upload);
    if (this.#running.has(accountId)) {
      throw limited('concurrency', 'The account may clone one voice at a time.', RETRY_AFTER_MS);
    }
    if (this.#running.size >= MAX_AT_ONCE) throw unavailable();
    this.#running.add(accountId);
    try {
      const { provider, apiKey } = await this.#keyOf(accountId, chosen);
      const voiceId = await this.#deps.cloneVoice(provider, apiKey, sample).catch(refuseFailed);
      const { name, description, language } = sample;
      return { name, description, primaryLanguage: language, definition: { [provider]: { voiceId } } };
    } finally {
      this.#running.delete(accountId);
    }
  }

  /** Returns the key for the chosen provider, or else for the first provider that the account has a key for. */
  async #keyOf(
    accountId: string,
    chosen: CloningProvider | undefined,
  ): Promise<{ provider: CloningProvider; apiKey: string }> {
    const { db, secretBox } = this.#deps;
    const vendors = CLONING_TTS_VENDORS.filter(({ key }) => chosen === undefined || key === chosen);
    for (const { key: provider } of vendors) {
      const apiKey = await openProviderKey(db, secretBox, accountId, provider);
      if (apiKey !== null) return { provider, apiKey };
    }
    const names = vendors.map(({ key, name }) => `${name} (${key})`).join(' or ');
    const detail = `Cloning a voice needs a key for ${names}, and the account has none. Store it with PATCH /api/accounts/me/tts_api_keys, or in the console under Team and keys.`;
    throw new HttpProblem(422, 'provider_key_missing', detail);
  }
}

function readSample({ file: { bytes }, fields }: Upload) {
  const type = audioTypeOf(bytes);
  const issues = [...form.issues(fields), ...languageTagIssues('language', fields['language'])];
  if (bytes.byteLength === 0) issues.push({ path: 'file', message: 'must not be empty' });
  else if (!type) {
    issues.push({ path: 'file', message: 'must be audio: WAV, MP3, FLAC, Ogg, WebM or M4A' });
  }
  if (issues.length > 0 || !type) throw invalidRequest('request body', issues);
  const { name, description, language = DEFAULT_LANGUAGE, provider } = form.parse(fields);
  return {
    sample: { name, description: description ?? null, language, audio: bytes, ...type },
    chosen: provider,
  };
}

function refuseFailed(thrown: unknown): never {
  if (thrown instanceof ProviderError) throw new HttpProblem(400, 'voice_error', thrown.message);
  throw thrown;
}
