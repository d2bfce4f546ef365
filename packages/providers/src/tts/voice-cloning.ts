import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { sendForJson } from '../http/json-request.ts';
import { multipartForm } from '../http/multipart-form.ts';
import type { CloningProtocol, VoiceSample } from './cloning-protocol.ts';
import { CLONING_TTS_VENDORS, type CloningProvider } from './tts-vendors.ts';

/** Creates a voice at the vendor with the account's key and returns its id there. Throws a ProviderError. No retries. */
export type CloneVoice = (provider: CloningProvider, apiKey: string, sample: VoiceSample) => Promise<string>;

/** Covers the upload, which may take long, and the work of the vendor. */
export const CLONING_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ID_CHARACTERS = 256;

export function createCloneVoice(deps: {
  pool: ConnectionPool;
  clock: Clock;
  /** Base URLs by wire key. */
  urls: Readonly<Record<string, string>>;
}): CloneVoice {
  return async (provider, apiKey, sample) => {
    const vendor = CLONING_TTS_VENDORS.find(({ key }) => key === provider);
    if (!vendor) throw new ProviderError(provider, 'unavailable', 'does not support voice cloning');
    const protocol: CloningProtocol = await vendor.cloning();
    const form = multipartForm(protocol.fields(sample), {
      field: protocol.fileField,
      fileName: `sample.${sample.extension}`,
      mimeType: sample.mimeType,
      bytes: [sample.audio],
    });
    const { idField } = protocol;
    const id = Type.String({ minLength: 1, maxLength: MAX_ID_CHARACTERS });
    const response = await sendForJson(deps, {
      provider,
      endpoint: { baseUrl: deps.urls[provider] ?? '', apiKey: null },
      path: protocol.path,
      headers: { ...protocol.headers(apiKey), 'content-type': form.contentType },
      body: form.body,
      response: compileValidator('cloned voice', Type.Object({ [idField]: id })),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      confidential: [apiKey],
      timeoutMs: CLONING_TIMEOUT_MS,
      timeoutMessage: `no voice within ${CLONING_TIMEOUT_MS / 1000} s`,
      signal: new AbortController().signal,
      sentOnce: true,
    });
    return response[idField] ?? '';
  };
}
